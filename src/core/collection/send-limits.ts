import { RISK_TYPES, type RiskType } from '../../contract/risk.ts';
import { SOURCE_TYPE } from '../evidence/capture-batch-builder.ts';
import type { RefuseRow } from '../evidence/capture-reader.ts';
import type { WidestPrefix } from '../evidence/refuse-prefix.ts';
import type { Prefix } from '../ip/address.ts';

/** A send-only key is meant for a machine that strangers may take over. */
export interface SendLimits {
  readonly source: string;
  readonly kinds: readonly RiskType[];
  /** True allows prefixes down to /24 and /48; false allows single addresses (/32, /64) only. */
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
