/**
 * Every part of data/known-good.json and data/known-scanners.json says its subject, the place of its content,
 * its day and its terms.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { collapsePrefixes } from '../../scripts/tables/collapse-prefixes.ts';
import { knownGoodLists } from '../../src/adapters/layers/known-good.ts';
import { parsePrefix } from '../../src/core/ip/prefix.ts';
import { compilePeriods, PrefixPeriods } from '../../src/core/ip/prefix-periods.ts';
import { unixMs } from '../../src/core/units.ts';

const scanners = knownGoodLists('known-scanners');
const lists = [...knownGoodLists(), ...scanners];
const DATE = /^20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
/** A publisher's page, records in DNS or a package, and for a copy the repository and its commit. */
const SOURCE =
  /^(https:\/\/\S+|npm \S+ \S+, .+|(SPF|MX) records in DNS|github\.com\/[\w.-]+\/[\w.-]+ .*@[0-9a-f]{7,40})/;

test('each list names its subject, a source, a day, and terms', () => {
  assert.ok(lists.length >= 35, String(lists.length));
  for (const { id, what, from, until, source, seen, licence, prefixes } of lists) {
    assert.ok(what.length > 3 && prefixes.length > 0, id);
    assert.match(source, SOURCE, id);
    assert.ok(
      !source.includes('copied at') || /copied at github\.com\/[\w.-]+\/[\w.-]+ .*@[0-9a-f]{7,40}/.test(source),
      `${id}: a copy is named with its commit`,
    );
    assert.match(seen, DATE, id);
    assert.ok(
      DATE.test(from) && from >= seen && (until === undefined || (DATE.test(until) && until > from)),
      `${id}: ${from} to ${until}`,
    );
    assert.match(
      licence,
      /^(MIT|CC0-1\.0|CC-BY-4\.0|Apache-2\.0|Unlicense|Unlicense; CC0-1\.0|CC0-1\.0; Unlicense|facts)$/,
      id,
    );
  }
});

test('prefixes are collapsed, none is wider than the front ends that exist, and no list covers a large part of the Internet', () => {
  let addresses4 = 0;
  for (const { id, prefixes } of lists) {
    assert.deepEqual(collapsePrefixes(prefixes), prefixes, id);
    for (const text of prefixes) {
      const { family, bits } = parsePrefix(text)!;
      assert.ok(bits >= (family === 4 ? 12 : 29), `${id} ${text}`);
      if (family === 4) addresses4 += 2 ** (32 - bits);
    }
  }
  assert.ok(addresses4 < 2 ** 24, String(addresses4));
});

test('a known research scanner is not in space of a known service', () => {
  const services = new PrefixPeriods(
    compilePeriods(
      knownGoodLists().flatMap(({ id, prefixes }) =>
        prefixes.map((text) => ({
          prefix: parsePrefix(text)!,
          from: unixMs(0),
          held: { id, what: '', source: '', seen: '' },
        })),
      ),
    ),
  );
  for (const { id, prefixes } of scanners)
    for (const text of prefixes)
      assert.equal(services.find(parsePrefix(text)!, unixMs(1))?.id, undefined, `${id} ${text}`);
});

test('prefixes collapse to the fewest that hold the same addresses', () => {
  assert.deepEqual(
    collapsePrefixes([
      '10.0.1.0/24',
      '10.0.0.0/24',
      '10.0.0.7',
      '10.0.2.0/25',
      '2001:db8:1::/48',
      '2001:db8::/48',
      '10.0.4.1',
      '2001:db8::/64',
    ]),
    ['10.0.0.0/23', '10.0.2.0/25', '10.0.4.1', '2001:db8::/47'],
  );
  assert.throws(() => collapsePrefixes(['10.0.0.0/33']), /is not a prefix/);
});

test('docs/score.md names the sets, and NOTICE those that come under terms', () => {
  const read = (file: string): string => readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
  const kinds = new Set(
    lists.map(({ what }) => (what.startsWith('research scanner: ') ? what.split(': ')[1]! : what).split(/[:,]/)[0]!),
  );
  for (const kind of kinds) assert.ok(read('docs/score.md').includes(kind), kind);
  const notice = /known-good\.json:[\s\S]*?known-scanners\.json:.*/.exec(read('NOTICE'))?.[0] ?? '';
  const repositories = new Set(
    lists
      .filter(({ licence }) => licence !== 'facts')
      .flatMap(({ source }) => [...source.matchAll(/github\.com\/([\w.-]+\/[\w.-]+)/g)].map(([, name]) => name!)),
  );
  for (const name of repositories) assert.ok(notice.includes(name), name);
});
