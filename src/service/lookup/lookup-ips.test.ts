import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { covers } from '../../../test/spec/covers.ts';
import { compileGeo } from '../../../test/support/compile-geo.ts';
import { FIXED_SEED } from '../../../test/support/fixed-seed.ts';
import { syntheticGeo } from '../../../test/support/synthetic-geo.ts';
import { ERRORS } from '../../contract/errors.ts';
import { RISK_TYPES } from '../../contract/risk.ts';
import type { Observation } from '../../core/evidence/observation.ts';
import type { Address } from '../../core/ip/address.ts';
import { parseAddress } from '../../core/ip/parse-address.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { ByteWriter } from '../../core/kit/byte-writer.ts';
import { DAY_MS, HOUR_MS, type UnixMs, unixMs } from '../../core/units.ts';
import { createDataView } from '../../engine/create-data-view.ts';
import { EvidenceBuilder } from '../../engine/evidence/evidence-builder.ts';
import { type LiveSource, NO_POSITION, ROW_OP } from '../../engine/evidence/evidence-delta.ts';
import { openEvidence } from '../../engine/evidence/evidence-image.ts';
import { EvidenceRowBuffer } from '../../engine/evidence/evidence-row-buffer.ts';
import { LiveEvidence } from '../../engine/evidence/live-evidence.ts';
import { openGeo } from '../../engine/geo/geo-image.ts';
import type { LookupView } from '../ports.ts';
import { Problem } from '../problem.ts';
import { lookupIp } from './lookup-ip.ts';
import { type IpBatchAnswer, type IpBatchOutput, lookupIps, lookupPulseBatch } from './lookup-ips.ts';
import { PulseLookup } from './lookup-pulse.ts';
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

/** Addresses whose last byte names the data about them: nothing, a place, a network, fresh or old evidence. */
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
    {
      form: 'json',
      bytes: Buffer.from(JSON.stringify({ ips, ...(at !== undefined && { at: new Date(at).toISOString() }) })),
    },
    { takesMoment: true, now: NOW },
  );

/** One for all batches, as a server uses it. */
const writer = new ByteWriter(64);
const asDocument: IpBatchOutput = { form: 'document', writer };
const asLines: IpBatchOutput = { form: 'lines', writer };
const textOf = ({ bytes }: IpBatchAnswer): string => Buffer.from(bytes).toString();
const itemsOf = (answer: IpBatchAnswer): readonly string[] => textOf(answer).split('\n').slice(0, -1);

const refusal = (ip: string, code: 'invalid_ip' | 'reserved_ip'): string =>
  JSON.stringify({ ip, error: { code, message: ERRORS[code].message } });
const unknown = (ip: string): string =>
  JSON.stringify({ ip, error: { code: 'not_found', message: 'No record for this address.' } });

/** Items of a batch, from the lookup of each address by itself. */
function expectedItems(ips: readonly string[], single: (address: Address) => string | undefined): readonly string[] {
  return ips.map((ip) => {
    const parsed = parseAddress(ip);
    if (parsed.status === 'ok') return single(parsed.address) ?? unknown(ip);
    return refusal(ip, parsed.status === 'reserved' ? 'reserved_ip' : 'invalid_ip');
  });
}

/** Both forms of an answer, against its items. */
async function assertItems(
  answer: (output: IpBatchOutput) => Promise<IpBatchAnswer>,
  expected: readonly string[],
  degraded: boolean,
): Promise<void> {
  const verdicts = expected.filter((text) => !text.includes('"error":')).length;
  const lines = await answer(asLines);
  assert.deepEqual(itemsOf(lines), expected);
  const document = await answer(asDocument);
  assert.equal(
    textOf(document),
    `{"count":${expected.length},"billable":${verdicts},"results":[${expected.join(',')}]}`,
  );
  for (const { billable, degraded: isDegraded } of [lines, document])
    assert.deepEqual([billable, isDegraded], [verdicts, degraded && verdicts > 0]);
}

test('an item is the body of the single lookup at that instant, byte for byte, or the input with its error', async () => {
  await fc.assert(
    fc.asyncProperty(batches, async (ips) => {
      const expected = expectedItems(ips, (address) => lookupIp(view, address, NOW));
      await assertItems((output) => lookupIps(batchOf(ips), view, NOW, output), expected, true);
    }),
    { numRuns: 20 },
  );
});

const PROXY = RISK_TYPES.indexOf('proxy');
const OSINT = RISK_TYPES.indexOf('osint');

/** Captures in rows: kind and age in a prefix. */
function rowsOf(rows: readonly (readonly [prefix: string, op: number, type: number, ageMs: number])[], source: number) {
  const buffer = new EvidenceRowBuffer();
  for (const [text, op, type, ageMs] of rows) {
    const { family, w0, w1, w2, w3, bits } = parsePrefix(text)!;
    buffer.row(buffer.prefix(family, w0, w1, w2, w3, bits), op, source, type, 0, NOW - ageMs, 1);
  }
  return buffer;
}

/**
 * An image with captures of single addresses and prefixes, and changes since: one source's rows of 8.8.8.9
 * are gone, 5.5.5.0/25 was added.
 */
function liveEvidence(): LiveEvidence {
  const source: LiveSource = { id: 'a', family: 'a', lastRunAt: NOW, runDays: 1 };
  const builder = new EvidenceBuilder();
  const { fixed, clear } = ROW_OP;
  const rows = rowsOf(
    [
      ['1.2.3.0/24', fixed, PROXY, HOUR_MS],
      ['1.2.200.0/24', fixed, PROXY, 400 * DAY_MS],
      ['1.2.200.7/32', fixed, PROXY, 400 * DAY_MS],
      ['77.1.2.0/25', fixed, OSINT, HOUR_MS],
      ['8.8.8.9/32', fixed, OSINT, HOUR_MS],
      ['2001:4860::/116', fixed, PROXY, 2 * HOUR_MS],
      ['2a00:1::5/128', fixed, OSINT, HOUR_MS],
    ],
    builder.source(source),
  );
  builder.add(rows.columns());
  const image = builder.compile({ dataVersion: 'r1', builtAt: NOW, ...NO_POSITION }, FIXED_SEED);
  const live = new LiveEvidence(openEvidence(image.buffer), FIXED_SEED);
  const changes = rowsOf(
    [
      ['8.8.8.9/32', clear, 0, 0],
      ['5.5.5.0/25', fixed, PROXY, HOUR_MS],
    ],
    0,
  );
  live.applyDelta({
    ...changes.columns(),
    ...NO_POSITION,
    sequence: 1,
    dataVersion: 'r2',
    sources: [source],
    pools: [''],
  });
  return live;
}

/** A world of one block, 8.8.0.0/16, in a network of this number. */
function oneNetwork(asn: number): LookupView {
  const nothing6 = { family: 6, count: 1, starts: new Uint32Array(4), ids: new Uint32Array(1) } as const;
  const ranges4 = {
    family: 4,
    count: 3,
    starts: Uint32Array.of(0, 0x08080000, 0x08090000),
    ids: Uint32Array.of(0, 1, 0),
  } as const;
  const nothing = {
    asn: 0,
    usageType: '',
    hosting: false,
    mobile: false,
    crawler: false,
    relay: false,
    anycast: false,
  };
  const place = { ranges4, ranges6: nothing6, records: ['', '{"country":"US"}'] };
  const network = { ranges4, ranges6: nothing6, records: [nothing, { ...nothing, asn }] };
  return createDataView(
    openGeo(compileGeo({ meta: { dataVersion: 'g', builtAt: NOW, sources: [] }, place, network }).buffer),
    liveEvidence(),
    false,
  );
}

const pulseOf = (history: ConstructorParameters<typeof PulseLookup>[0]['history']) =>
  new PulseLookup({ history, secret: new Uint8Array(32) });

/**
 * Addresses inside and outside the blocks of the synthetic world, of networks with and without places, and
 * with captures of every age.
 */
const inTheWorld = fc.oneof(
  fc
    .constantFrom('8.8.8.', '1.2.3.', '1.2.200.', '5.5.5.', '13.0.0.', '9.9.9.', '11.0.0.', '77.1.2.')
    .chain((net) => fc.nat(255).map((host) => net + host)),
  fc.nat(0xffff).map((group) => `2001:4860::${group.toString(16)}`),
  fc.nat(0xffff).map((group) => `2a00:1::${group.toString(16)}`),
  inputs,
);

/** One for every state and every refusal. */
const ONE_OF_EACH = ['1.2.3.4', '1.2.200.9', '8.8.8.1', '9.9.9.9', '2a00:2::1', '10.0.0.1', 'nonsense'];

test('so it is for an image that is read in bulk, with captures and without, for both documents', async () => {
  for (const degraded of [false, true]) {
    const world = createDataView(openGeo(syntheticGeo().buffer as ArrayBuffer), liveEvidence(), degraded);
    assert.ok(world.bulk !== undefined);
    const states = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(inTheWorld, { minLength: 1, maxLength: 700, size: 'max' }),
        fc.boolean(),
        async (ips, dpa) => {
          const batch = batchOf(ips);
          const basic = expectedItems(ips, (address) => lookupIp(world, address, NOW));
          await assertItems((output) => lookupIps(batch, world, NOW, output), basic, degraded);
          const pulse = pulseOf(undefined);
          const question = { view: world, account: { id: 'acc_1', dpa }, now: NOW };
          const professional = expectedItems(ips, (address) => pulse.lookupNow({ ...question, address })?.json);
          await assertItems((output) => lookupPulseBatch(batch, pulse, question, output), professional, degraded);
          for (const text of basic) states.add(/"(?:evidence_state|code)":"(\w+)"/.exec(text)![1]!);
        },
      ),
      { numRuns: 15, examples: [[ONE_OF_EACH, true]] },
    );
    assert.deepEqual([...states].sort(), ['active', 'invalid_ip', 'none', 'not_found', 'reserved_ip', 'stale']);
  }
});

test('an image that replaces another is not answered from the heads of that one', async () => {
  const [before, after] = [oneNetwork(64_500), oneNetwork(64_999)];
  for (const world of [before, after, before]) {
    const expected = expectedItems(['8.8.8.77'], (address) => lookupIp(world, address, NOW));
    assert.ok(expected[0]!.includes(world === after ? '64999' : '64500'));
    await assertItems((output) => lookupIps(batchOf(['8.8.8.77']), world, NOW, output), expected, false);
  }
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
  const pulse = pulseOf(history);
  const question = { view, account: { id: 'acc_1', dpa: true }, now: NOW };
  await fc.assert(
    fc.asyncProperty(batches, fc.boolean(), async (ips, past) => {
      const batch = batchOf(ips, past ? PAST : undefined);
      const answer = await lookupPulseBatch(batch, pulse, question, asLines);
      const items = itemsOf(answer);
      for (const [i, ip] of ips.entries()) {
        const parsed = parseAddress(ip);
        if (parsed.status !== 'ok') assert.match(items[i]!, /"code":"(?:invalid|reserved)_ip"/);
        else if (past && parsed.address.family === 6) assert.match(items[i]!, /"code":"history_no_ipv6"/);
        else {
          const single = await pulse.lookup({ ...question, address: parsed.address, moment: batch.moment });
          assert.equal(items[i], single?.json ?? unknown(ip));
        }
      }
      assert.equal(answer.billable, items.filter((text) => !text.includes('"error":')).length);
    }),
    { numRuns: 20 },
  );
  assert.ok(asked > 100, `${asked} questions to history`);
});

const pulseWith =
  (history: ConstructorParameters<typeof PulseLookup>[0]['history']) => (ips: readonly string[], at: UnixMs) =>
    lookupPulseBatch(
      batchOf(ips, at),
      pulseOf(history),
      { view, account: { id: 'acc_1', dpa: true }, now: NOW },
      asLines,
    );
const codesOf = (items: readonly string[]): readonly string[] =>
  items.map((text) => (JSON.parse(text) as { error?: { code: string } }).error?.code ?? 'ok');

test('a refusal of history is the error of each item it concerns, and none of it is charged', async () => {
  const ips = ['1.0.0.4', '2001:4860::4', 'x'];
  const tooEarly = pulseWith({
    earliest: () => NOW,
    leftOutAt: () => undefined,
    observationsAt: () => assert.fail('was asked'),
  });
  const early = await tooEarly(ips, PAST);
  const items = itemsOf(early);
  assert.deepEqual(codesOf(items), ['at_out_of_window', 'history_no_ipv6', 'invalid_ip']);
  assert.match(items[0]!, /"window_from":"2026-11-22T12:00:00.007Z"/);
  const off = await pulseWith(undefined)(ips, PAST);
  assert.deepEqual(codesOf(itemsOf(off)), ['history_not_enabled', 'history_not_enabled', 'invalid_ip']);
  assert.deepEqual([early.billable, off.billable, early.degraded], [0, 0, false]);
});

test('a history that cannot be read refuses the batch', async () => {
  const broken = {
    earliest: () => unixMs(0),
    leftOutAt: () => undefined,
    observationsAt: () => Promise.reject(new Error('disk')),
  };
  await assert.rejects(
    pulseWith(broken)(['1.0.0.4'], PAST),
    (error) => error instanceof Problem && error.code === 'history_unavailable',
  );
});

test('a refused text comes back up to 64 characters, whatever it holds and in both forms', async () => {
  covers('NO-ECHO');
  const long = ['x'.repeat(1024 * 1024 - 100), `\u0000${'"'.repeat(500_000)}`, '1'.repeat(65)];
  for (const form of [asLines, asDocument]) {
    const { bytes } = await lookupIps(batchOf(long), view, NOW, form);
    assert.ok(bytes.length < 2048, String(bytes.length));
    const text = new TextDecoder().decode(bytes);
    for (const input of long) assert.ok(text.includes(`{"ip":${JSON.stringify(`${input.slice(0, 64)}…`)},"error"`));
  }
  const short = 'y'.repeat(64);
  const { bytes } = await lookupIps(batchOf([short]), view, NOW, asLines);
  assert.match(new TextDecoder().decode(bytes), /"ip":"y{64}",/);
});
