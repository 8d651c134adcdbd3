/**
 * Files of verdicts against lookups: whatever was captured, each address has in the file the verdict of a
 * lookup at the same moment.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compileGeo } from '../../../test/support/compile-geo.ts';
import { FIXED_SEED } from '../../../test/support/fixed-seed.ts';
import { randomBelow } from '../../../test/support/random.ts';
import { RISK_TYPES } from '../../contract/risk.ts';
import type { ExportDetail, ExportEntry, ExportFilter } from '../../core/export/export-record.ts';
import type { Address, Prefix } from '../../core/ip/address.ts';
import { addressBefore } from '../../core/ip/cut-points.ts';
import { formatAddress, formatPrefix } from '../../core/ip/format-address.ts';
import { addressAfter, compareAddresses, contains, lastAddress, parsePrefix, prefixOf } from '../../core/ip/prefix.ts';
import { compilePeriods, PrefixPeriods } from '../../core/ip/prefix-periods.ts';
import { isReserved } from '../../core/ip/special-purpose.ts';
import { knownGoodCapOf, type Protection, withOverrides } from '../../core/risk/known-good.ts';
import { type Override, type Overrides, overridesOf } from '../../core/risk/override.ts';
import { SCORE_PARAMETERS } from '../../core/risk/parameters.ts';
import { verdict } from '../../core/risk/verdict.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../core/units.ts';
import { createDataView } from '../../engine/create-data-view.ts';
import { EvidenceBuilder } from '../../engine/evidence/evidence-builder.ts';
import { type LiveSource, ROW_OP } from '../../engine/evidence/evidence-delta.ts';
import { openEvidence } from '../../engine/evidence/evidence-image.ts';
import { EvidenceRowBuffer } from '../../engine/evidence/evidence-row-buffer.ts';
import { LiveEvidence } from '../../engine/evidence/live-evidence.ts';
import { type GeoImage, openGeo } from '../../engine/geo/geo-image.ts';
import { RangeRows } from '../../engine/ranges/range-rows.ts';
import type { RangeSet4, RangeSet6 } from '../../engine/ranges/range-set.ts';
import { exportEntries } from './export-entries.ts';
import { lookupIpDocument } from './lookup-ip.ts';

const NOW = unixMs(Date.UTC(2026, 10, 22, 9, 30));
const source = (id: string, family = id, sharedBy?: 'tor'): LiveSource => ({
  id,
  family,
  lastRunAt: unixMs(NOW - 3_600_000),
  runDays: 0x3fff,
  ...(sharedBy && { sharedBy }),
});
const SOURCES = [
  source('list-a'),
  source('list-b', 'list-a'),
  source('closed-a'),
  source('closed-b', 'closed-b', 'tor'),
  source('own'),
];
const CLOSED = new Set(['closed-a', 'closed-b']);
const ALL: ExportFilter = { minScore: 0 };

type Random = ReturnType<typeof randomBelow>;

/**
 * Corners in which prefixes nest and meet: next to reserved space, at the ends of the families, where
 * networks and known-good prefixes change.
 */
const CORNERS = [
  '192.0.0.0/16',
  '9.255.255.0/24',
  '223.255.255.0/24',
  '8.8.8.0/24',
  '2001::/22',
  '2001:db7:ffff:ffff::/64',
  '2400:1::/126',
  '3fff::/19',
];

function randomPrefix(random: Random): Prefix {
  const corner = parsePrefix(CORNERS[random(CORNERS.length)]!)!;
  const word = (): number => (random(2) === 0 ? random(2) * 0xffff_ffff : random(0xffff) * 0x1_0001) >>> 0;
  const inside: Address = { family: corner.family, w0: word(), w1: word(), w2: word(), w3: word() };
  const mask = (bits: number): number => (bits <= 0 ? 0 : bits >= 32 ? -1 : -1 << (32 - bits));
  const mixed = ([corner.w0, corner.w1, corner.w2, corner.w3] as const).map((w, i) => {
    const other = [inside.w0, inside.w1, inside.w2, inside.w3][i]!;
    return ((w & mask(corner.bits - 32 * i)) | (other & ~mask(corner.bits - 32 * i))) >>> 0;
  });
  const width = corner.family === 4 ? 32 : 128;
  const address: Address =
    corner.family === 4
      ? { family: 4, w0: mixed[0]!, w1: 0, w2: 0, w3: 0 }
      : { family: 6, w0: mixed[0]!, w1: mixed[1]!, w2: mixed[2]!, w3: mixed[3]! };
  return prefixOf(address, random(2) === 0 ? width : corner.bits + random(width - corner.bits + 1));
}

interface Row {
  readonly prefix: Prefix;
  readonly source: number;
  readonly op: 1 | 2;
  readonly type: number;
  readonly at: number;
  readonly days: number;
}

const randomRow = (random: Random): Row => ({
  prefix: randomPrefix(random),
  source: random(SOURCES.length),
  op: random(3) === 0 ? ROW_OP.following : ROW_OP.fixed,
  type: random(RISK_TYPES.length),
  at: NOW - 3_600_000 - random(45) * DAY_MS,
  days: 1 | random(0x4000),
});

function evidenceOf(rows: readonly Row[]): LiveEvidence {
  const builder = new EvidenceBuilder();
  for (const one of SOURCES) builder.source(one);
  const buffer = new EvidenceRowBuffer(16);
  for (const { prefix, source: number, op, type, at, days } of rows) {
    const { family, w0, w1, w2, w3, bits } = prefix;
    buffer.row(buffer.prefix(family, w0, w1, w2, w3, bits), op, number, type, 0, at, op === ROW_OP.fixed ? days : 0);
  }
  builder.add(buffer.columns());
  const image = openEvidence(
    builder.compile({ dataVersion: 'r', builtAt: NOW, store: 's', sequence: 1, mark: 'm' }, FIXED_SEED).buffer,
  );
  return new LiveEvidence(image, FIXED_SEED);
}

const NETWORKS = [
  { asn: 0, usageType: '', hosting: false, mobile: false, crawler: false, relay: false, anycast: false },
  { asn: 64_500, usageType: 'IDC', hosting: true, mobile: false, crawler: false, relay: false, anycast: false },
  { asn: 64_501, usageType: 'MOB', hosting: false, mobile: true, crawler: true, relay: false, anycast: false },
  { asn: 64_501, usageType: 'DYN', hosting: false, mobile: false, crawler: false, relay: true, anycast: false },
];

function geoOf(random: Random): GeoImage {
  const rows = { 4: new RangeRows(4), 6: new RangeRows(6) } as const;
  for (let i = 0; i < 60; i++) {
    const prefix = randomPrefix(random);
    const last = lastAddress(prefix);
    if (prefix.family === 4) rows[4].add4(prefix.w0, last.w0, random(NETWORKS.length));
    else
      rows[6].add6(
        [prefix.w0, prefix.w1, prefix.w2, prefix.w3],
        [last.w0, last.w1, last.w2, last.w3],
        random(NETWORKS.length),
      );
  }
  const [ranges4, ranges6] = [rows[4].partition() as RangeSet4, rows[6].partition() as RangeSet6];
  const place = {
    ranges4: new RangeRows(4).partition() as RangeSet4,
    ranges6: new RangeRows(6).partition() as RangeSet6,
    records: ['', '{"country":"DE"}'],
  };
  return openGeo(
    compileGeo({
      meta: { dataVersion: 'g', builtAt: NOW, sources: [] },
      place,
      network: { ranges4, ranges6, records: NETWORKS },
    }).buffer,
  );
}

interface World {
  readonly name: string;
  readonly rows: readonly Row[];
  readonly evidence: LiveEvidence;
  /** The evidence lacks the sources that may not be passed on. */
  readonly openEvidence: LiveEvidence;
  readonly geo: GeoImage;
  readonly protection: Protection;
  readonly protectedPrefixes: readonly Prefix[];
  readonly overrides: Overrides | undefined;
  readonly probes: readonly Address[];
}

function randomWorld(seed: number): World {
  const random = randomBelow(seed);
  const rows = Array.from({ length: 5 + random(120) }, () => randomRow(random));
  const set = { id: 'good', what: '', source: '', seen: '2026-01-01' };
  const protectedPrefixes = Array.from({ length: 8 }, () => randomPrefix(random)).filter(({ bits }) => bits > 0);
  const knownGood = new PrefixPeriods(
    compilePeriods(
      protectedPrefixes.map((prefix, i) => ({ prefix, from: unixMs(i % 3 === 0 ? NOW + 1 : 0), held: set })),
    ),
  );
  const protection = {
    knownGood: (address: Address, at: UnixMs) => knownGood.find(address, at),
    isOwn: (id: string) => id === 'own',
  };
  const overrides = Array.from({ length: 4 }, (_, i): Override => {
    const prefix = randomPrefix(random);
    const until = unixMs(i === 3 ? NOW : NOW + DAY_MS);
    const by = { id: String(i), from: unixMs(NOW - (i + 1) * DAY_MS), until, reason: 'r' };
    return { ...by, prefix: formatPrefix(prefix), ...(i % 2 === 0 && { deny: 'proxy' }) };
  });
  const edges = [
    ...overrides.map(({ prefix }) => parsePrefix(prefix)!),
    ...rows.map(({ prefix }) => prefix),
    ...protectedPrefixes,
    ...Array.from({ length: 60 }, () => randomPrefix(random)),
  ];
  const probes = edges.flatMap((prefix) => {
    const [first, last] = [prefixOf(prefix, prefix.family === 4 ? 32 : 128), lastAddress(prefix)];
    const zero = first.w0 === 0 && first.w1 === 0 && first.w2 === 0 && first.w3 === 0;
    return [first, last, ...(zero ? [] : [addressBefore(first)]), addressAfter(last) ?? last];
  });
  return {
    name: `world ${seed}`,
    rows,
    evidence: evidenceOf(rows),
    openEvidence: evidenceOf(rows.filter((row) => !CLOSED.has(SOURCES[row.source]!.id))),
    geo: geoOf(random),
    protection,
    protectedPrefixes,
    overrides: overridesOf(overrides),
    probes,
  };
}

interface Chosen {
  readonly max?: number;
  readonly onLeftOut?: (prefixes: number) => void;
  readonly filter?: ExportFilter;
  readonly carries?: ExportDetail;
  readonly includeFetchOnly: boolean;
  readonly exclude?: readonly Prefix[];
}

const entriesOf = (
  world: World,
  { filter = ALL, carries = 'record', includeFetchOnly, exclude = [], ...more }: Chosen,
): readonly ExportEntry[] => [
  ...exportEntries(world, {
    at: NOW,
    families: [4, 6],
    filter,
    exclude,
    carries,
    counts: (id) => includeFetchOnly || !CLOSED.has(id),
    withNetworks: includeFetchOnly,
    ...more,
  }),
];

const find = (entries: readonly ExportEntry[], address: Address): ExportEntry | undefined =>
  entries.find(({ prefix }) => contains(prefix, address));

/** View of a service that holds this evidence alone. */
const viewOf = ({ geo, protection, overrides }: World, evidence: LiveEvidence) =>
  createDataView(geo, evidence, false, withOverrides(protection, overrides));

const WORLDS = Array.from({ length: 14 }, (_, i) => {
  const world = randomWorld(i + 1);
  return {
    ...world,
    all: entriesOf(world, { includeFetchOnly: true }),
    open: entriesOf(world, { includeFetchOnly: false }),
  };
});

describe('a file of verdicts', () => {
  test('that is cut has at most so many prefixes, the riskiest, and nothing that the whole file has not', () => {
    for (const world of WORLDS) {
      const all = entriesOf(world, { includeFetchOnly: true, carries: 'score' });
      const scores = all.map(({ record }) => record.risk.score);
      for (const max of [1, 3, 10, all.length]) {
        const cut = entriesOf(world, { includeFetchOnly: true, carries: 'score', max });
        assert.ok(cut.length <= max);
        const least = Math.min(...cut.map(({ record }) => record.risk.score));
        for (const { prefix, record } of cut)
          assert.ok(all.some((one) => contains(one.prefix, prefix) && one.record.risk.score === record.risk.score));
        const riskier = scores.filter((score) => score > least).length;
        assert.equal(cut.filter(({ record }) => record.risk.score > least).length, riskier, `${world.name} ${max}`);
      }
    }
  });

  test('counts the prefixes that are missing because their sources may not be passed on', () => {
    let counted = 0;
    const filter: ExportFilter = { minScore: 70, states: ['active'] };
    for (const world of WORLDS) {
      let leftOut = -1;
      const open = entriesOf(world, { includeFetchOnly: false, filter, onLeftOut: (prefixes) => (leftOut = prefixes) });
      const all = entriesOf(world, { includeFetchOnly: true, filter });
      const missing = world.probes.filter((address) => find(all, address) && !find(open, address));
      if (missing.length > 0) assert.ok(leftOut > 0, world.name);
      if (leftOut === 0) assert.deepEqual(missing, [], world.name);
      counted += leftOut;
    }
    assert.ok(counted > 0);
  });

  test('has of every address the verdict of a lookup, of those without evidence where an operator denies them, and nothing in reserved space', () => {
    let held = 0;
    for (const world of WORLDS) {
      const view = viewOf(world, world.evidence);
      for (const address of world.probes) {
        const said = find(world.all, address)?.record;
        const body = isReserved(address) ? undefined : lookupIpDocument(view, address, NOW);
        const expected =
          body === undefined || body.evidence_state === 'none'
            ? undefined
            : { risk: body.risk, evidence_state: body.evidence_state };
        assert.deepEqual(
          said && { risk: said.risk, evidence_state: said.evidence_state },
          expected,
          `${formatAddress(address)} of ${world.name}`,
        );
        if (said?.network !== undefined) assert.deepEqual(said.network, body?.network, formatAddress(address));
        if (said !== undefined) held++;
      }
    }
    assert.ok(held > 2000, `${held} probes were in a file`);
  });

  test('without sources that may not be passed on has the verdicts of a service that never had them, and nothing of network data', () => {
    let differs = 0;
    for (const world of WORLDS) {
      const [open, all] = [viewOf(world, world.openEvidence), viewOf(world, world.evidence)];
      for (const address of world.probes.filter((one) => !isReserved(one))) {
        const said = find(world.open, address)?.record;
        const body = lookupIpDocument(open, address, NOW);
        const evidence =
          body?.risk.signals?.filter((signal) => !['hosting', 'mobile', 'crawler'].includes(signal)) ?? [];
        const expected =
          body === undefined || body.evidence_state === 'none'
            ? undefined
            : {
                risk: {
                  score: body.risk.score,
                  level: body.risk.level,
                  ...(evidence.length > 0 && { signals: evidence }),
                },
                evidence_state: body.evidence_state,
              };
        assert.deepEqual(said, expected, `${formatAddress(address)} of ${world.name}`);
        if (lookupIpDocument(all, address, NOW)?.risk.score !== body?.risk.score) differs++;
      }
    }
    assert.ok(differs > 200, `${differs} probes have another score with all sources`);
  });

  test('leaves out excluded addresses, and those that more share than the tier of its filter', () => {
    let left = 0;
    for (const world of WORLDS) {
      const exclude = world.rows.slice(0, 5).map(({ prefix }) => prefix);
      const filter: ExportFilter = { minScore: 0, maxTier: 'T1' };
      const fewer = entriesOf(world, { includeFetchOnly: false, exclude });
      const unshared = entriesOf(world, { includeFetchOnly: false, filter });
      const view = viewOf(world, world.openEvidence);
      for (const address of world.probes.filter((one) => !isReserved(one))) {
        const said = find(world.open, address)?.record;
        const isExcluded = exclude.some((prefix) => contains(prefix, address));
        assert.deepEqual(find(fewer, address)?.record, isExcluded ? undefined : said, formatAddress(address));
        if (said === undefined) continue;
        const { crowd } = verdict(
          view.observations(address),
          view.network(address),
          address.family,
          NOW,
          SCORE_PARAMETERS,
          knownGoodCapOf(view.protection, address),
        );
        const isShared = crowd > 'T1';
        assert.deepEqual(find(unshared, address)?.record, isShared ? undefined : said, formatAddress(address));
        if (isShared || isExcluded) left++;
      }
    }
    assert.ok(left > 500, `${left} probes were left out`);
  });

  test('ascends, IPv4 first, without overlap, and no two neighbours that say the same could be one', () => {
    for (const { open } of WORLDS) {
      for (const [i, { prefix, record }] of open.entries()) {
        const next = open[i + 1];
        if (next === undefined) continue;
        const order = prefix.family - next.prefix.family || compareAddresses(lastAddress(prefix), next.prefix);
        assert.ok(order < 0, `${formatPrefix(prefix)} before ${formatPrefix(next.prefix)}`);
        const joined =
          prefix.bits > 0 &&
          prefix.bits === next.prefix.bits &&
          contains(prefixOf(prefix, prefix.bits - 1), next.prefix);
        assert.ok(!joined || record !== next.record, `${formatPrefix(prefix)} and ${formatPrefix(next.prefix)}`);
      }
    }
  });

  test('holds the verdicts that pass its filter, joined as far as its format can say', () => {
    for (const world of WORLDS) {
      const filter: ExportFilter = {
        minScore: 20,
        levels: ['low', 'medium'],
        states: ['active'],
        signals: ['proxy', 'hosting', 'osint'],
      };
      for (const carries of ['record', 'score', 'prefix'] as const) {
        const some = entriesOf(world, { filter, carries, includeFetchOnly: true });
        for (const address of world.probes) {
          const all = find(world.all, address)?.record;
          const wanted =
            all !== undefined &&
            all.risk.score >= 20 &&
            ['low', 'medium'].includes(all.risk.level) &&
            all.evidence_state === 'active' &&
            (all.risk.signals ?? []).some((signal) => ['proxy', 'hosting', 'osint'].includes(signal));
          const said = find(some, address);
          assert.equal(said !== undefined, wanted, formatAddress(address));
          if (carries !== 'prefix' && said !== undefined) assert.equal(said.record.risk.score, all?.risk.score);
        }
        if (carries === 'prefix') assert.ok(some.length <= world.all.length);
      }
    }
  });
});
