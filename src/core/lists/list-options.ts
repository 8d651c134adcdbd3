import type { ListOptions } from '../../contract/lists.ts';
import { EVIDENCE_STATES, LEVELS, SHARE_TIERS, SIGNALS } from '../../contract/risk.ts';
import { type ExportFilter, listedActions } from '../export/export-record.ts';
import { formatPrefix } from '../ip/format-address.ts';
import { parsePrefix } from '../ip/prefix.ts';
import { isRecord } from '../kit/json.ts';

export const LIST_MAX = 10_000_000;
const EXCLUDE_MAX = 1000;
const DEFAULT_MIN_SCORE = 70;

const FIELDS = [
  'min_score',
  'levels',
  'states',
  'signals',
  'max_tier',
  'include_shared',
  'family',
  'exclude',
  'max',
] as const;
const FAMILIES = ['4', '6', 'both'] as const;
/** Addresses without evidence are on no list. */
const STATES = EVIDENCE_STATES.filter((state) => state !== 'none');

/** @returns the settings that a JSON value states, with defaults, or an English sentence on its first fault */
export function readListOptions(value: unknown): ListOptions | string {
  if (!isRecord(value)) return 'A list is a JSON object.';
  const unknown = Object.keys(value).find((name) => !(FIELDS as readonly string[]).includes(name));
  if (unknown !== undefined) return `A list has no field ${JSON.stringify(unknown)}; it has ${FIELDS.join(', ')}.`;
  const {
    levels,
    signals,
    max,
    max_tier = 'T3',
    include_shared = false,
    family = 'both',
    states = ['active'],
    exclude = [],
  } = value;
  const { min_score = levels === undefined ? DEFAULT_MIN_SCORE : 0 } = value;
  if (!isWhole(min_score, 0, 100)) return 'min_score is a whole number from 0 to 100.';
  if (levels !== undefined && !isSome(levels, LEVELS)) return `levels holds some of ${LEVELS.join(', ')}.`;
  if (!isSome(states, STATES)) return `states holds some of ${STATES.join(', ')}.`;
  if (signals !== undefined && !isSome(signals, SIGNALS)) return `signals holds some of ${SIGNALS.join(', ')}.`;
  if (!isOne(max_tier, SHARE_TIERS)) return `max_tier is one of ${SHARE_TIERS.join(', ')}.`;
  if (typeof include_shared !== 'boolean') return 'include_shared is true or false.';
  if (!isOne(family, FAMILIES)) return `family is one of ${FAMILIES.join(', ')}.`;
  if (max !== undefined && !isWhole(max, 1, LIST_MAX)) return `max is a whole number from 1 to ${LIST_MAX}.`;
  const excluded = prefixesOf(exclude);
  if (excluded === undefined) return `exclude is a list of at most ${EXCLUDE_MAX} addresses and prefixes.`;
  return {
    min_score,
    states,
    max_tier,
    family,
    exclude: excluded,
    ...(levels !== undefined && { levels }),
    ...(signals !== undefined && { signals }),
    ...(include_shared && { include_shared }),
    ...(max !== undefined && { max }),
  };
}

export const readListMax = (text: string): number | undefined =>
  /^\d{1,8}$/.test(text) && isWhole(Number(text), 1, LIST_MAX) ? Number(text) : undefined;

export const filterOf = ({
  min_score,
  levels,
  states,
  signals,
  max_tier,
  include_shared,
}: ListOptions): ExportFilter => ({
  minScore: min_score,
  levels,
  states,
  signals,
  maxTier: max_tier,
  actions: listedActions(include_shared),
});

export const familiesOf = ({ family }: Pick<ListOptions, 'family'>): readonly (4 | 6)[] =>
  family === 'both' ? [4, 6] : [family === '4' ? 4 : 6];

const isWhole = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;

const isOne = <T extends string>(value: unknown, known: readonly T[]): value is T =>
  (known as readonly unknown[]).includes(value);

const isSome = <T extends string>(value: unknown, known: readonly T[]): value is readonly T[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => isOne(one, known));

function prefixesOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length > EXCLUDE_MAX) return undefined;
  const prefixes = value.map((text) => (typeof text === 'string' ? parsePrefix(text) : undefined));
  return prefixes.includes(undefined) ? undefined : prefixes.map((prefix) => formatPrefix(prefix!));
}
