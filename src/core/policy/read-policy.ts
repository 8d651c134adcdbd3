import { LEVELS, SHARE_TIERS, SIGNALS } from '../../contract/risk.ts';
import type { Prefix } from '../ip/address.ts';
import { formatPrefix } from '../ip/format-address.ts';
import { parsePrefix } from '../ip/prefix.ts';
import { isRecord } from '../kit/json.ts';
import { ACTIONS, type Bound, DEFAULT_POLICY, type Policy, type PolicyDocument, policyOf } from './policy.ts';

const ALLOW_MAX = 1000;
const BOUNDS = ['low', 'medium', 'high', 'never'] as const;
const SCORE = { min: 1, max: 100 };

/** @returns the policy that a JSON value states, or an English sentence on its first fault */
export function readPolicy(value: unknown): Policy | string {
  if (!isRecord(value)) return 'A policy is a JSON object.';
  const { document: defaults } = DEFAULT_POLICY;
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(defaults, name));
  if (unknown !== undefined)
    return `A policy has no field ${JSON.stringify(unknown)}; it has ${Object.keys(defaults).join(', ')}.`;
  const given: PolicyDocument = { ...defaults, ...value };
  const fault =
    boundFault('deny', given.deny) ??
    boundFault('challenge', given.challenge) ??
    actionsFault('tiers', given.tiers, SHARE_TIERS) ??
    actionsFault('signals', given.signals, SIGNALS);
  if (fault !== undefined) return fault;
  if (!ACTIONS.includes(given.tor)) return `tor is one of ${ACTIONS.join(', ')}.`;
  if (typeof given.observe !== 'boolean') return 'observe is true or false.';
  if (given.fail !== 'open' && given.fail !== 'closed') return 'fail is "open" or "closed".';
  const allowed = prefixesOf(given.allow);
  if (typeof allowed === 'string') return allowed;
  const tiers = { ...defaults.tiers, ...given.tiers };
  return policyOf({ ...given, tiers, allow: allowed.map(formatPrefix) }, allowed);
}

const isBound = (value: unknown): value is Bound =>
  (BOUNDS as readonly unknown[]).includes(value) ||
  (typeof value === 'number' && Number.isInteger(value) && value >= SCORE.min && value <= SCORE.max);

const boundFault = (field: string, value: unknown): string | undefined =>
  isBound(value)
    ? undefined
    : `${field} is a level (${LEVELS.slice(1).join(', ')}), a score from ${SCORE.min} to ${SCORE.max}, or "never".`;

function actionsFault(field: string, value: unknown, names: readonly string[]): string | undefined {
  const isGood =
    isRecord(value) &&
    Object.entries(value).every(
      ([name, action]) => names.includes(name) && (ACTIONS as readonly unknown[]).includes(action),
    );
  return isGood ? undefined : `${field} gives some of ${names.join(', ')} an action: ${ACTIONS.join(', ')}.`;
}

function prefixesOf(value: unknown): readonly Prefix[] | string {
  if (!Array.isArray(value) || value.length > ALLOW_MAX)
    return `allow is a list of at most ${ALLOW_MAX} addresses and prefixes.`;
  const prefixes: Prefix[] = [];
  for (const text of value) {
    const prefix = typeof text === 'string' ? parsePrefix(text) : undefined;
    if (prefix === undefined) return `allow holds ${JSON.stringify(text)}, which is neither an address nor a prefix.`;
    prefixes.push(prefix);
  }
  return prefixes;
}
