import { OWN_RISK_TYPES, RISK_TYPES, type RiskType } from '../../contract/risk.ts';
import { CaptureBatchBuilder } from '../evidence/capture-batch-builder.ts';
import { dropDuplicates } from '../evidence/drop-duplicates.ts';
import {
  type NarrowestPrefix,
  refusePrefix,
  WIDEST_EVIDENCE,
  WIDEST_NETWORK,
  type WidestPrefix,
} from '../evidence/intake-refusals.ts';
import { formatPrefix } from '../ip/format-address.ts';
import { prefixOf } from '../ip/prefix.ts';
import { PrefixScanner } from '../ip/prefix-scanner.ts';
import type { ParsedFeed } from './feed.ts';

export interface RowOptions {
  readonly riskType?: RiskType;
  readonly keepReserved?: boolean;
  readonly widest?: WidestPrefix;
  readonly narrowest?: NarrowestPrefix;
  readonly ownKinds?: boolean;
}

const OWN_KINDS: ReadonlySet<number> = new Set(OWN_RISK_TYPES.map((type) => RISK_TYPES.indexOf(type)));

/**
 * Collects the rows of one list, refuses with a reason rows without a public address, and drops exact
 * duplicates at the end.
 */
export class RowBuilder {
  readonly scanner = new PrefixScanner();
  readonly refused = new Map<string, number>();
  readonly #keepReserved: boolean;
  readonly #widest: WidestPrefix;
  readonly #narrowest: NarrowestPrefix | undefined;
  readonly #riskType: number;
  readonly #ownKinds: boolean;
  readonly #batch: CaptureBatchBuilder;
  readonly #asns: number[] = [];
  readonly #places = new Set<string>();
  #rows = 0;

  /**
   * @param options.keepReserved lists about networks may describe any space; evidence may not
   * @param options.widest shortest prefixes taken; default: as suits evidence, or with `keepReserved`
   * networks
   * @param options.narrowest longest prefixes taken; default: single addresses
   * @param options.ownKinds rows may be of kinds that only own collection brings
   * @param options.capacity rows to make room for at first
   */
  constructor(options: RowOptions & { readonly capacity?: number }) {
    this.#batch = new CaptureBatchBuilder(options.capacity);
    this.#riskType = RISK_TYPES.indexOf(options.riskType ?? 'osint');
    this.#ownKinds = options.ownKinds ?? false;
    this.#keepReserved = options.keepReserved ?? false;
    this.#widest = options.widest ?? (this.#keepReserved ? WIDEST_NETWORK : WIDEST_EVIDENCE);
    this.#narrowest = options.narrowest;
  }

  refuse(reason: string): void {
    this.refused.set(reason, (this.refused.get(reason) ?? 0) + 1);
  }

  pool(name: string): number | undefined {
    return this.#batch.poolId(name);
  }

  addAsn(asn: number): void {
    this.#asns.push(asn);
    this.#rows++;
  }

  /** Notes the place of the scanner's record. @param cells of a geofeed after its prefix */
  addPlace(cells: string): void {
    this.#places.add(`${formatPrefix(prefixOf(this.scanner, this.scanner.bits))},${cells}`);
  }

  /**
   * Takes the scanner's record. `again`: a further capture of the previous row, not a row of its own.
   * @returns false when it was refused
   */
  addScanned(at: number = Number.NaN, riskType: RiskType | undefined = undefined, pool = 0, again = false): boolean {
    const { scanner } = this;
    const type = riskType === undefined ? this.#riskType : RISK_TYPES.indexOf(riskType);
    const fault = this.#faultOf(type);
    if (fault !== undefined) {
      this.refuse(fault);
      return false;
    }
    this.#batch.append(scanner.family, scanner.w0, scanner.w1, scanner.w2, scanner.w3, scanner.bits, type, at, pool);
    if (!again) this.#rows++;
    return true;
  }

  /**
   * Undefined when the row is taken. A published list that claims kinds which only own sensors see would be
   * believed.
   */
  #faultOf(type: number): string | undefined {
    const { scanner } = this;
    if (!this.#ownKinds && OWN_KINDS.has(type)) return 'own_collection_only';
    if (this.#narrowest !== undefined && scanner.bits > this.#narrowest[scanner.family]) return 'prefix_too_narrow';
    return refusePrefix(scanner, this.#widest, this.#keepReserved);
  }

  addText(text: string, at: number = Number.NaN, riskType: RiskType | undefined = undefined, pool = 0): boolean {
    if (!this.scanText(text)) {
      this.refuse('not_an_address');
      return false;
    }
    return this.addScanned(at, riskType, pool);
  }

  /** Accepts an address, a prefix, `host:port` or `[host]:port`, with white space around it. */
  scanText(text: string): boolean {
    const bytes = ENCODER.encode(text.trim());
    return this.scanField(bytes, 0, bytes.length);
  }

  scanField(bytes: Uint8Array, from: number, to: number): boolean {
    const bracket = bytes[from] === 91 && from < to ? 1 : 0;
    if (!this.scanner.scan(bytes, from + bracket, to)) return false;
    const { end } = this.scanner;
    if (bracket === 1) return bytes[end] === 93 && end < to && (end + 1 === to || isPort(bytes, end + 1, to));
    return end === to || (this.scanner.family === 4 && isPort(bytes, end, to));
  }

  /** Drops exact duplicates and keeps first occurrences. The builder must not be used afterwards. */
  finish(): ParsedFeed {
    const batch = dropDuplicates(this.#batch.build());
    return {
      batch,
      asns: Uint32Array.from(new Set(this.#asns)).sort(),
      ...(this.#places.size > 0 && { places: [...this.#places] }),
      rows: this.#rows,
      refused: this.refused,
      publishedAt: undefined,
    };
  }
}

const ENCODER = new TextEncoder();

export function isPort(bytes: Uint8Array, from: number, to: number): boolean {
  if (bytes[from] !== 58 || to - from < 2 || to - from > 6) return false;
  let port = 0;
  for (let at = from + 1; at < to; at++) {
    const digit = bytes[at]! - 48;
    if (digit < 0 || digit > 9) return false;
    port = port * 10 + digit;
  }
  return port >= 1 && port <= 65_535;
}
