import type { Prefix } from '../ip/address.ts';
import { formatAddress, formatPrefix } from '../ip/format-address.ts';
import { contains, familyBits } from '../ip/prefix.ts';
import type { UnixMs } from '../units.ts';
import type { Decision, DecisionTable } from './decision-table.ts';

/** An absent filter refuses nothing. */
export interface DecisionFilter {
  readonly scopes?: readonly string[] | undefined;
  readonly origins?: readonly string[] | undefined;
  readonly containing?: readonly string[] | undefined;
  readonly notContaining?: readonly string[] | undefined;
  readonly type?: string | undefined;
}

const ORIGIN = 'pulse';
const isIp = ({ prefix }: Decision): boolean => prefix.bits === familyBits(prefix.family);
const scopeOf = (decision: Decision): 'Ip' | 'Range' => (isIp(decision) ? 'Ip' : 'Range');
const scenarioOf = ({ riskType }: Decision): string => `pulse/${riskType}`;

export function passes(
  decision: Decision,
  { scopes, origins, containing, notContaining, type }: DecisionFilter,
): boolean {
  const scenario = scenarioOf(decision);
  return (
    (scopes?.some((scope) => scope.toLowerCase() === scopeOf(decision).toLowerCase()) ?? true) &&
    (origins?.includes(ORIGIN) ?? true) &&
    (containing?.some((text) => scenario.includes(text)) ?? true) &&
    !(notContaining?.some((text) => scenario.includes(text)) ?? false) &&
    (type === undefined || type === decision.type)
  );
}

/** Returns a decision of CrowdSec's bouncer protocol as JSON. */
export function decisionJson(decision: Decision, at: UnixMs): string {
  const { prefix, type, until } = decision;
  const id = idOf(decision);
  const value = isIp(decision) ? formatAddress(prefix) : formatPrefix(prefix);
  return `{"id":${id},"uuid":"${uuidOf(id)}","origin":"${ORIGIN}","scenario":"${scenarioOf(decision)}","scope":"${scopeOf(decision)}","type":"${type}","value":"${value}","duration":"${durationOf(until - at)}"}`;
}

/** Writes a duration as Go does, such as `3h30m18s`; a time that is over is negative. */
export function durationOf(ms: number): string {
  const seconds = Math.ceil(Math.abs(ms) / 1000);
  const sign = ms < 0 && seconds > 0 ? '-' : '';
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const text = `${hours > 0 ? `${hours}h` : ''}${hours + minutes > 0 ? `${minutes}m` : ''}${rest}s`;
  return `${sign}${text}`;
}

/** The number depends on the prefix alone, so that a changed decision keeps it; it is below 2^53. */
function idOf({ prefix: { family, w0, w1, w2, w3, bits } }: Decision): number {
  if (family === 4) return w0 * 64 + bits;
  const mixed =
    Math.imul(Math.imul(w0 ^ 0x9e3779b9, 0x85ebca6b) ^ w1, 0xc2b2ae35) ^ Math.imul(w2 ^ bits, 0x27d4eb2f) ^ w3;
  return 2 ** 52 + (mixed >>> 0) * 2 ** 19 + ((w1 ^ w3) & 0x7ffff);
}

/** The UUID holds that number, in the free form of RFC 9562 (version 8). */
function uuidOf(id: number): string {
  const hex = id.toString(16).padStart(14, '0');
  return `00000000-0000-8000-a${hex.slice(0, 3)}-0${hex.slice(3)}`;
}

/** Returns the decisions on prefixes that lie in a range, or in which it lies. */
export const inRange = (table: DecisionTable, range: Prefix): DecisionTable =>
  table.where(({ prefix }) => (prefix.bits < range.bits ? contains(prefix, range) : contains(range, prefix)));

/** Yields a list of decisions, the riskiest first; `null` for none. */
export function* decisionsJson(table: DecisionTable, filter: DecisionFilter, at: UnixMs): Generator<string> {
  let isFirst = true;
  for (const decision of table.byRisk()) {
    if (!passes(decision, filter)) continue;
    yield (isFirst ? '[' : ',') + decisionJson(decision, at);
    isFirst = false;
  }
  yield isFirst ? 'null' : ']';
}
