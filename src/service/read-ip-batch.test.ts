import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hostileJson } from '../../test/support/hostile-json.ts';
import { unixMs } from '../core/units.ts';
import { Problem } from './problem.ts';
import { type IpBatchBody, readIpBatch } from './read-ip-batch.ts';

const NOW = unixMs(Date.UTC(2026, 10, 22, 12));
const read = (form: IpBatchBody['form'], text: string, takesMoment = true) => readIpBatch({ form, bytes: Buffer.from(text) }, { takesMoment, now: NOW });
const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    return error.code;
  }
  return 'ok';
};

test('a document and lines of the same addresses are one batch', () => {
  const ips = ['8.8.8.8', 'x', '2001:4860::1', '10.0.0.1', ' 8.8.8.8', '8.8.8.8'];
  const batch = read('json', JSON.stringify({ ips }));
  assert.deepEqual(batch.inputs, ips);
  assert.deepEqual(
    batch.parsed.map(({ status }) => status),
    ['ok', 'invalid', 'ok', 'reserved', 'invalid', 'ok'],
  );
  assert.deepEqual([batch.readable, batch.moment], [3, undefined]);
  for (const end of ['\n', '\r\n']) for (const last of ['', end, end + end]) assert.deepEqual(read('lines', ips.join(end) + last), batch);
});

test('one to a thousand addresses are a batch, whatever they are', () => {
  const of = (count: number) => Array.from({ length: count }, () => 'x');
  for (const [count, code] of [
    [0, 'bad_request'],
    [1, 'ok'],
    [1000, 'ok'],
    [1001, 'payload_too_large'],
  ] as const) {
    assert.equal(
      codeOf(() => read('json', JSON.stringify({ ips: of(count) }))),
      code,
      `${count}`,
    );
    assert.equal(
      codeOf(() => read('lines', of(count).join('\n'))),
      code,
      `${count} lines`,
    );
  }
});

test('what is not a batch is refused whole', () => {
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
    assert.equal(
      codeOf(() => read('json', text)),
      'bad_request',
      text,
    );
});

test('at is a moment that is not in the future, and belongs to the professional batch', () => {
  const at =
    (value: unknown, takesMoment = true) =>
    () =>
      read('json', JSON.stringify({ ips: ['8.8.8.8'], at: value }), takesMoment);
  assert.equal(at('2026-11-20T08:00:00+08:00')().moment, Date.UTC(2026, 10, 20));
  assert.equal(at(new Date(NOW).toISOString())().moment, NOW);
  for (const wrong of ['', 'yesterday', '2026-11-20', new Date(NOW + 1).toISOString(), 1, null, ['2026-11-20T00:00:00Z'], {}])
    assert.equal(codeOf(at(wrong)), 'invalid_time', String(wrong));
  assert.equal(codeOf(at('2026-11-20T00:00:00Z', false)), 'bad_request');
});

test('any document is a batch or a refusal, never another fault', () => {
  fc.assert(
    fc.property(hostileJson, hostileJson, (ips, at) => {
      for (const body of [ips, { ips }, { ips: [ips] }, { ips: ['8.8.8.8'], at }]) codeOf(() => read('json', JSON.stringify(body) ?? ''));
    }),
  );
  for (const depth of [10_000, 500_000])
    assert.equal(
      codeOf(() => read('json', '['.repeat(depth))),
      'bad_request',
    );
});
