import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ERRORS } from '../contract/errors.ts';
import type { Observation } from '../core/evidence/observation.ts';
import type { Address } from '../core/ip/address.ts';
import { DAY_MS, HOUR_MS, type UnixMs, unixMs } from '../core/units.ts';
import { lookupIp } from './lookup-ip.ts';
import { batchDocument, batchLines, lookupIps, lookupPulses } from './lookup-ips.ts';
import { PulseLookup } from './lookup-pulse.ts';
import type { LookupView } from './ports.ts';
import { Problem } from './problem.ts';
import { type IpBatch, readIpBatch } from './read-ip-batch.ts';

const NOW = unixMs(Date.UTC(2026, 10, 22, 12, 0, 0, 7));
const PAST = unixMs(NOW - 3 * DAY_MS);
const seen = (ageMs: number, from: UnixMs = NOW): Observation => ({
  riskType: 'proxy',
  source: 'a',
  family: 'a',
  capturedAt: unixMs(from - ageMs),
  days: 0b101,
  prefixBits: 32,
  pools: ['vendor'],
});

/** Addresses whose last byte says what is known of them: nothing, a place, a network, fresh or old evidence. */
const kind = ({ w0, w3, family }: Address): number => (family === 4 ? w0 : w3) % 5;
const view: LookupView = {
  dataVersion: { risk: 'r1', geo: 'g1' },
  degraded: true,
  protection: undefined,
  geoJson: (address) => (kind(address) === 1 ? '{"country":"DE","city":"Köln"}' : undefined),
  network: (address) => ({
    json: kind(address) === 2 ? '{"asn":64500}' : undefined,
    asn: undefined,
    usageType: undefined,
    hosting: kind(address) === 2,
    mobile: false,
    crawler: false,
    relay: false,
  }),
  observations: (address) => (kind(address) < 3 ? [] : [seen(kind(address) === 3 ? HOUR_MS : 40 * DAY_MS)]),
};

const inputs = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), fc.constantFrom('10.0.0.1', '::1', '"\\\u0000', '\ud800'));
const batches = fc.array(inputs, { minLength: 1, maxLength: 600, size: 'max' });
const batchOf = (ips: readonly string[], at?: UnixMs): IpBatch =>
  readIpBatch(
    { form: 'json', bytes: Buffer.from(JSON.stringify({ ips, ...(at !== undefined && { at: new Date(at).toISOString() }) })) },
    { takesMoment: true, now: NOW },
  );

const refusal = (ip: string, code: 'invalid_ip' | 'reserved_ip'): string => JSON.stringify({ ip, error: { code, message: ERRORS[code].message } });
const unknown = (ip: string): string => JSON.stringify({ ip, error: { code: 'not_found', message: 'No record for this address.' } });

test('an item is the body of the single look-up at that instant, byte for byte, or the input with its error', async () => {
  await fc.assert(
    fc.asyncProperty(batches, async (ips) => {
      const batch = batchOf(ips);
      const answer = await lookupIps(batch, view, NOW);
      const expected = batch.parsed.map((parsed, i) => {
        const ip = batch.inputs[i]!;
        if (parsed.status !== 'ok') return refusal(ip, parsed.status === 'reserved' ? 'reserved_ip' : 'invalid_ip');
        return lookupIp(view, parsed.address, NOW) ?? unknown(ip);
      });
      assert.deepEqual(answer.items, expected);
      const verdicts = expected.filter((text) => !text.includes('"error":')).length;
      assert.deepEqual([answer.billable, answer.degraded], [verdicts, verdicts > 0]);
      assert.equal(String(batchDocument(answer)), `{"count":${ips.length},"billable":${verdicts},"results":[${expected.join(',')}]}`);
      assert.deepEqual(String(batchLines(answer)).split('\n'), [...expected, '']);
      assert.equal((JSON.parse(String(batchDocument(answer))) as { results: unknown[] }).results.length, ips.length);
    }),
    { numRuns: 20 },
  );
});

test('so it is with evidence, now and of the past', async () => {
  let asked = 0;
  const history = {
    earliest: () => unixMs(NOW - 20 * DAY_MS),
    leftOutAt: () => undefined,
    observationsAt: async (address: Address) => {
      asked++;
      return kind(address) === 4 ? [seen(HOUR_MS, PAST)] : [];
    },
  };
  const pulse = new PulseLookup({ history, secret: new Uint8Array(32) });
  const question = { view, account: { id: 'acc_1', dpa: true }, now: NOW };
  await fc.assert(
    fc.asyncProperty(batches, fc.boolean(), async (ips, past) => {
      const batch = batchOf(ips, past ? PAST : undefined);
      const answer = await lookupPulses(batch, pulse, question);
      for (const [i, parsed] of batch.parsed.entries()) {
        if (parsed.status !== 'ok') assert.match(answer.items[i]!, /"code":"(?:invalid|reserved)_ip"/);
        else if (past && parsed.address.family === 6) assert.match(answer.items[i]!, /"code":"history_no_ipv6"/);
        else {
          const single = await pulse.lookup({ ...question, address: parsed.address, moment: batch.moment });
          assert.equal(answer.items[i], single?.json ?? unknown(batch.inputs[i]!));
        }
      }
      assert.equal(answer.billable, answer.items.filter((text) => !text.includes('"error":')).length);
    }),
    { numRuns: 20 },
  );
  assert.ok(asked > 100, `${asked} questions to history`);
});

const pulseWith = (history: ConstructorParameters<typeof PulseLookup>[0]['history']) => {
  const pulse = new PulseLookup({ history, secret: new Uint8Array(32) });
  return (ips: readonly string[], at: UnixMs) => lookupPulses(batchOf(ips, at), pulse, { view, account: { id: 'acc_1', dpa: true }, now: NOW });
};
const codesOf = (items: readonly string[]): readonly string[] => items.map((text) => (JSON.parse(text) as { error?: { code: string } }).error?.code ?? 'ok');

test('what history refuses is the error of each item it concerns, and none of it is charged', async () => {
  const ips = ['1.0.0.4', '2001:4860::4', 'x'];
  const tooEarly = pulseWith({ earliest: () => NOW, leftOutAt: () => undefined, observationsAt: () => assert.fail('was asked') });
  const early = await tooEarly(ips, PAST);
  assert.deepEqual(codesOf(early.items), ['at_out_of_window', 'history_no_ipv6', 'invalid_ip']);
  assert.match(early.items[0]!, /"window_from":"2026-11-22T12:00:00.007Z"/);
  const off = await pulseWith(undefined)(ips, PAST);
  assert.deepEqual(codesOf(off.items), ['history_not_enabled', 'history_not_enabled', 'invalid_ip']);
  assert.deepEqual([early.billable, off.billable, early.degraded], [0, 0, false]);
});

test('a history that cannot be read refuses the batch', async () => {
  const broken = { earliest: () => unixMs(0), leftOutAt: () => undefined, observationsAt: () => Promise.reject(new Error('disk')) };
  await assert.rejects(pulseWith(broken)(['1.0.0.4'], PAST), (error) => error instanceof Problem && error.code === 'history_unavailable');
});
