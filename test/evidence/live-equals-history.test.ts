import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { SqliteHistory } from '../../src/adapters/history/sqlite/history.ts';
import { RISK_TYPES } from '../../src/contract/risk.ts';
import { DERIVATION_RULES } from '../../src/core/collection/derive/derivation-rules.ts';
import { CaptureBatchBuilder } from '../../src/core/evidence/capture-batch-builder.ts';
import type { EvidenceSource, Observation } from '../../src/core/evidence/observation.ts';
import { parseAnyAddress } from '../../src/core/ip/parse-address.ts';
import { parsePrefix } from '../../src/core/ip/prefix.ts';
import { compilePeriods, PrefixPeriods } from '../../src/core/ip/prefix-periods.ts';
import { knownGoodCapOf } from '../../src/core/risk/known-good.ts';
import { SCORE_PARAMETERS } from '../../src/core/risk/parameters.ts';
import { verdict as judge, type Verdict } from '../../src/core/risk/verdict.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type UnixMs, unixMs } from '../../src/core/units.ts';
import { emptyEvidence } from '../../src/engine/evidence/empty-evidence.ts';
import { type EvidenceDelta, NO_POSITION } from '../../src/engine/evidence/evidence-delta.ts';
import { openEvidence, verifyEvidence } from '../../src/engine/evidence/evidence-image.ts';
import { LiveEvidence } from '../../src/engine/evidence/live-evidence.ts';
import { compileEvidence, mergeEvidenceSince } from '../../src/service/compile/compile-evidence.ts';
import { EvidenceFollower } from '../../src/service/compile/evidence-follower.ts';
import { FIXED_SEED } from '../support/fixed-seed.ts';
import { swapImage } from '../support/swap-image.ts';

const START = unixMs(Date.UTC(2026, 5, 1));
const NETWORK = { usageType: 'DYN', hosting: false, mobile: false, crawler: false, relay: false };

/**
 * One address is known good from the middle of the longest story on, so that both answers take the table as
 * of the moment.
 */
const KNOWN_GOOD = new PrefixPeriods(
  compilePeriods([
    {
      prefix: parsePrefix('198.14.0.2/32')!,
      from: unixMs(START + 20 * DAY_MS),
      held: { id: 'x', what: 'x', source: 'x', seen: '2026-06-21' },
    },
  ]),
);
const verdict = (observations: readonly Observation[], ip: string, at: UnixMs): Verdict => {
  const shield = knownGoodCapOf(
    {
      knownGood: (address, then) => KNOWN_GOOD.find(address, then),
      isOwn: (source) => source === 'trap' || source === 'derived',
    },
    parseAnyAddress(ip)!,
  );
  return judge(observations, NETWORK, 4, at, SCORE_PARAMETERS, shield);
};

const SOURCES: readonly EvidenceSource[] = [
  { id: 'proxies', family: 'proxies', mode: 'listing', riskType: 'proxy' },
  { id: 'exits', family: 'tor', mode: 'listing', riskType: 'vpn', pool: 'tor', sharedBy: 'tor' },
  { id: 'threats', family: 'threats', mode: 'listing', riskType: 'osint' },
  { id: 'reports', family: 'proxies', mode: 'appearance', riskType: 'osint' },
  { id: 'ipsum', family: 'ipsum', mode: 'listing', riskType: 'osint' },
  { id: 'cins', family: 'cins', mode: 'listing', riskType: 'osint' },
  { id: 'trap', family: 'trap', mode: 'events', riskType: 'honeypot_credential' },
  { id: 'own', family: 'own', mode: 'events' },
];
/** The sources whose captures can be taken back come more often than the others. */
const OFTEN = [SOURCES.length - 2, SOURCES.length - 1];
const ENTRIES = [
  '198.14.0.1',
  '198.14.0.2',
  '198.14.0.0/24',
  '198.14.0.0/22',
  '198.14.0.0/16',
  '45.9.9.9',
  '2a00:1:2:3::/64',
] as const;
const PROBES = ['198.14.0.1', '198.14.0.2', '198.14.0.3', '198.14.7.7', '45.9.9.9', '45.9.9.8'];

type Step =
  | {
      readonly do: 'accept';
      readonly source: number;
      readonly entries: readonly number[];
      readonly lagMin: number;
      readonly ownLagMin: number;
      readonly type: number;
    }
  | { readonly do: 'ask'; readonly probe: number }
  | { readonly do: 'retract'; readonly source: number; readonly fromPercent: number; readonly toPercent: number }
  | { readonly do: 'compile' }
  | { readonly do: 'merge' };

type Story = readonly { readonly waitMin: number; readonly step: Step }[];

/** @param sources numbers of SOURCES @param waitMaxMin longest pause between two steps, minutes */
const stories = (sources: readonly number[], waitMaxMin: number): fc.Arbitrary<Story> =>
  fc.array(
    fc.record({
      waitMin: fc.oneof(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 0, max: waitMaxMin })),
      step: fc.oneof(
        {
          weight: 4,
          arbitrary: fc.record({
            do: fc.constant('accept' as const),
            source: fc.constantFrom(...sources),
            entries: fc.subarray(ENTRIES.map((_, index) => index)),
            lagMin: fc.oneof(
              { weight: 3, arbitrary: fc.constant(0) },
              { weight: 1, arbitrary: fc.integer({ min: -5, max: 3 * 24 * 60 }) },
            ),
            ownLagMin: fc.integer({ min: 0, max: 3000 }),
            type: fc.nat(RISK_TYPES.length - 1),
          }),
        },
        { weight: 4, arbitrary: fc.record({ do: fc.constant('ask' as const), probe: fc.nat(PROBES.length - 1) }) },
        {
          weight: 4,
          arbitrary: fc.record({
            do: fc.constant('retract' as const),
            source: fc.nat(SOURCES.length - 1),
            fromPercent: fc.integer({ min: 0, max: 99 }),
            toPercent: fc.integer({ min: 0, max: 99 }),
          }),
        },
        { weight: 1, arbitrary: fc.constant({ do: 'compile' as const }) },
        { weight: 2, arbitrary: fc.constant({ do: 'merge' as const }) },
      ),
    }),
    { minLength: 5, maxLength: 60 },
  );

/** Times of sources that were taken back. */
let retracted = 0;
/** Merged images that equal a full compilation. */
let merges = 0;
/** Stories in which something was derived. */
let withDerived = 0;

/**
 * Plays one story with a clock, asking the live index as a thread would; returns how many live answers could
 * be compared with history.
 */
async function play(story: Story): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-live-'));
  const facts = { network: () => ({ ...NETWORK, asn: 64500 }), isKnownGood: () => false };
  const store = new SqliteHistory(join(folder, 'evidence.db'), { facts: () => facts, rules: DERIVATION_RULES });
  try {
    let now = START;
    let live = new LiveEvidence(
      emptyEvidence({ dataVersion: 'empty', builtAt: now, ...NO_POSITION }, FIXED_SEED),
      FIXED_SEED,
    );
    const sent: EvidenceDelta[] = [];
    const follower = new EvidenceFollower(
      {
        store,
        emit: (delta) => {
          sent.push(delta);
          live.applyDelta(structuredClone(delta));
        },
        compile: async () => {
          const { bytes, meta } = await compileEvidence(store, now, FIXED_SEED);
          live = new LiveEvidence(openEvidence(bytes.buffer), FIXED_SEED);
          for (const delta of sent) live.applyDelta(delta);
          return meta;
        },
        failed: (error) => {
          throw error;
        },
        diverged: (view, head) => assert.fail(`the view at ${view.sequence} is not of the store at ${head.sequence}`),
        limits: { deltaRows: 7, overlayRows: 20 },
      },
      NO_POSITION,
    );
    const merge = async (): Promise<void> => {
      const merged = await mergeEvidenceSince(store, live.image, now);
      // The journal of changes is kept for an hour of the story's time.
      if (merged === undefined) return;
      const image = openEvidence(merged.bytes.buffer);
      assert.deepEqual(verifyEvidence(image), []);
      live = swapImage(live, image);
      const alone = new LiveEvidence(image, FIXED_SEED);
      const compiled = new LiveEvidence(
        openEvidence((await compileEvidence(store, now, FIXED_SEED)).bytes.buffer),
        FIXED_SEED,
      );
      for (const ip of [...PROBES, '2a00:1:2:3::4', '2a00:1:2:4::']) {
        const address = parseAnyAddress(ip)!;
        assert.deepEqual(alone.observations(address), compiled.observations(address), `${ip} in the merged image`);
      }
      merges++;
    };
    const answers: { ip: string; at: UnixMs; given: Verdict; order: number }[] = [];
    const accepted: { at: UnixMs; order: number }[] = [];
    let order = 0;
    for (const { waitMin, step } of story) {
      now = unixMs(now + waitMin * MINUTE_MS + 1);
      order++;
      if (step.do === 'accept') {
        accepted.push({ at: accept(store, step, now), order });
        await follower.poll(now);
        await follower.settled();
        await follower.poll(now);
      } else if (step.do === 'retract') {
        if (retract(store, step, now)) retracted++;
        await follower.poll(now);
        await follower.settled();
        await follower.poll(now);
      } else if (step.do === 'merge') await merge();
      else if (step.do === 'compile') {
        const { bytes } = await compileEvidence(store, now, FIXED_SEED);
        live = new LiveEvidence(openEvidence(bytes.buffer), FIXED_SEED);
        for (const delta of sent) live.applyDelta(delta);
      } else {
        const ip = PROBES[step.probe]!;
        answers.push({ ip, at: now, given: verdict(live.observations(parseAnyAddress(ip)!), ip, now), order });
      }
    }
    let compared = 0;
    if (store.sources().some(({ id }) => id === 'derived')) withDerived++;
    for (const { ip, at, given, order: askedAt } of answers) {
      // The rule speaks of captures accepted before the live answer; a later one that is dated earlier
      // rightly changes the past.
      if (accepted.some((batch) => batch.order > askedAt && batch.at <= at)) continue;
      const later = verdict(store.observationsAt(parseAnyAddress(ip)!, at), ip, at);
      assert.deepEqual(later, given, `${ip} at ${new Date(at).toISOString()}`);
      compared++;
    }
    return compared;
  } finally {
    store.close();
    rmSync(folder, { recursive: true });
  }
}

/**
 * Takes a part of the story so far back, of a source that has spoken in it.
 * @returns whether there were captures in it
 */
function retract(
  store: SqliteHistory,
  { source: number, fromPercent, toPercent }: Step & { do: 'retract' },
  now: UnixMs,
) {
  const spoken = SOURCES.map(({ id }) => id).filter((id) => store.sources().some((known) => known.id === id));
  const source = spoken[number % spoken.length];
  if (source === undefined) return false;
  const moment = (percent: number): UnixMs => unixMs(START + Math.round(((now - START) * percent) / 100));
  const outcome = store.retract({
    source,
    from: moment(Math.min(fromPercent, toPercent)),
    to: moment(Math.max(fromPercent, toPercent) + 1),
    madeAt: now,
  });
  return outcome.status === 'retracted' && outcome.captures > 0;
}

/** @returns the earliest time the batch may have captured something at */
function accept(store: SqliteHistory, step: Step & { do: 'accept' }, now: UnixMs): UnixMs {
  const source = SOURCES[step.source]!;
  const at = unixMs(now - step.lagMin * MINUTE_MS);
  const builder = new CaptureBatchBuilder();
  const dated = source.mode !== 'listing' && step.ownLagMin % 2 === 0;
  const own = unixMs(now - step.ownLagMin * MINUTE_MS);
  for (const entry of step.entries) {
    const type = source.riskType === undefined ? { riskType: RISK_TYPES[step.type]! } : {};
    const pool = entry % 3 === 0 ? { pool: `pool-${step.type}` } : {};
    builder.add(parsePrefix(ENTRIES[entry]!)!, { ...type, ...pool, ...(dated ? { capturedAt: own } : {}) });
  }
  if (source.mode === 'events') store.recordCaptures(source, at, builder.build(), now);
  else store.recordRun(source, at, builder.build(), now);
  return unixMs(Math.min(at, own));
}

const accepted = (source: number, entries: readonly number[]) =>
  ({ do: 'accept', source, entries, lagMin: 0, ownLagMin: 1, type: 0 }) as const;
const numberOf = (name: string): number => SOURCES.findIndex(({ id }) => id === name);

const ask = { do: 'ask', probe: 0 } as const;
/** However a story went: what it left is merged, asked about, taken back, and asked about again. */
const END: Story = [
  { waitMin: 1, step: { do: 'merge' } },
  { waitMin: 1, step: ask },
  { waitMin: 1, step: { do: 'retract', source: 0, fromPercent: 0, toPercent: 99 } },
  { waitMin: 1, step: ask },
];

test('the live verdict at an instant is the answer to at= that instant, asked later', async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(
      stories([...SOURCES.keys(), ...OFTEN, ...OFTEN, ...OFTEN, ...OFTEN], 30 * 24 * 60),
      async (story) => {
        compared += await play([...story, ...END]);
      },
    ),
    { numRuns: 14 },
  );
  assert.ok(compared >= 28, `only ${compared} live answers were compared`);
  assert.ok(retracted > 2, `only ${retracted} times were captures taken back`);
  assert.ok(merges > 7, `only ${merges} images were merged`);
});

test('an answer given between two runs of a listing stays the answer', async () => {
  const compared = await play([
    { waitMin: 0, step: accepted(0, [0, 2]) },
    { waitMin: 10, step: ask },
    { waitMin: 20, step: accepted(0, [2]) },
    { waitMin: 10, step: ask },
    { waitMin: (40 * 24 * HOUR_MS) / HOUR_MS, step: { do: 'ask', probe: 2 } },
  ]);
  assert.equal(compared, 3);
});

test('so it is where captures are derived from others', async () => {
  const [proxies, trap] = [numberOf('proxies'), numberOf('trap')];
  const address = [ENTRIES.indexOf('198.14.0.1')];
  const derives: Story = [
    { waitMin: 0, step: accepted(proxies, address) },
    { waitMin: 30, step: accepted(trap, address) },
    { waitMin: 1, step: ask },
  ];
  const [before, runs] = [withDerived, 10];
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(stories([proxies, trap], 60), async (story) => {
      compared += await play([...derives, ...story, ...END]);
    }),
    { numRuns: runs },
  );
  assert.ok(compared >= 2 * runs, `only ${compared} live answers were compared`);
  assert.equal(withDerived - before, runs, 'something is derived in each');
});

test('a derived capture counts from its own moment on, before and after the next image', async () => {
  const [address, trap] = [[ENTRIES.indexOf('198.14.0.1')], numberOf('trap')];
  const before = withDerived;
  const compared = await play([
    { waitMin: 0, step: accepted(0, address) },
    { waitMin: 30, step: ask },
    { waitMin: 1, step: accepted(trap, address) },
    { waitMin: 1, step: ask },
    { waitMin: 1, step: { do: 'merge' } },
    { waitMin: 1, step: ask },
    { waitMin: 90, step: accepted(trap, address) },
    { waitMin: 1, step: { do: 'compile' } },
    { waitMin: 1, step: ask },
    { waitMin: 8 * 24 * 60, step: ask },
  ]);
  assert.deepEqual([compared, withDerived - before], [5, 1]);
});

test('the answers to one question agree where a wide listing is newer than a narrow one, and next to a source that contains another', async () => {
  const [narrow, wide] = [ENTRIES.indexOf('198.14.0.1'), ENTRIES.indexOf('198.14.0.0/16')];
  const [ipsum, cins] = [numberOf('ipsum'), numberOf('cins')];
  const compared = await play([
    { waitMin: 0, step: accepted(0, [narrow]) },
    { waitMin: 60, step: accepted(0, [wide]) },
    { waitMin: 1, step: ask },
    { waitMin: 1, step: accepted(ipsum, [narrow]) },
    { waitMin: 1, step: ask },
    { waitMin: 1, step: accepted(cins, [narrow]) },
    { waitMin: 1, step: ask },
    { waitMin: 1, step: { do: 'compile' } },
    { waitMin: 1, step: accepted(cins, []) },
    { waitMin: 31 * 24 * 60, step: ask },
    { waitMin: 1, step: accepted(ipsum, [narrow]) },
    { waitMin: 1, step: ask },
  ]);
  assert.equal(compared, 5);
});
