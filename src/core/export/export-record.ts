import { type EvidenceState, type Level, SHARE_TIERS, type ShareTier, type Signal } from '../../contract/risk.ts';
import type { Prefix } from '../ip/address.ts';
import { type OrderFacts, orderOf } from '../policy/order.ts';
import { type Action, DEFAULT_POLICY } from '../policy/policy.ts';
import type { Verdict } from '../risk/verdict.ts';
import type { AnonymityField } from './anonymity.ts';

/**
 * A verdict about a prefix, with field names of the single endpoint's body.
 * - `network`: present only where one network holds the whole prefix.
 * - `anonymity`: present only in a file that carries nothing else.
 */
export interface ExportRecord {
  readonly risk: {
    readonly score: number;
    readonly level: Level;
    readonly signals?: readonly Signal[];
  };
  readonly evidence_state: EvidenceState;
  readonly network?: { readonly asn?: number; readonly usage_type?: string };
  readonly anonymity?: readonly AnonymityField[];
}

/** Entries ascend, IPv4 first, and never overlap. */
export interface ExportEntry {
  readonly prefix: Prefix;
  readonly record: ExportRecord;
}

/** Says how much of a record a format can hold; prefixes that agree in that much are joined. */
export type ExportDetail = 'record' | 'score' | 'prefix' | 'anonymity';

/**
 * Selects the verdicts of a file; an absent list admits everything.
 * - `maxTier`: the greatest tier of the network.
 * - `actions`: orders on an address whose score is high enough; undefined for a file that is not a block list.
 */
export interface ExportFilter {
  readonly minScore: number;
  readonly levels?: readonly Level[] | undefined;
  readonly states?: readonly EvidenceState[] | undefined;
  readonly signals?: readonly Signal[] | undefined;
  readonly maxTier?: ShareTier | undefined;
  readonly actions?: readonly Action[] | undefined;
}

export const listedActions = (includeShared = false): readonly Action[] =>
  includeShared ? ['challenge', 'deny'] : ['deny'];

/** The least score of a list is its bound of denial; Tor, the crowd and allow lists count as everywhere. */
export function passesFilter(found: OrderFacts & Pick<Verdict, 'level' | 'state'>, filter: ExportFilter): boolean {
  const { score, level, state, signals, crowd } = found;
  return (
    score >= filter.minScore &&
    (filter.levels?.includes(level) ?? true) &&
    (filter.states?.includes(state) ?? true) &&
    (filter.maxTier === undefined || SHARE_TIERS.indexOf(crowd) <= SHARE_TIERS.indexOf(filter.maxTier)) &&
    (filter.signals === undefined || filter.signals.some((signal) => signals.includes(signal))) &&
    (filter.actions?.includes(orderOf(DEFAULT_POLICY, { ...found, score: 100 }).action) ?? true)
  );
}

export const MMDB_SCHEMAS = ['pulse', 'anonymous-ip', 'city', 'asn'] as const;
export type MmdbSchema = (typeof MMDB_SCHEMAS)[number];

/**
 * Names of files for updaters, which `metadata.database_type` holds too; the first of a schema is that of
 * `pulse export`. Most readers choose a schema by its ending, MaxMind's own take MaxMind's names alone.
 */
export const EDITIONS: Readonly<Record<string, MmdbSchema>> = {
  'Pulse-Risk': 'pulse',
  'Pulse-Anonymous-IP': 'anonymous-ip',
  'Pulse-City': 'city',
  'Pulse-ASN': 'asn',
  'GeoIP2-Anonymous-IP': 'anonymous-ip',
  'GeoIP2-City': 'city',
  'GeoLite2-City': 'city',
  'GeoLite2-Country': 'city',
  'GeoLite2-ASN': 'asn',
};

export const editionOf = (schema: MmdbSchema): string =>
  Object.keys(EDITIONS).find((edition) => EDITIONS[edition] === schema)!;

export type GeoSchema = Extract<MmdbSchema, 'city' | 'asn'>;

export const isGeoSchema = (schema: MmdbSchema): schema is GeoSchema => schema === 'city' || schema === 'asn';
