import { RISK_TYPES } from '../../contract/risk.ts';
import type { Address } from '../../core/ip/address.ts';
import { Image, type ImageBuffer, ImageError, verifyChecksums } from '../image.ts';
import { RangeTable4 } from '../ranges/range-table4.ts';
import { RangeTable6 } from '../ranges/range-table6.ts';
import { AddressHash, type HashSeed, isHashSeed } from './address-hash.ts';
import type { EvidenceMeta, LiveSource } from './evidence-delta.ts';
import { isLast, LAST, PREFIXES, ROW_KEY_WORDS, ROW_WORDS } from './evidence-row.ts';
import { HostTable } from './host-table.ts';

/**
 * An opened evidence image with every row that holds for an address. Immutable and shared by all threads;
 * LiveEvidence adds later changes.
 */
export class EvidenceImage {
  readonly image: Image;
  readonly meta: EvidenceMeta;
  readonly seed: HashSeed;
  readonly sources: readonly LiveSource[];
  readonly pools: readonly string[];
  readonly rowKeys: Uint32Array;
  readonly setRows: Uint32Array;
  readonly hosts4: HostTable;
  readonly hosts6: HostTable;
  readonly prefixes4: RangeTable4;
  readonly prefixes6: RangeTable6;

  constructor(image: Image) {
    this.image = image;
    const meta = readMeta(image.json('META'));
    const { dataVersion, builtAt, store, sequence, mark } = meta;
    this.meta = { dataVersion, builtAt, store, sequence, mark };
    this.seed = meta.seed;
    this.sources = meta.sources;
    this.pools = meta.pools;
    this.rowKeys = image.words32('PROF');
    this.setRows = image.words32('SETR');
    const hash = new AddressHash(meta.seed);
    this.hosts4 = new HostTable(image, 4, hash);
    this.hosts6 = new HostTable(image, 6, hash);
    this.prefixes4 = new RangeTable4(image, PREFIXES);
    this.prefixes6 = new RangeTable6(image, PREFIXES);
    const sizes = [this.hosts4, this.hosts6, this.prefixes4, this.prefixes6].flatMap((part) => part.sizeFaults());
    if (this.rowKeys.length % ROW_KEY_WORDS !== 0) sizes.push('half a rowKey');
    if (this.setRows.length % ROW_WORDS !== 0 || !isLast(this.setRows, this.setRows.length / ROW_WORDS - 1))
      sizes.push('the row sets do not end with their rows');
    if (sizes[0] !== undefined) throw new ImageError(sizes[0]);
  }

  /** Returns the sources that rows refer to, without those that were only followed. */
  sourcesOfRows(): readonly LiveSource[] {
    const named = new Set<number>();
    for (let i = 0; i < this.rowKeys.length; i += ROW_KEY_WORDS) named.add(this.rowKeys[i]! & 0xffff);
    return this.sources.filter((_, source) => named.has(source));
  }

  eachRow(set: number, take: (at: number) => void): void {
    if (set === 0) return;
    for (let at = ROW_WORDS * set; at < this.setRows.length; at += ROW_WORDS) {
      take(at);
      if (this.setRows[at + 1]! >= LAST) return;
    }
  }

  /** 0 means that no row set covers the address. */
  prefixSet(address: Address): number {
    return address.family === 4
      ? this.prefixes4.find(address.w0)
      : this.prefixes6.find(address.w0, address.w1, address.w2, address.w3);
  }

  /** Returns the index of the address's own set number in its host table, or -1. */
  hostEntry(address: Address): number {
    return address.family === 4
      ? this.hosts4.find4(address.w0)
      : this.hosts6.find6(address.w0, address.w1, address.w2, address.w3);
  }
}

/** Checks everything that keeps lookups inside their tables; `verifyEvidence` checks the rest. */
export function openEvidence(buffer: ImageBuffer): EvidenceImage {
  return new EvidenceImage(new Image(buffer, 'evidence'));
}

interface StoredMeta extends EvidenceMeta {
  readonly seed: HashSeed;
  readonly sources: readonly LiveSource[];
  readonly pools: readonly string[];
}

function readMeta(value: unknown): StoredMeta {
  const meta = value as Partial<StoredMeta> | null;
  const complete =
    typeof meta === 'object' &&
    meta !== null &&
    typeof meta.dataVersion === 'string' &&
    typeof meta.builtAt === 'number' &&
    typeof meta.sequence === 'number' &&
    typeof meta.store === 'string' &&
    typeof meta.mark === 'string' &&
    isHashSeed(meta.seed) &&
    Array.isArray(meta.sources) &&
    Array.isArray(meta.pools) &&
    meta.pools[0] === '';
  if (!complete) throw new ImageError('its metadata is incomplete');
  return meta as StoredMeta;
}

/** Checks an image in full: checksums, order and reachability of every entry, every number a row holds. */
export function verifyEvidence(evidence: EvidenceImage): readonly string[] {
  const damaged = verifyChecksums(evidence.image);
  if (damaged.length > 0) return damaged;
  const named = (part: string, faults: readonly string[]): readonly string[] =>
    faults.map((fault) => `${part}: ${fault}`);
  const { setRows } = evidence;
  const rows = setRows.length / ROW_WORDS;
  const setFault = (set: number): string | undefined =>
    set > 0 && set < rows && isLast(setRows, set - 1) ? undefined : `row set ${set} of ${rows} rows`;
  const rangeFault = (set: number): string | undefined => (set === 0 ? undefined : setFault(set));
  return [
    ...named('rowKeys', rowKeyFaults(evidence)),
    ...named('row sets', setFaults(evidence)),
    ...named('IPv4 addresses', evidence.hosts4.faults(setFault)),
    ...named('IPv6 addresses', evidence.hosts6.faults(setFault)),
    ...named('IPv4 prefixes', evidence.prefixes4.faults(rangeFault)),
    ...named('IPv6 prefixes', evidence.prefixes6.faults(rangeFault)),
  ];
}

function rowKeyFaults({ rowKeys, sources, pools }: EvidenceImage): readonly string[] {
  const faults: string[] = [];
  for (let i = 0; i < rowKeys.length && faults.length < 5; i += ROW_KEY_WORDS) {
    const known =
      (rowKeys[i]! & 0xffff) < sources.length &&
      rowKeys[i]! >>> 16 < pools.length &&
      (rowKeys[i + 1]! & 0xff) < RISK_TYPES.length;
    if (!known || rowKeys[i + 1]! >>> 17 !== 0 || ((rowKeys[i + 1]! >>> 8) & 0xff) > 128)
      faults.push(`rowKey ${i / ROW_KEY_WORDS} names what does not exist`);
  }
  return faults;
}

function setFaults({ rowKeys, setRows }: EvidenceImage): readonly string[] {
  const faults: string[] = [];
  if (setRows[0] !== 0 || setRows[1] !== LAST || setRows[2] !== 0) faults.push('set 0 is not empty');
  for (let at = ROW_WORDS; at < setRows.length && faults.length < 5; at += ROW_WORDS)
    if (setRows[at + 2]! >= rowKeys.length / ROW_KEY_WORDS || (setRows[at + 1]! & 0x4000_0000) !== 0)
      faults.push(`row ${at / ROW_WORDS}: rowKey ${setRows[at + 2]}`);
  return faults;
}
