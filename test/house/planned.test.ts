/** Section 10 of docs/decisions.md says of each extension whether it is built, and routes.ts agrees. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { ROUTES } from '../../src/apps/http/routes.ts';

const DECISIONS = readFileSync(resolve(import.meta.dirname, '../../docs/decisions.md'), 'utf8');

/** A path without the names of its parameters, its query and what follows an optional part. */
const shapeOf = (path: string): string =>
  path
    .replace(/\?.*$/, '')
    .replace(/\{[^}]*\}|:\w+/g, '*')
    .replace(/\/$/, '');

const BUILT: ReadonlySet<string> = new Set(ROUTES.map(({ path }) => shapeOf(path)));

/** Points of the section that name a path which the server does not have, and do not say so; and the reverse. */
function misstated(section: string): readonly string[] {
  return section
    .split(/^(?=\d+\. )/m)
    .filter((point) => /^\d+\. /.test(point))
    .flatMap((point) => {
      const paths = [...point.matchAll(/`(?:GET|POST|PUT|DELETE|\|)+ (\/[^\s`]+)/g)].map(([, path]) => shapeOf(path!));
      const missing = paths.filter((path) => !BUILT.has(path));
      const isPlanned = /^\d+\. \(Planned/.test(point);
      return paths.length > 0 && isPlanned !== missing.length > 0 ? [`${point.slice(0, 3)} ${paths.join(' ')}`] : [];
    });
}

test('a point of section 10 says "(Planned.)" exactly while a path of it is missing', () => {
  const section = DECISIONS.split('\n## 10. Beyond the interface\n')[1]!.split('\n## ')[0]!;
  assert.deepEqual(misstated(section), []);
});

test('the rule finds both faults', () => {
  assert.deepEqual(
    misstated('1. `GET /nowhere/{id}` answers.\n2. (Planned.) `GET /v1/ip/{ip}`.\n3. `GET /v1/me?x=1`.\n'),
    ['1.  /nowhere/*', '2.  /v1/ip/*'],
  );
});
