import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FIXED_SEED } from '../../../test/support/fixed-seed.ts';
import { rowsOfScan } from '../../../test/support/rows-of-scan.ts';
import { foldObservations } from '../../core/evidence/fold-observations.ts';
import type { EvidenceSource, Observation } from '../../core/evidence/observation.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { type UnixMs, utcDay } from '../../core/units.ts';
import { emptyEvidence } from '../../engine/evidence/empty-evidence.ts';
import { type LiveSource, NO_POSITION } from '../../engine/evidence/evidence-delta.ts';
import { openEvidence } from '../../engine/evidence/evidence-image.ts';
import { LiveEvidence } from '../../engine/evidence/live-evidence.ts';
import { deltaOf, mergeEvidenceSince } from '../../service/compile/compile-evidence.ts';
import type { HistoryStore, LiveRow } from '../../service/ports.ts';
import { address, at, batchOf, EVENTS, type HistoryFixture, LATER, LISTING } from './history-fixture.contract.ts';

/**
 * Every order of arrival gives the same answers as a plain list of all captures. @param stories random
 * stories to play
 */
export function historyStoriesContract(
  name: string,
  open: () => HistoryFixture | Promise<HistoryFixture | { readonly skip: string }>,
  stories: number,
): void {
  test(`${name}: any order of arrival gives the answers of a plain list of all captures, at every instant, by lookup, scan, changes and log`, async (t) => {
    const first = await open();
    if ('skip' in first) return t.skip(first.skip);
    await first.dispose();
    await fc.assert(
      fc.asyncProperty(
        storySteps,
        fc.array(fc.integer({ min: -100, max: 40_000 }), { minLength: 3, maxLength: 6 }),
        async (story, instants) => {
          const fixture = (await open()) as HistoryFixture;
          try {
            await playAndCompare(fixture.store, story, instants);
          } finally {
            await fixture.dispose();
          }
        },
      ),
      { numRuns: stories },
    );
  });
}

const IPS = ['1.2.3.4', '1.2.3.0/24', '1.2.0.0/16', '9.9.9.9', '2001:db8::1', '2001:db8::/64'] as const;
const PROBES = ['1.2.3.4', '1.2.3.5', '1.2.9.9', '9.9.9.9', '2001:db8::1', '2001:db8::2'];

interface Step {
  readonly source: number;
  readonly minute: number;
  readonly entries: readonly number[];
  readonly pool: boolean;
}

const SOURCES: readonly EvidenceSource[] = [
  LISTING,
  { id: 'list2', family: 'list', mode: 'listing', riskType: 'proxy', pool: 'p2' },
  { id: 'osint', family: 'other', mode: 'listing', riskType: 'osint' },
  { id: 'mixed', family: 'list', mode: 'listing', riskType: 'osint' },
  { ...EVENTS, sharedBy: 'tor' },
];

const storySteps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    source: fc.integer({ min: 0, max: SOURCES.length - 1 }),
    minute: fc.integer({ min: 0, max: 30 }).map((n) => n * 960),
    entries: fc.subarray(IPS.map((_, index) => index)),
    pool: fc.boolean(),
  }),
  { minLength: 1, maxLength: 25 },
);

const EMPTY = emptyEvidence({ dataVersion: 'none', builtAt: LATER, ...NO_POSITION }, FIXED_SEED);

/**
 * A capture list is the reference: a run captures each of its entries, an event its own address. The store
 * must answer as folding that list does.
 */
async function playAndCompare(store: HistoryStore, story: readonly Step[], instants: readonly number[]): Promise<void> {
  const captures: { ip: string; source: EvidenceSource; at: UnixMs; pool: string }[] = [];
  let known = 0;
  let sources: readonly LiveSource[] = [];
  const followed = new LiveEvidence(EMPTY, FIXED_SEED);
  let image = EMPTY;
  const merge = async (): Promise<void> => {
    const merged = await mergeEvidenceSince(store, image, LATER);
    if (merged !== undefined) image = openEvidence(merged.bytes.buffer);
  };
  for (const [index, step] of story.entries()) {
    if (index === story.length >> 1) await merge();
    const source = SOURCES[step.source]!;
    const pool = step.pool ? 'named' : (source.pool ?? '');
    const rows = step.entries.map((entry) => ({ ip: IPS[entry]!, ...(step.pool ? { pool: 'named' } : {}) }));
    await store.recordRun(source, at(step.minute), batchOf(rows), LATER);
    for (const entry of step.entries) captures.push({ ip: IPS[entry]!, source, at: at(step.minute), pool });
    const changes = await store.changesSince(known, 1000);
    assert.ok(changes.changed !== 'all');
    const apply = followed.beginDelta(deltaOf({ ...changes, changed: changes.changed }));
    while (!apply(1));
    known = changes.head.sequence;
    sources = changes.changed.names.sources;
  }
  const expected = (ip: string, until: number): readonly Observation[] =>
    foldObservations(rowsOfCaptures(captures.filter((c) => c.at <= until && holds(c.ip, ip))));
  for (const ip of PROBES) {
    const minutes = [...instants, 0, 100_000];
    for (const minute of minutes) {
      assert.deepEqual(
        await store.observationsAt(address(ip), at(minute)),
        expected(ip, at(minute)),
        `${ip} at minute ${minute}`,
      );
    }
    const times = minutes.map(at);
    const each = await store.observationsAtEach(address(ip), times);
    assert.deepEqual(
      each,
      times.map((time) => expected(ip, time)),
      `${ip} at each of the minutes`,
    );
  }
  for (const minute of instants) {
    const past = await store.scan(rowsOfScan, at(minute));
    assert.ok(past.every(({ following }) => !following));
    for (const ip of PROBES)
      assert.deepEqual(observationsOfLive(past, sources, ip), expected(ip, at(minute)), `scan ${ip} at ${minute}`);
  }
  const scanned = await store.scan((scan) => {
    assert.deepEqual(scan.names.sources, sources);
    return rowsOfScan(scan);
  });
  await merge();
  const live = new LiveEvidence(image, FIXED_SEED);
  for (const ip of PROBES) {
    assert.deepEqual(observationsOfLive(scanned, sources, ip), expected(ip, LATER), `scan ${ip}`);
    assert.deepEqual(followed.observations(address(ip)), expected(ip, LATER), `changes ${ip}`);
    assert.deepEqual(live.observations(address(ip)), expected(ip, LATER), `log ${ip}`);
  }
}

/** Mimics a live index of rows: following rows take their captures and days from the runs of the source. */
function observationsOfLive(rows: readonly LiveRow[], sources: readonly LiveSource[], ip: string) {
  const observations = rows
    .filter(({ prefix }) => holds(prefix, ip))
    .map((row): Observation => {
      const source = sources.find(({ id }) => id === row.source)!;
      const capturedAt = row.following ? source.lastRunAt : row.capturedAt;
      const sinceFirst = utcDay(capturedAt) - utcDay(row.capturedAt);
      const days = row.following ? source.runDays & ((1 << Math.min(14, sinceFirst + 1)) - 1) : row.days;
      const base = {
        riskType: row.riskType,
        source: source.id,
        family: source.family,
        capturedAt,
        days,
        prefixBits: row.prefix.bits,
        pools: row.pool === '' ? [] : [row.pool],
      };
      return source.sharedBy === undefined ? base : { ...base, sharedBy: source.sharedBy };
    });
  return foldObservations(observations);
}

function holds(prefix: string | LiveRow['prefix'], ip: string): boolean {
  const network = typeof prefix === 'string' ? parsePrefix(prefix)! : prefix;
  const inside = parsePrefix(`${ip}/${network.bits}`);
  return (
    address(ip).family === network.family &&
    inside?.w0 === network.w0 &&
    inside.w1 === network.w1 &&
    inside.w2 === network.w2 &&
    inside.w3 === network.w3
  );
}

function rowsOfCaptures(captures: readonly { ip: string; source: EvidenceSource; at: UnixMs; pool: string }[]) {
  const units = new Map<string, { rows: (typeof captures)[number][] }>();
  for (const capture of captures) {
    const key = [capture.ip, capture.source.id, capture.pool].join(' ');
    const unit = units.get(key) ?? { rows: [] };
    unit.rows.push(capture);
    units.set(key, unit);
  }
  return [...units.values()].map(({ rows }) => {
    const capturedAt = rows.reduce((newest, row) => Math.max(newest, row.at), 0) as UnixMs;
    let days = 0;
    for (const row of rows) {
      const back = utcDay(capturedAt) - utcDay(row.at);
      if (back < 14) days |= 1 << back;
    }
    const { source, ip, pool } = rows[0]!;
    const base = {
      riskType: source.riskType!,
      source: source.id,
      family: source.family,
      capturedAt,
      days,
      prefixBits: parsePrefix(ip)!.bits,
      pools: pool === '' ? [] : [pool],
    };
    return source.sharedBy === undefined ? base : { ...base, sharedBy: source.sharedBy };
  });
}
