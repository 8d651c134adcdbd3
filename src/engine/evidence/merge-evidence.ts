import type { Address } from '../../core/ip/address.ts';
import type { UnixMs } from '../../core/units.ts';
import { EvidenceBuilder } from './evidence-builder.ts';
import { type EvidenceDelta, type EvidenceMeta, ROW_OP } from './evidence-delta.ts';
import type { EvidenceImage } from './evidence-image.ts';
import { capturedAtOf, type DroppedRows, daysOf, nothingDropped, ROW_KEY_WORDS, SOURCES_MAX } from './evidence-row.ts';
import { EvidenceRowBuffer } from './evidence-row-buffer.ts';
import { entryWords } from './host-table.ts';
import { Overlay } from './overlay.ts';

interface MergedEvidence {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly meta: EvidenceMeta;
  readonly dropped: Readonly<DroppedRows>;
}

const CHUNK = 65_536;

/**
 * Brings an image up to a newer state without asking the store: rows of image and changes are compiled again.
 * The result equals a compile of the whole store and keeps the seed, unless buckets became long. Unused names
 * stay, so the whole store must be compiled now and then.
 */
export function mergeEvidence(image: EvidenceImage, changes: EvidenceDelta, builtAt: UnixMs): MergedEvidence {
  const builder = new EvidenceBuilder();
  // Sources and pools of the image keep their numbers; new ones follow them up to the limit of sixteen bits.
  const states = new Map(changes.sources.map((source) => [source.id, source]));
  for (const source of image.sources) builder.source(states.get(source.id) ?? source);
  for (const pool of image.pools) builder.pool(pool);
  const sourceOf = changes.sources.map((source) => builder.source(source));
  const poolOf = changes.pools.map((pool) => builder.pool(pool));

  const dropped = nothingDropped();
  const overlay = new Overlay(image.seed);
  const taken = { 4: new Uint8Array(image.hosts4.count), 6: new Uint8Array(image.hosts6.count) };
  for (let i = 0; i < changes.length; i++) {
    const op = changes.op[i]!;
    const source = sourceOf[changes.source[i]!]!;
    const pool = op === ROW_OP.clear ? 0 : changes.pool[i]!;
    if (source === SOURCES_MAX) {
      dropped.rows++;
      continue;
    }
    if (pool !== 0 && poolOf[pool] === 0) dropped.pools++;
    chooseCandidate(overlay, changes, i, (address, bits) =>
      takeRows(overlay, image, address, bits, taken[address.family]),
    );
    overlay.apply(op, source, changes.type[i]!, poolOf[pool]!, changes.capturedAt[i]!, changes.days[i]!);
  }

  const buffer = new EvidenceRowBuffer(CHUNK);
  const put: PutRow = (family, w0, w1, w2, w3, bits, op, source, type, pool, capturedAt, days) => {
    if (buffer.length === CHUNK) {
      builder.add(buffer.columns());
      buffer.reset();
    }
    buffer.row(buffer.prefix(family, w0, w1, w2, w3, bits), op, source, type, pool, capturedAt, days);
  };
  for (const family of [4, 6] as const) {
    putHosts(image, family, taken[family], put);
    eachPrefixRow(image, family, (w0, w1, w2, w3, bits, at) => {
      if (!overlay.has(family, w0, w1, w2, w3, bits))
        readRow(image, at, (...row) => put(family, w0, w1, w2, w3, bits, ...row));
    });
  }
  putOverlay(overlay, put);
  builder.add(buffer.columns());
  const { dataVersion, store, sequence, mark } = changes;
  const meta = { dataVersion, builtAt, store, sequence, mark };
  return { bytes: builder.compile(meta, image.seed), meta, dropped };
}

type Row = Parameters<Overlay['add']>;
type PutRow = (family: 4 | 6, w0: number, w1: number, w2: number, w3: number, bits: number, ...row: Row) => void;

/** Chooses the prefix of a change. @param first called when the prefix was not held before */
function chooseCandidate(
  overlay: Overlay,
  { family, words, bits }: EvidenceDelta,
  i: number,
  first: (address: Address, bits: number) => void,
): void {
  const [w0, w1, w2, w3] = [words[4 * i]!, words[4 * i + 1]!, words[4 * i + 2]!, words[4 * i + 3]!];
  const address: Address = { family: family[i] === 4 ? 4 : 6, w0, w1, w2, w3 };
  const held = overlay.size;
  overlay.at(address.family, w0, w1, w2, w3, bits[i]!);
  if (overlay.size > held) first(address, bits[i]!);
}

function takeRows(overlay: Overlay, image: EvidenceImage, address: Address, bits: number, taken: Uint8Array): void {
  const add = (...row: Row): void => overlay.add(...row);
  if (bits < (address.family === 4 ? 32 : 128)) {
    image.eachRow(image.prefixSet(address), (at) => {
      // The set of a range holds the rows of all prefixes around it, so the length decides.
      if (((image.rowKeys[ROW_KEY_WORDS * image.setRows[at + 2]! + 1]! >>> 8) & 0xff) === bits) readRow(image, at, add);
    });
    return;
  }
  const at = image.hostEntry(address);
  if (at < 0) return;
  const { entries } = address.family === 4 ? image.hosts4 : image.hosts6;
  taken[Math.floor(at / entryWords(address.family))] = 1;
  image.eachRow(entries[at]!, (row) => readRow(image, row, add));
}

function putHosts(image: EvidenceImage, family: 4 | 6, taken: Uint8Array, put: PutRow): void {
  const { entries } = family === 4 ? image.hosts4 : image.hosts6;
  const width = entryWords(family);
  for (let at = 0, entry = 0; at < entries.length; at += width, entry++) {
    if (taken[entry] === 1) continue;
    const set = entries[at + width - 1]!;
    if (family === 4)
      image.eachRow(set, (row) => readRow(image, row, (...held) => put(4, entries[at]!, 0, 0, 0, 32, ...held)));
    else {
      const [w0, w1, w2, w3] = [entries[at]!, entries[at + 1]!, entries[at + 2]!, entries[at + 3]!];
      image.eachRow(set, (row) => readRow(image, row, (...held) => put(6, w0, w1, w2, w3, 128, ...held)));
    }
  }
}

function putOverlay(overlay: Overlay, put: PutRow): void {
  const { rows } = overlay;
  for (let entry = 0; entry < overlay.size; entry++) {
    const [w0, w1, w2, w3] = [0, 1, 2, 3].map((w) => overlay.wordOf(entry, w)) as [number, number, number, number];
    for (let row = overlay.firstRow(entry); row > 0; row = rows.next(row)) {
      const op = rows.op(row);
      if (op !== ROW_OP.fixed && op !== ROW_OP.following) continue;
      const held: Row = [op, rows.source(row), rows.type(row), rows.pool(row), rows.capturedAt(row), rows.days(row)];
      put(overlay.familyOf(entry), w0, w1, w2, w3, overlay.bitsOf(entry), ...held);
    }
  }
}

function readRow({ rowKeys, setRows: words }: EvidenceImage, at: number, take: (...row: Row) => void): void {
  const key = ROW_KEY_WORDS * words[at + 2]!;
  const [first, second] = [rowKeys[key]!, rowKeys[key + 1]!];
  const op = second >>> 16 === 1 ? ROW_OP.following : ROW_OP.fixed;
  const capturedAt = capturedAtOf(words[at]!, words[at + 1]!);
  take(op, first & 0xffff, second & 0xff, first >>> 16, capturedAt, daysOf(words[at + 1]!));
}

type TakePrefixRow = (w0: number, w1: number, w2: number, w3: number, bits: number, row: number) => void;

/**
 * Passes on the rows that the image's ranges were made of, each once with its prefix. A row of length b in a
 * range's set holds for every b-bit network there. It is passed on for the range that contains the network's
 * first address.
 */
function eachPrefixRow(image: EvidenceImage, family: 4 | 6, take: TakePrefixRow): void {
  const { ids, starts, count } = (family === 4 ? image.prefixes4 : image.prefixes6).ranges();
  const width = family === 4 ? 32 : 128;
  const startOf = (i: number): bigint => {
    if (i === count) return 1n << BigInt(width);
    return family === 4
      ? BigInt(starts[i]!)
      : wide(starts[4 * i]!, starts[4 * i + 1]!, starts[4 * i + 2]!, starts[4 * i + 3]!);
  };
  for (let i = 0; i < count; i++) {
    const set = ids[i]!;
    if (set === 0) continue;
    const from = startOf(i);
    const to = startOf(i + 1);
    image.eachRow(set, (row) => {
      const bits = (image.rowKeys[ROW_KEY_WORDS * image.setRows[row + 2]! + 1]! >>> 8) & 0xff;
      const size = 1n << BigInt(width - bits);
      for (let at = ((from + size - 1n) / size) * size; at < to; at += size) {
        if (family === 4) take(Number(at), 0, 0, 0, bits, row);
        else take(wordOf(at, 96n), wordOf(at, 64n), wordOf(at, 32n), wordOf(at, 0n), bits, row);
      }
    });
  }
}

const wide = (w0: number, w1: number, w2: number, w3: number): bigint =>
  (BigInt(w0) << 96n) | (BigInt(w1) << 64n) | (BigInt(w2) << 32n) | BigInt(w3);
const wordOf = (value: bigint, shift: bigint): number => Number((value >> shift) & 0xffff_ffffn);
