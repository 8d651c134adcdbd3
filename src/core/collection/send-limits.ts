import { RISK_TYPES, type RiskType } from '../../contract/risk.ts';
import { SOURCE_TYPE } from '../evidence/capture-batch-builder.ts';
import type { RefuseRow } from '../evidence/capture-reader.ts';
import type { WidestPrefix } from '../evidence/refuse-prefix.ts';
import type { Prefix } from '../ip/address.ts';

/** Rights of a send-only key: it is for a machine that strangers may take over. */
export interface SendLimits {
  /** It speaks under this name alone. */
  readonly source: string;
  readonly kinds: readonly RiskType[];
  /** Rows may be about prefixes, down to /24 and /48. False: about single addresses (/32, /64). */
  readonly prefixes: boolean;
}

/** What a key that is not send-only may write evidence about: `networks` takes /24, /48 and wider prefixes in. */
export type EvidenceRight = 'addresses' | 'networks';

/** A right as documents show it. */
export const evidenceRights = ({ evidence }: { readonly evidence?: EvidenceRight }) => ({
  evidence: evidence !== undefined,
  networks: evidence === 'networks',
});

/** Kinds that sensors and followed logs report. */
export const SENSOR_KINDS = ['honeypot_scan', 'honeypot_credential'] as const satisfies readonly RiskType[];

const SINGLE: WidestPrefix = { 4: 32, 6: 64 };
const PREFIXES: WidestPrefix = { 4: 24, 6: 48 };

/** Whether evidence about this prefix is evidence about a network, which needs a right of its own. */
export const isNetwork = ({ family, bits }: Pick<Prefix, 'family' | 'bits'>): boolean => bits <= PREFIXES[family];

/** Rows that a key may not send, by reason. A row without a risk type is left to the store, which refuses it. */
export function refuseBeyond({ kinds, prefixes }: SendLimits): RefuseRow {
  const numbers = new Set<number>([SOURCE_TYPE, ...kinds.map((kind) => RISK_TYPES.indexOf(kind))]);
  const widest = prefixes ? PREFIXES : SINGLE;
  return ({ family, bits }, type) => {
    if (!numbers.has(type)) return 'kind_not_allowed';
    return bits < widest[family] ? 'prefix_not_allowed' : undefined;
  };
}
