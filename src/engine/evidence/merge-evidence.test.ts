import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIXED_SEED } from '../../../test/support/fixed-seed.ts';
import { randomBelow } from '../../../test/support/random.ts';
import { RISK_TYPES } from '../../contract/risk.ts';
import type { Address } from '../../core/ip/address.ts';
import { formatPrefix } from '../../core/ip/format-address.ts';
import { addressAfter, lastAddress, prefixOf } from '../../core/ip/prefix.ts';
import { DAY_MS, type UnixMs } from '../../core/units.ts';
import { emptyEvidence } from './empty-evidence.ts';
import { EvidenceBuilder } from './evidence-builder.ts';
import {
  type EvidenceDelta,
  type EvidencePosition,
  type LiveSource,
  NO_POSITION,
  positionOf,
  ROW_OP,
} from './evidence-delta.ts';
import { type EvidenceImage, openEvidence, verifyEvidence } from './evidence-image.ts';
import { EvidenceRowBuffer } from './evidence-row-buffer.ts';
import { LiveEvidence } from './live-evidence.ts';
import { mergeEvidence } from './merge-evidence.ts';

const NOW = Date.UTC(2026, 10, 21, 9, 30) as UnixMs;
const POOLS = ['', 'vendor-x', 'vendor-y'];
const LISTS: readonly LiveSource[] = ['a', 'b', 'tor'].map((id) => ({
  id,
  family: id,
  lastRunAt: NOW,
  runDays: 0x3fff,
}));
const EVENTS: LiveSource = { id: 'events', family: 'own', lastRunAt: 0 as UnixMs, runDays: 0 };
const SOURCES = [...LISTS, EVENTS];

type Random = ReturnType<typeof randomBelow>;

/** Prefixes in a small corner of each family, so that they nest, meet and repeat; half of them single addresses. */
function randomPrefix(random: Random) {
  const near = (): number => (random(3) === 0 ? random(2) * 0xffff_ffff : random(8) << (4 * random(8))) >>> 0;
  const family = random(2) === 0 ? 4 : 6;
  const address: Address =
    family === 4
      ? { family, w0: near(), w1: 0, w2: 0, w3: 0 }
      : { family, w0: random(2), w1: near(), w2: near(), w3: near() };
  const longest = family === 4 ? 32 : 128;
  return prefixOf(address, random(2) === 0 ? longest : random(longest + 1));
}

interface Step {
  readonly delta: EvidenceDelta;
  readonly probes: readonly Address[];
}

/** Rows that come and go. @param clears whether sources also take back captures */
/** Returns the position of the store of these tests at a batch. */
const positionAt = (sequence: number): EvidencePosition => ({ store: 'store', sequence, mark: `m${sequence}` });

function randomStep(random: Random, count: number, sequence: number, clears: boolean): Step {
  const buffer = new EvidenceRowBuffer(1);
  const probes: Address[] = [];
  for (let n = 0; n < count; n++) {
    const prefix = randomPrefix(random);
    const { family, w0, w1, w2, w3, bits } = prefix;
    const source = random(SOURCES.length);
    const taken = clears && random(4) === 0;
    const op = taken
      ? random(2) === 0
        ? ROW_OP.clear
        : ROW_OP.ended
      : source < LISTS.length && random(2) === 0
        ? ROW_OP.following
        : ROW_OP.fixed;
    const at = NOW - random(20) * DAY_MS - random(DAY_MS);
    buffer.row(
      buffer.prefix(family, w0, w1, w2, w3, bits),
      op,
      source,
      random(3),
      random(POOLS.length),
      at,
      op === ROW_OP.fixed || op === ROW_OP.ended ? 1 | random(0x4000) : 0,
    );
    const last = lastAddress(prefix);
    probes.push({ family, w0, w1, w2, w3 }, last);
    const after = addressAfter(last);
    if (after !== undefined) probes.push(after);
  }
  return {
    delta: { ...buffer.copy(), ...positionAt(sequence), dataVersion: `v${sequence}`, sources: SOURCES, pools: POOLS },
    probes,
  };
}

function compile(delta: EvidenceDelta): EvidenceImage {
  const builder = new EvidenceBuilder();
  for (const source of delta.sources) builder.source(source);
  for (const pool of delta.pools) builder.pool(pool);
  builder.add(delta);
  return openEvidence(
    builder.compile({ dataVersion: delta.dataVersion, builtAt: NOW, ...positionOf(delta) }, FIXED_SEED).buffer,
  );
}

const merged = (image: EvidenceImage, delta: EvidenceDelta): EvidenceImage =>
  openEvidence(mergeEvidence(image, delta, NOW).bytes.buffer);

const assertSame = (merged: EvidenceImage, live: LiveEvidence, probes: readonly Address[], note: string): void => {
  const alone = new LiveEvidence(merged, FIXED_SEED);
  for (const address of probes)
    assert.deepEqual(
      alone.observations(address),
      live.observations(address),
      `${note}: ${formatPrefix({ ...address, bits: 0 })}`,
    );
};

test('a merged image answers as the image with the same changes on top, again and again', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = randomBelow(seed);
    const first = randomStep(random, random(60), 1, false);
    let image = compile(first.delta);
    const live = new LiveEvidence(image, FIXED_SEED);
    const probes = [...first.probes];
    for (let sequence = 2; sequence <= 5; sequence++) {
      const { delta, probes: more } = randomStep(random, random(40), sequence, true);
      image = merged(image, delta);
      live.applyDelta(delta);
      probes.push(...more);
      assert.deepEqual(verifyEvidence(image), [], `seed ${seed}/${sequence}`);
      assert.deepEqual(image.meta, { dataVersion: `v${sequence}`, builtAt: NOW, ...positionAt(sequence) });
      assertSame(image, live, probes, `seed ${seed}/${sequence}`);
    }
  }
});

test('an empty image takes thousands of addresses in, and a table of them thousands more', () => {
  const random = randomBelow(9);
  let image = emptyEvidence({ dataVersion: 'none', builtAt: NOW, ...NO_POSITION }, FIXED_SEED);
  const live = new LiveEvidence(image, FIXED_SEED);
  const probes: Address[] = [];
  for (const [index, count] of [300, 5_000, 10_000].entries()) {
    const buffer = new EvidenceRowBuffer(count);
    for (let n = 0; n < count; n++) {
      const family = random(3) === 0 ? 6 : 4;
      const address: Address = {
        family,
        w0: random(0x1_0000_0000),
        w1: family === 4 ? 0 : random(9),
        w2: 0,
        w3: family === 4 ? 0 : random(9),
      };
      buffer.row(
        buffer.prefix(family, address.w0, address.w1, 0, address.w3, family === 4 ? 32 : 128),
        ROW_OP.fixed,
        0,
        0,
        0,
        NOW - n,
        1,
      );
      if (n % 50 === 0) probes.push(address);
    }
    const delta = {
      ...buffer.copy(),
      ...positionAt(index + 1),
      dataVersion: `v${index}`,
      sources: [EVENTS],
      pools: [''],
    };
    image = merged(image, delta);
    live.applyDelta(delta);
    assert.deepEqual(verifyEvidence(image), []);
  }
  assertSame(image, live, probes, 'grown');
  assert.ok(image.hosts4.count > 9_000 && image.hosts6.count > 4_000);
});

test('the end of a spell leaves its fixed row, joined to earlier ended ones, and no open one', () => {
  const bytes = (rows: readonly (readonly [op: number, at: number, days: number])[], sequence: number) => {
    const buffer = new EvidenceRowBuffer();
    for (const bits of [32, 24])
      for (const [op, at, days] of rows)
        buffer.row(buffer.prefix(4, 0x0808_0800, 0, 0, 0, bits), op, 0, 0, 0, at, days);
    return { ...buffer.copy(), ...positionAt(sequence), dataVersion: `v${sequence}`, sources: LISTS, pools: [''] };
  };
  const before = compile(
    bytes(
      [
        [ROW_OP.fixed, NOW - 5 * DAY_MS, 0b11],
        [ROW_OP.following, NOW - 3 * DAY_MS, 0],
      ],
      1,
    ),
  );
  const after = merged(before, bytes([[ROW_OP.ended, NOW - 2 * DAY_MS, 0b11]], 2));
  const expected = compile(bytes([[ROW_OP.fixed, NOW - 2 * DAY_MS, 0b11011]], 2));
  for (const w0 of [0x0808_0800, 0x0808_0808]) {
    const address: Address = { family: 4, w0, w1: 0, w2: 0, w3: 0 };
    assert.equal(new LiveEvidence(after, FIXED_SEED).observations(address)[0]?.capturedAt, NOW - 2 * DAY_MS);
    assert.deepEqual(
      new LiveEvidence(after, FIXED_SEED).observations(address),
      new LiveEvidence(expected, FIXED_SEED).observations(address),
    );
  }
});

test('sources past the numbers of sixteen bits are left out with their rows, which are counted; all others are merged', () => {
  const sources = Array.from({ length: 65_540 }, (_, n): LiveSource => ({ ...EVENTS, id: `s${n}`, family: `s${n}` }));
  const buffer = new EvidenceRowBuffer();
  for (const bits of [32, 24]) {
    for (const [type, source] of [0, 65_534, 65_535].entries()) {
      buffer.row(buffer.prefix(4, 0x0808_0800, 0, 0, 0, bits), ROW_OP.fixed, source, type, 0, NOW, 1);
    }
  }
  const nothing = emptyEvidence({ dataVersion: 'none', builtAt: NOW, ...NO_POSITION }, FIXED_SEED);
  const { bytes, dropped } = mergeEvidence(
    nothing,
    { ...buffer.copy(), ...positionAt(1), dataVersion: 'v1', sources, pools: [''] },
    NOW,
  );
  assert.deepEqual(dropped, { rows: 2, pools: 0 });
  const image = openEvidence(bytes.buffer);
  assert.deepEqual(verifyEvidence(image), []);
  const observed = new LiveEvidence(image, FIXED_SEED).observations({
    family: 4,
    w0: 0x0808_0800,
    w1: 0,
    w2: 0,
    w3: 0,
  });
  const seen = observed.map(({ riskType, family }) => `${riskType} ${family}`).sort();
  // Each once for its /32 and once for its /24.
  assert.deepEqual(seen, [0, 0, 1, 1].map((type) => `${RISK_TYPES[type]} ${type === 0 ? 's0' : 's65534'}`).sort());
});
