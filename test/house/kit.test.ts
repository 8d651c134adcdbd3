/**
 * Each of these ideas exists once, in core/kit or in the place named; a second copy needs a reason, which
 * stands in its list.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const FILES = globSync('{src,bench,console/src,clients/typescript/src}/**/*.{ts,tsx}', { cwd: ROOT }).filter(
  (file) => !/^src\/core\/kit\/|\.(?:test|fixture|contract)\.tsx?$|\/node_modules\//.test(file),
);

function onlyIn(shape: RegExp, reasons: Readonly<Record<string, string>>): void {
  assert.ok(FILES.length > 500, String(FILES.length));
  const found = FILES.filter((file) => shape.test(readFileSync(resolve(ROOT, file), 'utf8')));
  assert.deepEqual(found.toSorted(), Object.keys(reasons).toSorted());
}

test('a wait that doubles is backOff', () => {
  onlyIn(/2 \*\* \(?(?:Math\.min\()?(?:\w+\.)?#?(?:attempt|fail|death|tries|retr|restart)|[wW]ait(?:Ms)? \*= 2/, {
    'clients/typescript/src/transport.ts': 'a package of its own, which imports nothing of the service',
  });
});

test('a table found by hash is SlotIndex', () => {
  onlyIn(/\+ (?:1|i|probe)\) & (?:\(|mask\b|\w+\.#?mask\b)/, {
    'bench/lookup.ts': 'walks a sample, no table',
    'src/adapters/counters/memory/counter-table.ts':
      'shared by threads that write it with Atomics, in a bounded window of slots',
    'src/adapters/limits/memory/limit-table.ts':
      'shared by threads that write it with Atomics, in a bounded window of slots',
  });
});

test('a map that forgets old entries is Recent', () => {
  onlyIn(/\.(?:keys|values|entries)\(\)\.next\(\)|\.size >=? \w*(?:MAX|Max)\w*\)\s*\{?\s*[\w.#]+\.(?:clear|delete)\(/, {
    'src/adapters/counters/memory/charge-log.ts': 'a queue that is emptied in its order',
    'src/core/enrich/gathered-suffixes.ts': 'numbers of a store of bytes, which can only be emptied as a whole',
  });
});

test('so many in a second or a minute is WindowCount', () => {
  onlyIn(/(?:second|minute|window) !== [\w.]*#?(?:second|minute|window)\b/i, {});
});

test('a text that may not be JSON is read with parseJson', () => {
  onlyIn(/JSON\.parse\([^;]*;\s*\} catch \{\s*return (?:undefined|\{\}|\[\]);/, {});
});

test('a request to a service of Pulse is callService, a list is read with fetchFeed, a webhook is called by its sender', () => {
  const inService = /^src\//;
  const found = FILES.filter(
    (file) =>
      inService.test(file) && /(?<![.\w#])fetch\(|await getUrl\(/.test(readFileSync(resolve(ROOT, file), 'utf8')),
  );
  assert.deepEqual(found.toSorted(), [
    'src/adapters/feeds/fetch-feed.ts',
    'src/adapters/http-client/call-service.ts',
    'src/adapters/watchlists/webhook-sender.ts',
    // A scrape of its own metrics.
    'src/main/support-bundle.ts',
  ]);
});

test('a part of the site that is fetched later is made with later()', () => {
  onlyIn(/\blazy\(|<Suspense\b/, {});
});
