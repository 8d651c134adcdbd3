import { RISK_TYPES, type RiskType } from '../../contract/risk.ts';
import { SOURCE_TYPE } from '../evidence/capture-batch-builder.ts';
import type { RefuseRow } from '../evidence/capture-reader.ts';
import type { WidestPrefix } from '../evidence/intake-refusals.ts';
import type { Prefix } from '../ip/address.ts';
import { Recent } from '../kit/recent.ts';
import { WindowCount } from '../kit/window-count.ts';
import { MINUTE_MS } from '../units.ts';

export type ConnectionRefusal = 'open' | 'rate' | 'open_of_source' | 'rate_of_source';

export interface SourceLimitsOptions {
  readonly openMax: number;
  readonly openOfSourceMax: number;
  readonly perMinuteMax: number;
  readonly perMinuteOfSourceMax: number;
}

export const SENSOR_LIMITS: SourceLimitsOptions = {
  openMax: 2000,
  openOfSourceMax: 16,
  perMinuteMax: 300_000,
  perMinuteOfSourceMax: 120,
};

const SOURCES_MAX = 65_536;

interface Source {
  open: number;
  readonly minute: WindowCount;
}

export class SourceLimits {
  readonly #limits: SourceLimitsOptions;
  readonly #sources = new Recent<string, Source>(SOURCES_MAX, (entry, source) => {
    if (entry.open > 0) this.#sources.set(source, entry);
  });
  readonly #minute: WindowCount;
  #open = 0;

  constructor(limits: SourceLimitsOptions = SENSOR_LIMITS) {
    this.#limits = limits;
    this.#minute = new WindowCount(MINUTE_MS, limits.perMinuteMax);
  }

  get held(): { readonly open: number; readonly sources: number } {
    return { open: this.#open, sources: this.#sources.size };
  }

  /** Counts a new connection; call `release` when it closes. @returns undefined if it is admitted */
  admit(source: string, at: number): ConnectionRefusal | undefined {
    const limits = this.#limits;
    if (this.#open >= limits.openMax) return 'open';
    if (this.#minute.isFull(at)) return 'rate';
    const entry = this.#entry(source);
    if (!entry.minute.take(at)) return 'rate_of_source';
    if (entry.open >= limits.openOfSourceMax) return 'open_of_source';
    entry.open += 1;
    this.#open += 1;
    this.#minute.take(at);
    return undefined;
  }

  release(source: string): void {
    const entry = this.#sources.get(source);
    if (entry === undefined) throw new Error('a connection that was not admitted is released');
    entry.open -= 1;
    this.#open -= 1;
  }

  #entry(source: string): Source {
    const known = this.#sources.get(source);
    if (known !== undefined) return known;
    const made = { open: 0, minute: new WindowCount(MINUTE_MS, this.#limits.perMinuteOfSourceMax) };
    this.#sources.set(source, made);
    return made;
  }
}

/**
 * A send-only key is meant for a machine that strangers may take over. `prefixes`: true allows prefixes down to /24
 * and /48; false allows single addresses (/32, /64) only.
 */
export interface SendLimits {
  readonly source: string;
  readonly kinds: readonly RiskType[];
  readonly prefixes: boolean;
}

/** Bounds the evidence of a key that is not send-only. `networks` includes /24, /48 and wider prefixes. */
export type EvidenceRight = 'addresses' | 'networks';

export const evidenceRightFlags = ({ evidence }: { readonly evidence?: EvidenceRight }) => ({
  evidence: evidence !== undefined,
  networks: evidence === 'networks',
});

export const SENSOR_KINDS = ['honeypot_scan', 'honeypot_credential'] as const satisfies readonly RiskType[];

const SINGLE: WidestPrefix = { 4: 32, 6: 64 };
const PREFIXES: WidestPrefix = { 4: 24, 6: 48 };

/** Evidence about such a prefix is about a network, which needs a right of its own. */
export const isNetwork = ({ family, bits }: Pick<Prefix, 'family' | 'bits'>): boolean => bits <= PREFIXES[family];

/**
 * Returns a filter with the reason for each row that the key may not send. A row without a risk type is left
 * to the store, which refuses it.
 */
export function sendLimitsFilter({ kinds, prefixes }: SendLimits): RefuseRow {
  const numbers = new Set<number>([SOURCE_TYPE, ...kinds.map((kind) => RISK_TYPES.indexOf(kind))]);
  const widest = prefixes ? PREFIXES : SINGLE;
  return ({ family, bits }, type) => {
    if (!numbers.has(type)) return 'kind_not_allowed';
    return bits < widest[family] ? 'prefix_not_allowed' : undefined;
  };
}
