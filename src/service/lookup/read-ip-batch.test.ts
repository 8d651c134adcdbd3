import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { covers } from '../../../test/spec/covers.ts';
import { hostileJson } from '../../../test/support/hostile-json.ts';
import { unixMs } from '../../core/units.ts';
import { Problem } from '../problem.ts';
import { type IpBatch, type IpBatchBody, readIpBatch } from './read-ip-batch.ts';

const NOW = unixMs(Date.UTC(2026, 10, 22, 12));
const read = (form: IpBatchBody['form'], text: string, takesMoment = true) =>
  readIpBatch({ form, bytes: Buffer.from(text) }, { takesMoment, now: NOW });
const inputsOf = ({ addresses, inputAt }: IpBatch) => Array.from({ length: addresses.count }, (_, i) => inputAt(i));
const parsedOf = ({ addresses }: IpBatch) =>
  Array.from({ length: addresses.count }, (_, i) => ({ kind: addresses.kinds[i], address: addresses.at(i) }));
const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    return error.code;
  }
  return 'ok';
};
const refusal = (...sent: Parameters<typeof read>): string => codeOf(() => read(...sent));

test('a document and lines of the same addresses are one batch', () => {
  const ips = ['8.8.8.8', 'x', '2001:4860::1', '10.0.0.1', ' 8.8.8.8', '8.8.8.8'];
  const batch = read('json', JSON.stringify({ ips }));
  assert.deepEqual(inputsOf(batch), ips);
  assert.deepEqual([...batch.addresses.kinds.subarray(0, ips.length)], [4, 0, 6, 1, 0, 4]);
  assert.deepEqual([batch.addresses.readable, batch.moment], [3, undefined]);
  for (const end of ['\n', '\r\n', '\r'])
    for (const last of ['', end, end + end]) {
      const lines = read('lines', ips.join(end) + last);
      assert.deepEqual([inputsOf(lines), parsedOf(lines)], [ips, parsedOf(batch)]);
    }
});

test('a byte order mark, with which editors begin a text, is no part of the first address', () => {
  const ips = ['8.8.8.8', '1.1.1.1'];
  assert.deepEqual(inputsOf(read('lines', `\ufeff${ips.join('\r\n')}`)), ips);
  assert.deepEqual(inputsOf(read('json', `\ufeff${JSON.stringify({ ips })}`)), ips);
  assert.equal(refusal('lines', '\ufeff'), 'bad_request');
});

test('JSON that is sent as text is refused with the type it needs, and never read as lines', () => {
  covers('REST-JSON-TYPE');
  for (const text of ['{"ips":["8.8.8.8"]}', ' {\n "ips": []}', '["8.8.8.8"]', '\uFEFF{"ips":[]}', '{}', '[]'])
    assert.equal(refusal('lines', text), 'unsupported_media_type', text);
  for (const text of ['[::1]', '{8.8.8.8}', '8.8.8.8\n{"a":1}']) assert.equal(refusal('lines', text), 'ok', text);
});

const space = fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 2 });
const textBodies = fc.array(
  fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('"', '\\', '\u007f', '\u2028', '8.8.8.8\n'),
  ),
  {
    minLength: 1,
    maxLength: 8,
  },
);
const escapeOf = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
/** Bodies as senders write them: white space anywhere, escapes or none, further members. */
const bodies = fc
  .record({
    ips: textBodies,
    spaces: fc.array(space, { minLength: 9, maxLength: 9 }),
    escaped: fc.boolean(),
    more: fc.constantFrom('', ',"x":1', ',"ips":["1.1.1.1"]'),
  })
  .map(({ ips, spaces: [a, b, c, d, e, f, g, h, i], escaped, more }) => {
    const texts = ips.map((ip) => (escaped ? `"${ip.replace(/[\s\S]/g, escapeOf)}"` : JSON.stringify(ip)));
    return `${a}{${b}"ips"${c}:${d}[${e}${texts.join(`${f},${g}`)}${h}]${more}${i}}${a}`;
  });

test('a body is read as by JSON.parse, however it is written; broken anywhere, it is refused as by JSON.parse', () => {
  fc.assert(
    fc.property(bodies, fc.nat(), fc.constantFrom('', '"', ']', '{', 'é', '\u0000', '\\'), (body, cut, put) => {
      const { ips } = JSON.parse(body) as { readonly ips: readonly string[] };
      assert.deepEqual(inputsOf(read('json', body)), ips);
      const at = cut % body.length;
      const broken = body.slice(0, at) + put + body.slice(at + 1);
      const expected = partsOf(broken);
      if (expected === undefined) assert.equal(refusal('json', broken), 'bad_request', broken);
      else assert.deepEqual(inputsOf(read('json', broken)), expected, broken);
    }),
    { numRuns: 1000 },
  );
});

/** The texts of a sound body; undefined for any other. */
function partsOf(body: string): readonly string[] | undefined {
  try {
    const { ips, at } = JSON.parse(Buffer.from(body).toString()) as { readonly ips?: unknown; readonly at?: unknown };
    return at === undefined && Array.isArray(ips) && ips.length > 0 && ips.every((ip) => typeof ip === 'string')
      ? ips
      : undefined;
  } catch {
    return undefined;
  }
}

test('lines are those of a split, in any bytes', () => {
  const unit = fc.oneof(fc.constantFrom(10, 13, 49, 46, 0xc3, 0xa9, 0xff), fc.nat(255));
  fc.assert(
    fc.property(
      fc
        .uint8Array({ maxLength: 40 })
        .chain((some) => fc.array(unit, { maxLength: 40 }).map((more) => Buffer.from([...some, ...more]))),
      (bytes) => {
        // A text that begins as JSON does is refused whole.
        fc.pre(!/^\s*[{[]/.test(bytes.toString('latin1')));
        const text = bytes.toString().replace(/^\ufeff/, '');
        const expected = text
          .split(text.includes('\n') ? '\n' : '\r')
          .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
          .filter((line) => line !== '');
        const act = () => readIpBatch({ form: 'lines', bytes }, { takesMoment: true, now: NOW });
        if (expected.length === 0) assert.equal(codeOf(act), 'bad_request');
        else assert.deepEqual(inputsOf(act()), expected);
      },
    ),
    { numRuns: 1000 },
  );
});

test('one to a thousand addresses are a batch, whatever they are', () => {
  const of = (count: number) => Array.from({ length: count }, () => 'x');
  for (const [count, code] of [
    [0, 'bad_request'],
    [1, 'ok'],
    [1000, 'ok'],
    [1001, 'payload_too_large'],
  ] as const) {
    assert.equal(refusal('json', JSON.stringify({ ips: of(count) })), code, `${count}`);
    assert.equal(refusal('lines', of(count).join('\n')), code, `${count} lines`);
  }
});

test('a body that is not a batch is refused whole', () => {
  assert.equal(
    codeOf(() => readIpBatch(undefined, { takesMoment: true, now: NOW })),
    'bad_request',
  );
  for (const text of [
    '',
    '{',
    '[]',
    'null',
    '1',
    '"8.8.8.8"',
    '{}',
    '{"ips":"8.8.8.8"}',
    '{"ips":{"length":1}}',
    '{"ips":["8.8.8.8",1]}',
    '{"ips":[null]}',
    '{"__proto__":{"ips":["8.8.8.8"]}}',
  ])
    assert.equal(refusal('json', text), 'bad_request', text);
});

test('at is a moment that is not in the future, and belongs to the professional batch', () => {
  const at =
    (value: unknown, takesMoment = true) =>
    () =>
      read('json', JSON.stringify({ ips: ['8.8.8.8'], at: value }), takesMoment);
  assert.equal(at('2026-11-20T08:00:00+08:00')().moment, Date.UTC(2026, 10, 20));
  assert.equal(at(new Date(NOW).toISOString())().moment, NOW);
  for (const wrong of [
    '',
    'yesterday',
    '2026-11-20',
    new Date(NOW + 1).toISOString(),
    1,
    null,
    ['2026-11-20T00:00:00Z'],
    {},
  ])
    assert.equal(codeOf(at(wrong)), 'invalid_time', String(wrong));
  assert.equal(codeOf(at('2026-11-20T00:00:00Z', false)), 'bad_request');
});

test('any document is a batch or a refusal, never another fault', () => {
  fc.assert(
    fc.property(hostileJson, hostileJson, (ips, at) => {
      for (const body of [ips, { ips }, { ips: [ips] }, { ips: ['8.8.8.8'], at }])
        codeOf(() => read('json', JSON.stringify(body) ?? ''));
    }),
  );
  for (const depth of [10_000, 500_000]) assert.equal(refusal('json', '['.repeat(depth)), 'bad_request');
});
