import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIXED_SEED } from '../../../test/support/fixed-seed.ts';
import { randomBelow } from '../../../test/support/random.ts';
import { swapImage } from '../../../test/support/swap-image.ts';
import { RISK_TYPES } from '../../contract/risk.ts';
import { alignDays, foldObservations } from '../../core/evidence/fold-observations.ts';
import type { Observation } from '../../core/evidence/observation.ts';
import type { Address, Prefix } from '../../core/ip/address.ts';
import { AddressColumns } from '../../core/ip/address-columns.ts';
import { formatPrefix } from '../../core/ip/format-address.ts';
import { addressAfter, contains, lastAddress, parsePrefix, prefixOf } from '../../core/ip/prefix.ts';
import { DAY_MS, HOUR_MS, type UnixMs, utcDay } from '../../core/units.ts';
import { buildImage, ImageError } from '../image.ts';
import { emptyEvidence } from './empty-evidence.ts';
import { EvidenceBuilder } from './evidence-builder.ts';
import { type EvidenceDelta, type EvidencePosition, type LiveSource, NO_POSITION, ROW_OP } from './evidence-delta.ts';
import { openEvidence, verifyEvidence } from './evidence-image.ts';
import { EvidenceRowBuffer } from './evidence-row-buffer.ts';
import { LiveEvidence, NO_OBSERVATIONS } from './live-evidence.ts';

const NOW = Date.UTC(2026, 10, 21, 9, 30) as UnixMs;

interface ModelRow {
  readonly prefix: Prefix;
  readonly source: string;
  readonly type: number;
  readonly pool: string;
  readonly following: boolean;
  readonly capturedAt: number;
  readonly days: number;
}

/** The obvious index: a list of rows and the state of sources, read from one end to the other. */
class Model {
  rows: ModelRow[] = [];
  readonly sources = new Map<string, LiveSource>();

  observations(address: Address): readonly Observation[] {
    const hits = this.rows
      .filter((row) => contains(row.prefix, address))
      .map((row): Observation => this.#observation(row));
    return foldObservations(hits);
  }

  #observation({ prefix, source, type, pool, following, capturedAt, days }: ModelRow): Observation {
    const from = this.sources.get(source)!;
    let mask = days;
    if (following) {
      // Every date with a run at or after the presence interval's first run.
      mask = 0;
      for (let i = 0; i < 14; i++)
        if ((from.runDays >>> i) & 1 && utcDay(from.lastRunAt) - i >= utcDay(capturedAt as UnixMs)) mask |= 1 << i;
    }
    const row = {
      riskType: RISK_TYPES[type]!,
      source,
      family: from.family,
      capturedAt: (following ? from.lastRunAt : capturedAt) as UnixMs,
      days: mask,
      prefixBits: prefix.bits,
      pools: pool === '' ? [] : [pool],
    };
    return from.sharedBy === undefined ? row : { ...row, sharedBy: from.sharedBy };
  }
}

const SOURCES: readonly LiveSource[] = [
  { id: 'list-a', family: 'a', lastRunAt: (NOW - HOUR_MS) as UnixMs, runDays: 0b11_0111_1111_1011 },
  { id: 'list-b', family: 'b', lastRunAt: (NOW - 30 * HOUR_MS) as UnixMs, runDays: 0b00_0000_0000_0001 },
  { id: 'mirror-a', family: 'a', lastRunAt: NOW, runDays: 0x3fff },
  { id: 'tor', family: 'tor', lastRunAt: (NOW - 5) as UnixMs, runDays: 0x3fff, sharedBy: 'tor' },
  { id: 'events', family: 'own', lastRunAt: 0 as UnixMs, runDays: 0 },
];
const POOLS = ['', 'vendor-x', 'vendor-y'];

function randomRow(random: (below: number) => number, near: readonly Prefix[]): ModelRow {
  const source = SOURCES[random(SOURCES.length)]!;
  const following = source.runDays > 1 && random(2) === 0;
  const capturedAt = following
    ? source.lastRunAt - random(20) * DAY_MS - random(DAY_MS)
    : NOW - random(20) * DAY_MS - random(DAY_MS);
  const base = near.length > 0 && random(3) > 0 ? near[random(near.length)]! : undefined;
  const family = base?.family ?? (random(2) === 0 ? 4 : 6);
  const noise = (): number => (random(4) === 0 ? random(2) * 0xffff_ffff : random(0x1_0000_0000));
  const keep = base === undefined ? 0 : random(family === 4 ? 33 : 129);
  const words = [base?.w0, base?.w1, base?.w2, base?.w3].map((word, w) => {
    const mask = Math.max(0, Math.min(32, keep - 32 * w));
    const bits = mask === 0 ? 0 : (0xffff_ffff << (32 - mask)) >>> 0;
    return (((word ?? 0) & bits) | (noise() & ~bits)) >>> 0;
  });
  const address: Address =
    family === 4
      ? { family, w0: words[0]!, w1: 0, w2: 0, w3: 0 }
      : { family, w0: words[0]!, w1: words[1]!, w2: words[2]!, w3: words[3]! };
  const length = random(3) === 0 ? (family === 4 ? 32 : 128) : random(family === 4 ? 33 : 129);
  return {
    prefix: prefixOf(address, length),
    source: source.id,
    type: random(RISK_TYPES.length),
    pool: POOLS[random(POOLS.length)]!,
    following,
    capturedAt,
    days: following ? 0 : 1 | random(0x4000),
  };
}

function randomRows(count: number, random: (below: number) => number): ModelRow[] {
  const rows: ModelRow[] = [];
  for (let i = 0; i < count; i++)
    rows.push(
      randomRow(
        random,
        rows.map((row) => row.prefix),
      ),
    );
  return rows;
}

function fill(
  buffer: EvidenceRowBuffer,
  rows: readonly ModelRow[],
  source: (id: string) => number,
  pool: (name: string) => number,
  op?: number,
): void {
  for (const { prefix, ...row } of rows) {
    const i = buffer.prefix(prefix.family, prefix.w0, prefix.w1, prefix.w2, prefix.w3, prefix.bits);
    buffer.row(
      i,
      op ?? (row.following ? ROW_OP.following : ROW_OP.fixed),
      source(row.source),
      row.type,
      pool(row.pool),
      row.capturedAt,
      row.days,
    );
  }
}

/** Returns the position of the store of these tests at a batch. */
const positionAt = (sequence: number): EvidencePosition => ({ store: 'store', sequence, mark: `m${sequence}` });

function compile(rows: readonly ModelRow[], sources: readonly LiveSource[], sequence: number): Uint8Array<ArrayBuffer> {
  const builder = new EvidenceBuilder();
  for (const source of sources) builder.source(source);
  const buffer = new EvidenceRowBuffer(4);
  const byId = new Map(sources.map((source) => [source.id, source]));
  fill(
    buffer,
    rows,
    (id) => builder.source(byId.get(id)!),
    (name) => builder.pool(name),
  );
  builder.add(buffer.columns());
  return builder.compile({ dataVersion: `v${sequence}`, builtAt: NOW, ...positionAt(sequence) }, FIXED_SEED);
}

const open = (bytes: Uint8Array) => {
  const shared = new SharedArrayBuffer(bytes.byteLength);
  new Uint8Array(shared).set(bytes);
  return openEvidence(shared);
};

/** Addresses where answers change: inside, at both ends of and next to every prefix. */
function probes(rows: readonly ModelRow[]): Address[] {
  const all: Address[] = [];
  for (const { prefix } of rows) {
    const { family, w0, w1, w2, w3 } = prefix;
    const first: Address = { family, w0, w1, w2, w3 };
    const last = lastAddress(prefix);
    all.push(first, last);
    const after = addressAfter(last);
    if (after !== undefined) all.push(after);
    if (family === 4 && w0 > 0) all.push({ ...first, w0: w0 - 1 });
    if (family === 6 && w3 > 0) all.push({ ...first, w3: w3 - 1 });
    if (family === 6 && w3 === 0 && w2 > 0) all.push({ ...first, w2: w2 - 1, w3: 0xffff_ffff });
  }
  return all;
}

function assertSame(live: LiveEvidence, model: Model, addresses: readonly Address[], note: string): void {
  for (const address of addresses) {
    const expected = model.observations(address);
    assert.deepEqual(live.observations(address), expected, `${note}: ${formatPrefix({ ...address, bits: 0 })}`);
  }
  assertMarked(live, model, addresses, note);
}

/** Captured prefixes are marked, and only addresses are that the image or the overlay has rows about. */
function assertMarked(live: LiveEvidence, model: Model, addresses: readonly Address[], note: string): void {
  const columns = new AddressColumns(addresses.length + 1);
  columns.addText('no address');
  for (const address of addresses) columns.add(address);
  const marks = new Uint8Array(columns.count - 1).fill(7);
  live.markCaptured(columns, 1, columns.count, marks);
  for (const [i, address] of addresses.entries()) {
    const isCaptured = model.observations(address).length > 0;
    if (isCaptured || live.overlaySize === 0)
      assert.equal(marks[i], isCaptured ? 1 : 0, `${note}: ${formatPrefix({ ...address, bits: 0 })}`);
    else assert.ok(marks[i]! < 2);
  }
}

const modelOf = (rows: ModelRow[]): Model => {
  const model = new Model();
  for (const source of SOURCES) model.sources.set(source.id, source);
  model.rows = rows;
  return model;
};

test('nested prefixes of every length in both families are found as a scan of all rows finds them', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = randomBelow(seed);
    const rows = randomRows(1 + random(seed < 55 ? 25 : 250), random);
    const image = open(compile(rows, SOURCES, 1));
    assert.deepEqual(verifyEvidence(image), [], `seed ${seed}`);
    assertSame(new LiveEvidence(image, FIXED_SEED), modelOf(rows), probes(rows), `seed ${seed}`);
  }
});

test('many single addresses are all found, and their neighbours are not', () => {
  const random = randomBelow(77);
  const rows = Array.from({ length: 4_000 }, (): ModelRow => {
    const row = randomRow(random, []);
    const { w0, w1, w2, w3, family } = row.prefix;
    return {
      ...row,
      prefix: {
        family,
        w0: family === 4 && random(2) === 0 ? (0x08080000 + random(0x8000)) >>> 0 : w0,
        w1,
        w2,
        w3,
        bits: family === 4 ? 32 : 128,
      },
    };
  });
  const image = open(compile(rows, SOURCES, 1));
  assert.deepEqual(verifyEvidence(image), []);
  const keyOf = ({ family, w0, w1, w2, w3 }: Address): string => `${family} ${w0} ${w1} ${w2} ${w3}`;
  const byKey = new Map<string, ModelRow[]>();
  for (const row of rows) byKey.set(keyOf(row.prefix), [...(byKey.get(keyOf(row.prefix)) ?? []), row]);
  const live = new LiveEvidence(image, FIXED_SEED);
  for (const address of probes(rows)) {
    const expected = byKey.get(keyOf(address));
    if (expected === undefined) assert.equal(live.observations(address), NO_OBSERVATIONS);
    else assert.deepEqual(live.observations(address), modelOf(expected).observations(address));
  }
});

test('an image weighs as much as its addresses need, and addresses that share a bit with one of them are not found', () => {
  const [row] = randomRows(1, randomBelow(1));
  const rowsAt = (words: readonly number[]): ModelRow[] =>
    words.map((w0) => ({ ...row!, prefix: { family: 4, w0, w1: 0, w2: 0, w3: 0, bits: 32 } }));
  assert.equal(open(compile([], SOURCES, 1)).hosts4.bitmap.byteLength, 4);
  const { hosts4 } = open(compile(rowsAt([0x01020304, 0x09090909]), SOURCES, 1));
  assert.equal(hosts4.bitmap.byteLength, 128 / 8);
  assert.ok(hosts4.find4(0x01020304) >= 0 && hosts4.find4(0x09090909) >= 0);
  for (let high = 0; high < 0x1_0000; high++)
    assert.equal(hosts4.find4(((high << 16) | 0x0304) >>> 0) >= 0, high === 0x0102);
  const every24 = rowsAt(Array.from({ length: 140_000 }, (_, i) => (i * 0x100) >>> 0));
  assert.equal(open(compile(every24, SOURCES, 1)).hosts4.bitmap.byteLength, 2 ** 24 / 8);
});

test('image plus deltas answers as one image of the same rows, through clears, ended spells, new runs, and a swap to a newer image', () => {
  for (let seed = 1; seed <= 25; seed++) {
    const random = randomBelow(1000 + seed);
    const model = modelOf(randomRows(20, random));
    let live = new LiveEvidence(open(compile(model.rows, SOURCES, 0)), FIXED_SEED);
    let touched = [...model.rows];
    let older: Uint8Array | undefined;
    for (let step = 1; step <= 12; step++) {
      const delta = randomDelta(model, random, step);
      const apply = live.beginDelta(structuredClone(delta));
      while (!apply(1 + random(3)))
        assert.deepEqual([live.sequence, live.dataVersion], [step - 1, `v${step - 1}`], 'not before the last step');
      live.applyDelta(structuredClone(delta));
      touched = [...touched, ...model.rows];
      assert.equal(live.sequence, step);
      assert.equal(live.dataVersion, `v${step}`);
      assertSame(live, model, probes(touched.slice(-60)), `seed ${seed} step ${step}`);
      if (step === 5) older = compile(model.rows, [...model.sources.values()], step);
      if (step === 9) {
        live = swapImage(live, open(older!));
        assert.equal(live.sequence, 9);
        assertSame(live, model, probes(touched.slice(-60)), `seed ${seed} swapped`);
      }
    }
    const rebuilt = new LiveEvidence(open(compile(model.rows, [...model.sources.values()], 12)), FIXED_SEED);
    assertSame(rebuilt, model, probes(model.rows), `rebuilt ${seed}`);
  }
});

/** Changes the model the way a store would, and says so in a delta. */
function randomDelta(model: Model, random: (below: number) => number, step: number): EvidenceDelta {
  const buffer = new EvidenceRowBuffer(1);
  const sources = [...model.sources.values()];
  const sourceNumber = (id: string): number => sources.findIndex((source) => source.id === id);
  const poolNumber = (name: string): number => POOLS.indexOf(name);
  // A source has a new run, some hours on; its open presence intervals move with it.
  const moved = random(sources.length);
  const was = sources[moved]!;
  if (was.runDays > 0) {
    const lastRunAt = (was.lastRunAt + HOUR_MS * (1 + random(40))) as UnixMs;
    sources[moved] = { ...was, lastRunAt, runDays: alignDays(was.runDays, was.lastRunAt, lastRunAt) | 1 };
    model.sources.set(was.id, sources[moved]);
  }
  // Some rows of that source end: the presence interval becomes a fixed row as of the run before.
  const victim = model.rows.find((row) => row.source === was.id && random(2) === 0);
  if (victim !== undefined) {
    const samePlace = (row: ModelRow): boolean =>
      row.source === victim.source && formatPrefix(row.prefix) === formatPrefix(victim.prefix);
    const remaining = model.rows
      .filter(samePlace)
      .flatMap((row): ModelRow[] =>
        row === victim && random(2) === 0
          ? []
          : [row.following ? { ...row, following: false, capturedAt: was.lastRunAt, days: 1 } : row],
      );
    model.rows = [...model.rows.filter((row) => !samePlace(row)), ...remaining];
    fill(buffer, [victim], sourceNumber, poolNumber, ROW_OP.clear);
    fill(buffer, remaining, sourceNumber, poolNumber);
  }
  const added = Array.from({ length: random(6) }, () => {
    const row = randomRow(
      random,
      model.rows.map(({ prefix }) => prefix),
    );
    const last = model.sources.get(row.source)!.lastRunAt;
    return row.following ? { ...row, capturedAt: Math.min(row.capturedAt, last) } : row;
  });
  // One open presence interval a key, as a store keeps them.
  const keyOf = (row: ModelRow): string => `${formatPrefix(row.prefix)} ${row.source} ${row.type} ${row.pool}`;
  const fresh = added.filter(
    (row) => !row.following || !model.rows.some((other) => other.following && keyOf(other) === keyOf(row)),
  );
  model.rows = [...model.rows, ...fresh];
  fill(buffer, fresh, sourceNumber, poolNumber);
  return { ...buffer.copy(), ...positionAt(step), dataVersion: `v${step}`, sources, pools: POOLS };
}

test('an open spell takes its time and days from the runs of its source, from its first run on', () => {
  const at = Date.UTC(2026, 10, 21, 6) as UnixMs;
  const source: LiveSource = { id: 'list', family: 'list', lastRunAt: at, runDays: 0b1111 };
  const prefix = parsePrefix('8.8.8.0/24')!;
  const row: ModelRow = {
    prefix,
    source: 'list',
    type: 0,
    pool: '',
    following: true,
    capturedAt: at - 2 * DAY_MS,
    days: 0,
  };
  const live = new LiveEvidence(open(compile([row], [source], 1)), FIXED_SEED);
  const address: Address = { family: 4, w0: 0x08080808, w1: 0, w2: 0, w3: 0 };
  const seen = { riskType: 'proxy', source: 'list', family: 'list', prefixBits: 24, pools: [] };
  assert.deepEqual(live.observations(address), [{ ...seen, capturedAt: at, days: 0b111 }]);
  const nextRun = (at + DAY_MS) as UnixMs;
  const empty = new EvidenceRowBuffer().copy();
  live.applyDelta({
    ...empty,
    ...positionAt(2),
    dataVersion: '2',
    sources: [{ ...source, lastRunAt: nextRun, runDays: 0b11111 }],
    pools: [''],
  });
  assert.deepEqual(live.observations(address), [{ ...seen, capturedAt: nextRun, days: 0b1111 }]);
});

test('an address never seen gets the one frozen empty array, with and without an overlay', () => {
  const live = new LiveEvidence(
    emptyEvidence({ dataVersion: 'none', builtAt: NOW, ...NO_POSITION }, FIXED_SEED),
    FIXED_SEED,
  );
  assert.deepEqual(verifyEvidence(live.image), []);
  for (const family of [4, 6] as const)
    assert.equal(live.observations({ family, w0: 0xffff_ffff, w1: 0, w2: 0, w3: 0 }), NO_OBSERVATIONS);
  const buffer = new EvidenceRowBuffer();
  fill(
    buffer,
    [{ prefix: parsePrefix('1.1.1.1')!, source: 'a', type: 0, pool: '', following: false, capturedAt: NOW, days: 1 }],
    () => 0,
    () => 0,
  );
  live.applyDelta({
    ...buffer.copy(),
    ...positionAt(1),
    dataVersion: '1',
    sources: [{ id: 'a', family: 'a', lastRunAt: 0 as UnixMs, runDays: 0 }],
    pools: [''],
  });
  assert.equal(live.observations({ family: 4, w0: 0x01010102, w1: 0, w2: 0, w3: 0 }), NO_OBSERVATIONS);
  assert.equal(live.observations({ family: 4, w0: 0x01010101, w1: 0, w2: 0, w3: 0 }).length, 1);
  assert.equal(live.overlaySize, 1);
  assert.ok(Object.isFrozen(NO_OBSERVATIONS));
});

test('an overlay of many thousand prefixes finds each of them, hides the cleared ones, and is gone with the image that holds it', () => {
  const random = randomBelow(8);
  const rowsBelow = (count: number, bits: number) =>
    Array.from({ length: count }, () => ({
      ...randomRow(random, []),
      source: 'events',
      following: false,
      days: 1,
    })).filter(({ prefix }) => prefix.bits > bits);
  // Wider ones would hold every probe.
  const [old, fresh] = [rowsBelow(4500, 12), rowsBelow(6000, 24)];
  const ended = old.filter(({ prefix }) => prefix.bits > 24).slice(0, 500);
  const buffer = new EvidenceRowBuffer();
  const poolNumber = (name: string): number => POOLS.indexOf(name);
  fill(buffer, ended, () => 0, poolNumber, ROW_OP.clear);
  fill(buffer, fresh, () => 0, poolNumber);
  const before = new LiveEvidence(open(compile(old, SOURCES, 1)), FIXED_SEED);
  before.applyDelta({ ...buffer.copy(), ...positionAt(2), dataVersion: 'v2', sources: [SOURCES[4]!], pools: POOLS });
  const gone = new Set(ended.map(({ prefix }) => formatPrefix(prefix)));
  const rows = [...old.filter(({ prefix }) => !gone.has(formatPrefix(prefix))), ...fresh];
  const after = swapImage(before, open(compile(rows, SOURCES, 2)));
  assert.equal(after.overlaySize, 0);
  assert.ok(before.overlaySize > 3000);
  assert.equal(swapImage(after, before.image), after, 'an older image is not taken');
  const model = modelOf(rows);
  for (const address of probes([...ended, ...fresh]))
    assert.deepEqual(before.observations(address), after.observations(address));
  assertSame(before, model, probes([...ended.slice(0, 20), ...fresh.slice(0, 60)]), 'overlay');
});

test('rows that do not fit the format are dropped and counted, and the others stay', () => {
  const bad: Partial<Omit<ModelRow, 'source'> & { source: number; poolNumber: number }>[] = [
    { days: 0 },
    { days: 2 },
    { days: 0x4001 },
    { capturedAt: -1 },
    { capturedAt: 0.5 },
    { capturedAt: Number.NaN },
    { capturedAt: 2 ** 48 },
    { type: RISK_TYPES.length },
    { source: 1 },
    { poolNumber: 1 },
    { prefix: { family: 4, w0: 1, w1: 0, w2: 0, w3: 0, bits: 33 } },
    { prefix: { family: 4, w0: 1, w1: 0, w2: 0, w3: 0, bits: 31 } },
    { prefix: { family: 4, w0: 1, w1: 1, w2: 0, w3: 0, bits: 32 } },
    { prefix: { family: 6, w0: 0, w1: 0, w2: 0, w3: 1, bits: 127 } },
    { prefix: { family: 6, w0: 0, w1: 0, w2: 0, w3: 0, bits: 129 } },
  ];
  for (const change of bad) {
    const builder = new EvidenceBuilder();
    builder.source(SOURCES[0]!);
    const row = {
      prefix: parsePrefix('1.1.1.1')!,
      type: 0,
      capturedAt: NOW as number,
      days: 1,
      source: 0,
      poolNumber: 0,
      ...change,
    };
    const buffer = new EvidenceRowBuffer();
    const i = buffer.prefix(
      row.prefix.family,
      row.prefix.w0,
      row.prefix.w1,
      row.prefix.w2,
      row.prefix.w3,
      row.prefix.bits,
    );
    buffer.row(i, ROW_OP.fixed, row.source, row.type, row.poolNumber, row.capturedAt, row.days);
    buffer.row(buffer.prefix(4, 0x0101_0101, 0, 0, 0, 32), ROW_OP.fixed, 0, 0, 0, NOW, 1);
    builder.add(buffer.columns());
    assert.deepEqual([builder.dropped, builder.length], [1, 1], JSON.stringify(change));
  }
});

test('the same rows make the same file', () => {
  const random = randomBelow(5);
  const rows = randomRows(200, random);
  assert.deepEqual(compile(rows, SOURCES, 1), compile(rows, SOURCES, 1));
});

test('addresses of a list share the rows of its runs', () => {
  const rows = Array.from(
    { length: 1000 },
    (_, i): ModelRow => ({
      prefix: parsePrefix(`9.9.${i >>> 8}.${i & 255}`)!,
      source: SOURCES[0]!.id,
      type: 0,
      pool: '',
      following: false,
      capturedAt: NOW - (i % 4) * 1000,
      days: 1,
    }),
  );
  const { hosts4, setRows } = open(compile(rows, SOURCES, 1));
  assert.deepEqual([hosts4.entries.length, setRows.length], [2 * 1000, 3 * (1 + 4)]);
});

test('a number that begins no row set is found by verify, and lookups end there', () => {
  const prefix = parsePrefix('9.9.9.9')!;
  const row = {
    prefix,
    source: SOURCES[0]!.id,
    type: 0,
    pool: '',
    following: false,
    capturedAt: NOW as number,
    days: 1,
  };
  const around = { ...row, prefix: parsePrefix('9.9.0.0/16')! };
  const bytes = compile([row, { ...row, type: 1 }, around], SOURCES, 1);
  const { image } = open(bytes);
  /** Returns the image with other words in a section, and a checksum that fits. */
  const changed = (section: string, change: (words: Uint32Array) => void) =>
    openEvidence(
      buildImage(
        'evidence',
        image.entries.map(({ id }) => {
          const data = image.bytes(id).slice();
          if (id === section) change(new Uint32Array(data.buffer));
          return { id, data };
        }),
      ).buffer,
    );
  for (const [section, now] of [
    ['H4EN', 1],
    ['EV4C', 3],
  ] as const)
    for (const set of [2, 4, 0x3fff_ffff]) {
      const evidence = changed(section, (words) => words.set(words.map((word) => (word === now ? set : word))));
      assert.match(verifyEvidence(evidence)[0] ?? '', new RegExp(`row set ${set} of 4 rows`));
      assert.ok(new LiveEvidence(evidence, FIXED_SEED).observations(prefix).length < 5);
    }
});

test('damage of any section is found by verify or by opening', () => {
  const bytes = compile(randomRows(80, randomBelow(6)), SOURCES, 1);
  for (const { id, offset, length } of open(bytes).image.entries) {
    for (const at of [0, length >>> 1, length - 1].filter((at) => at >= 0 && at < length)) {
      const broken = bytes.slice();
      broken[offset + at]! ^= 4;
      let found = false;
      try {
        found = verifyEvidence(open(broken)).length > 0;
      } catch (error) {
        found = error instanceof ImageError;
      }
      assert.ok(found, `section ${id} byte ${at}`);
    }
  }
});
