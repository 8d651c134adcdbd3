import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { csvCell } from '../csv/csv-cell.ts';
import { splitRow } from '../csv/split-row.ts';
import type { FieldPath } from '../fields/field-path.ts';
import type { Address } from '../ip/address.ts';
import { formatAddress } from '../ip/format-address.ts';
import { detectLayout } from '../logs/detect-layout.ts';
import type { LineFormat } from '../logs/line-format.ts';
import type { LineLayout } from '../logs/line-layout.ts';
import { Fault } from '../texts/said.ts';
import { BlockEnricher } from './block-enricher.ts';
import { type OutputForm, outputFormat } from './conversion.ts';
import { GatheredSuffixes } from './gathered-suffixes.ts';
import { suffixText } from './suffix-text.ts';
import { VerdictSuffixes } from './verdict-suffixes.ts';

const FIELDS: readonly FieldPath[] = ['risk.score', 'evidence_state', 'risk.signals', 'geo.city'];
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The verdict of an address in these tests: 10.0.0.0/8 has none, and names are those a format could stumble over. */
const documentOf = (address: Address): object => {
  const ip = formatAddress(address);
  if (address.family === 4 && address.w0 >>> 24 === 10) return { ip, error: { code: 'reserved_ip' } };
  const signals = ['proxy', 'vpn'].slice(0, address.w0 % 3);
  const geo =
    address.w0 % 2 === 0 ? { city: ['São Paulo', 'L"Aquila, \\x', '=cmd', '深圳'][address.w0 % 4]! } : undefined;
  return {
    ip,
    risk: { score: address.w0 % 101, ...(signals.length > 0 && { signals }) },
    evidence_state: 'active',
    ...(geo && { geo }),
  };
};

const layoutOf = (format: LineFormat, more: Partial<LineLayout> = {}): LineLayout => ({
  format,
  address: format === 'ndjson' ? ['ip'] : 0,
  time: undefined,
  separator: format === 'tsv' ? 9 : 44,
  header: undefined,
  ...more,
});

function enricherOf(layout: LineLayout, form: OutputForm = 'same', fields = FIELDS): BlockEnricher {
  const text = suffixText(
    { format: outputFormat(layout, form), separator: form === 'csv' ? 44 : layout.separator },
    fields,
  );
  const verdicts = { documentOf, isInClass: () => false, classWords: new Uint32Array(2) };
  return new BlockEnricher({ layout, fields, form }, new VerdictSuffixes(verdicts, text, true));
}
const enriched = (text: string, layout: LineLayout, form?: OutputForm): string =>
  textOf(enricherOf(layout, form).enrich(bytesOf(text), true).bytes);

test('each format gets its fields in its own form', () => {
  const combined = '1.2.3.6 - - [22/Nov/2026:08:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "x"';
  assert.equal(
    enriched(`${combined}\r\nno address\n`, layoutOf('combined')),
    `${combined} "46" "active" "-" "=cmd"\r\nno address\n`,
  );
  assert.equal(
    enriched('ip,note\n1.2.3.6,"a\nb"\n-,x\n\n10.0.0.1,y', layoutOf('csv', { header: ['ip', 'note'] })),
    'ip,note,risk.score,evidence_state,risk.signals,geo.city\n1.2.3.6,"a\nb",46,active,,\'=cmd\n-,x,,,,\n\n10.0.0.1,y,,,,',
  );
  assert.equal(
    enriched('{"a":1,"ip":"1.2.3.5"} \n{"ip":"10.0.0.1"}\n{"a":1}\n', layoutOf('ndjson')),
    '{"a":1,"ip":"1.2.3.5","pulse":{"risk":{"score":45,"signals":["proxy","vpn"]},"evidence_state":"active","geo":{"city":null}}} \n' +
      '{"ip":"10.0.0.1","pulse":{"risk":{"score":null,"signals":null},"evidence_state":null,"geo":{"city":null}}}\n{"a":1}\n',
  );
  assert.equal(
    enriched('a 1.2.3.5 1.2.3.6\nb\n', layoutOf('any', { which: 'all' })),
    'a 1.2.3.5 1.2.3.6\t45\tactive\tproxy|vpn\t\na 1.2.3.5 1.2.3.6\t46\tactive\t\t=cmd\nb\n',
  );
  assert.equal(enriched('# list\n1.2.3.5\n', layoutOf('lines')), '# list\n1.2.3.5\t45\tactive\tproxy|vpn\t\n');
});

test('a column that the table has already is not added under the same name', () => {
  const header = ['ip', 'Risk.Score', 'geo.city', 'pulse.geo.city'];
  const names = `${header.join()},pulse.risk.score,evidence_state,risk.signals,pulse.pulse.geo.city`;
  const written = enriched(`${header.join()}\n1.2.3.5,a,b,c\n`, layoutOf('csv', { header }));
  assert.equal(written, `${names}\n1.2.3.5,a,b,c,45,active,proxy|vpn,\n`);
  const tsv = layoutOf('tsv', { header });
  assert.equal(enriched(`${header.join('\t')}\n`, tsv, 'csv'), `${names}\n`);
});

test('a `sep=;` line before the header is kept unchanged', () => {
  const text = 'sep=;\r\nname;ip\r\na;1.2.3.6\r\n';
  const layout = detectLayout(bytesOf(text));
  assert.ok(!(layout instanceof Fault));
  const cells = 'risk.score;evidence_state;risk.signals;geo.city';
  assert.equal(enriched(text, layout), `sep=;\r\nname;ip;${cells}\r\na;1.2.3.6;46;active;;'=cmd\r\n`);
});

test('a character that would end a word of a log or a cell is escaped', () => {
  const log = enriched('1.2.3.9 x\n'.replace('9', '13'), layoutOf('common'));
  assert.match(log, /^1\.2\.3\.13 x "/);
  const odd = suffixText({ format: 'combined', separator: 0 }, ['geo.city']);
  assert.equal(odd({ geo: { city: 'a"b\\c\n' } }), ' "a\\x22b\\x5Cc\\x0A"');
  assert.equal(suffixText({ format: 'lines', separator: 0 }, ['geo.city'])({ geo: { city: 'a\tb' } }), '\ta b');
});

/** Takes the fields off a record again. */
const STRIPPED: Readonly<Record<LineFormat, (record: string, original: string) => string>> = {
  common: (record) => record.replace(/(?: "[^"]*"){4}$/, ''),
  combined: (record) => record.replace(/(?: "[^"]*"){4}$/, ''),
  csv: (record) =>
    splitRow(record)
      .slice(0, -FIELDS.length)
      .map((cell) => csvCell(cell))
      .join(','),
  tsv: (record) => splitRow(record, '\t').slice(0, -FIELDS.length).join('\t'),
  ndjson: (record) => record.replace(/,"pulse":\{.*\}(\}\s*)$/, '$1'),
  lines: (record) => record.split('\t').slice(0, -FIELDS.length).join('\t'),
  any: (record) => record.split('\t').slice(0, -FIELDS.length).join('\t'),
};

describe('a file that is enriched and stripped of its fields is the file', () => {
  const ip = fc.oneof(fc.ipV4(), fc.ipV6());
  const word = fc.string({ unit: fc.constantFrom('a', 'é', '{', '}', ':', '7'), minLength: 1, maxLength: 5 });
  const RECORDS: Readonly<Record<LineFormat, fc.Arbitrary<string>>> = {
    common: fc.tuple(ip, word).map(([address, text]) => `${address} - - [${text}] "${text}" 1 2`),
    combined: fc.tuple(ip, word).map(([address, text]) => `${address} - - [${text}] "${text}" 1 2 "-" "${text}"`),
    csv: fc.tuple(ip, word).map(([address, text]) => `${address},"${text},"`),
    tsv: fc.tuple(ip, word).map(([address, text]) => `${address}\t${text}`),
    ndjson: fc
      .tuple(ip, word, fc.jsonValue())
      .map(([address, text, value]) => JSON.stringify({ [`k${text}`]: value, ip: address })),
    lines: ip,
    // An unspecified address is not taken for one.
    any: fc
      .tuple(
        ip.filter((text) => !/^[0:]+$/.test(text)),
        word,
      )
      .map(([address, text]) => `${text} <${address}> ${text}`),
  };
  for (const format of Object.keys(RECORDS) as LineFormat[])
    test(format, () => {
      fc.assert(
        fc.property(
          fc.array(RECORDS[format], { minLength: 1, maxLength: 20 }),
          fc.boolean(),
          (records, endsWithLine) => {
            const text = records.join('\n') + (endsWithLine ? '\n' : '');
            const { bytes, counts } = enricherOf(layoutOf(format)).enrich(bytesOf(text), true);
            const lines = textOf(bytes).split('\n');
            assert.deepEqual(
              lines.map((line, i) => (line === '' ? '' : STRIPPED[format](line, records[i]!))),
              text.split('\n'),
            );
            assert.deepEqual(
              [counts.records, counts.withoutAddress, counts.enriched + counts.refused],
              [records.length, 0, records.length],
            );
          },
        ),
        { numRuns: 60 },
      );
    });
});

test('bytes that are not UTF-8 stay as they are', () => {
  const block = Uint8Array.of(...bytesOf('1.2.3.5 '), 0xff, 0xfe, 10);
  assert.deepEqual(
    [...enricherOf(layoutOf('lines')).enrich(block, true).bytes.subarray(0, 10)],
    [...block.subarray(0, 10)],
  );
});

test('fields far longer than the records fit, in memory that is used again', () => {
  const long = {
    documentOf: () => ({ geo: { city: 'x'.repeat(3000) } }),
    isInClass: () => false,
    classWords: new Uint32Array(2),
  };
  const layout = layoutOf('lines');
  const fields: readonly FieldPath[] = ['geo.city'];
  const enricher = new BlockEnricher(
    { layout, fields, form: 'same' },
    new VerdictSuffixes(long, suffixText(layout, fields), true),
  );
  const text = '1.2.3.5\n5.6.7.8\n'.repeat(2000);
  const expected = text.replaceAll('\n', `\t${'x'.repeat(3000)}\n`);
  const first = enricher.enrich(bytesOf(text), true);
  assert.equal(textOf(first.bytes) === expected, true);
  const second = enricher.enrich(bytesOf('9.9.9.9\n'), false, first.memory);
  assert.equal(second.memory, first.memory);
  assert.equal(textOf(second.bytes), `9.9.9.9\t${'x'.repeat(3000)}\n`);
  assert.equal(first.counts.records, 4000);
});

test('texts that are all different are forgotten before they fill the memory', () => {
  const verdicts = {
    documentOf: (address: Address) => ({ ip: `${'x'.repeat(10_000)}${address.w0}` }),
    isInClass: () => false,
    classWords: new Uint32Array(2),
  };
  const suffixes = new VerdictSuffixes(verdicts, suffixText(layoutOf('lines'), ['ip']), true);
  for (let w0 = 0; w0 < 7500; w0++) {
    const number = suffixes.numberOf({ family: 4, w0, w1: 0, w2: 0, w3: 0 });
    const { store } = suffixes;
    assert.ok(store.size < 65 * 2 ** 20);
    assert.equal(
      textOf(store.bytes.subarray(store.starts[number + 1]! - 6, store.starts[number + 1])).endsWith(String(w0)),
      true,
    );
  }
});

describe('another form', () => {
  const csv = layoutOf('csv', { header: ['ip', 'note'] });
  test('of a table is objects with its columns, and of a log objects with its lines', () => {
    assert.equal(
      enriched('ip,note\n1.2.3.5,"a ""b"""\n-,c\n', csv, 'ndjson'),
      '{"ip":"1.2.3.5","note":"a \\"b\\"","pulse":{"risk":{"score":45,"signals":["proxy","vpn"]},"evidence_state":"active","geo":{"city":null}}}\n{"ip":"-","note":"c"}\n',
    );
    assert.match(
      enriched('1.2.3.5 - "x"\nnone\n', layoutOf('common'), 'ndjson'),
      /^\{"line":"1\.2\.3\.5 - \\"x\\"","pulse":\{.*\}\}\n\{"line":"none"\}\n$/,
    );
  });

  test('is a table with one row a line, in which no text is a formula', () => {
    assert.equal(
      enriched('1.2.3.6 - "x"\n=1+1\n', layoutOf('common'), 'csv'),
      'line,risk.score,evidence_state,risk.signals,geo.city\n"1.2.3.6 - ""x""",46,active,,\'=cmd\n\'=1+1,,,,\n',
    );
    assert.equal(
      enriched('ip\tnote\n1.2.3.5\ta,b\n', layoutOf('tsv', { header: ['ip', 'note'] }), 'csv').split('\n')[1],
      '1.2.3.5,"a,b",45,active,proxy|vpn,',
    );
    assert.equal(enriched('ip,note\n1.2.3.5,a\n', csv, 'csv'), enriched('ip,note\n1.2.3.5,a\n', csv));
  });
});

test('verdicts that were gathered give the same as verdicts at hand', () => {
  const text = '1.2.3.5\n2a00:1::1\n10.0.0.1\n1.2.3.5\nx\n';
  const layout = layoutOf('lines');
  const suffixes = new GatheredSuffixes(suffixText(layout, FIELDS));
  const missing = suffixes.missing(bytesOf(text), layout);
  assert.deepEqual(missing.map(formatAddress), ['1.2.3.5', '2a00:1::1', '10.0.0.1']);
  suffixes.take(missing, missing.map(documentOf));
  assert.deepEqual(suffixes.missing(bytesOf(text), layout), []);
  const { bytes, counts } = new BlockEnricher({ layout, fields: FIELDS, form: 'same' }, suffixes).enrich(
    bytesOf(text),
    true,
  );
  assert.equal(textOf(bytes), enriched(text, layout));
  assert.deepEqual(counts, { records: 5, enriched: 3, refused: 1, withoutAddress: 1, doubt: [] });
});

test('addresses that take each other’s place in memory keep their own fields', () => {
  const addresses = Array.from(
    { length: 20_000 },
    (_, i) => `${1 + (i % 9)}.${i & 255}.${(i >>> 8) & 255}.${(i * 7) & 255}`,
  );
  const text = [...addresses, ...addresses].join('\n');
  const lines = enriched(text, layoutOf('lines')).split('\n');
  const expected = new Map(addresses.slice(0, 300).map((ip) => [ip, enriched(ip, layoutOf('lines'))]));
  for (const [i, ip] of [...addresses, ...addresses].entries())
    if (expected.has(ip)) assert.equal(lines[i], expected.get(ip));
});
