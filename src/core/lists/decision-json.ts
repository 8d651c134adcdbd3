import type { Prefix } from '../ip/address.ts';
import { formatAddress, formatPrefix } from '../ip/format-address.ts';
import { contains, familyBits } from '../ip/prefix.ts';
import type { UnixMs } from '../units.ts';
import { type Decision, DecisionTable } from './decision-table.ts';

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
  return `{"id":${id},"uuid":"${uuidOf(decision)}","origin":"${ORIGIN}","scenario":"${scenarioOf(decision)}","scope":"${scopeOf(decision)}","type":"${type}","value":"${value}","duration":"${durationOf(until - at)}"}`;
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

/** The UUID depends on the prefix alone, in the free form of RFC 9562 (version 8). */
function uuidOf({ prefix: { family, w0, w1, w2, w3, bits } }: Decision): string {
  const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, '0');
  const text = hex(w0) + hex(w1) + hex(w2) + hex(w3 ^ (bits << 24) ^ family);
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-8${text.slice(13, 16)}-a${text.slice(17, 20)}-${text.slice(20)}`;
}

/** Returns the decisions on prefixes that lie in a range, or in which it lies. */
export function inRange(table: DecisionTable, range: Prefix): DecisionTable {
  const found = new DecisionTable();
  for (const decision of table) {
    const { prefix } = decision;
    const [wide, narrow] = prefix.bits < range.bits ? [prefix, range] : [range, prefix];
    if (contains(wide, narrow)) found.add(decision);
  }
  return found;
}

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
