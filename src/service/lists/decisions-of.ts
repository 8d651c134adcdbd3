import type { Prefix } from '../../core/ip/address.ts';
import { addressAfter, familyBits, prefixesOfRange } from '../../core/ip/prefix.ts';
import { BOUNCER_MAX, type BouncerBounds } from '../../core/lists/bouncer-bounds.ts';
import { type Decision, DecisionTable } from '../../core/lists/decision-table.ts';
import { addressOrder } from '../../core/policy/order.ts';
import { DEFAULT_POLICY, type Policy } from '../../core/policy/policy.ts';
import type { Verdict } from '../../core/risk/verdict.ts';
import type { UnixMs } from '../../core/units.ts';
import { type ExportData, judgedStretches } from '../lookup/export-entries.ts';

export interface DecisionOptions {
  readonly at: UnixMs;
  readonly minScore: number;
  readonly policy?: Policy;
  readonly counts: (source: string) => boolean;
  readonly exclude?: readonly Prefix[];
}

const TYPES = { allow: undefined, challenge: 'captcha', deny: 'ban' } as const;

/** Returns the decision on a verdict: deny is a ban, challenge a captcha; undefined for none. */
export function decisionOn(found: Verdict, prefix: Prefix, until: UnixMs, policy: Policy): Decision | undefined {
  const type = TYPES[addressOrder(policy, found, prefix).action];
  const [strongest] = found.evidence;
  if (type === undefined || policy.document.observe || strongest === undefined) return undefined;
  return { prefix, score: found.score, type, riskType: strongest.riskType, until };
}

/** Returns the decisions of this moment, at most BOUNCER_MAX: the riskiest ones. */
export function decisionsOf(
  data: ExportData,
  { at, minScore, policy = DEFAULT_POLICY, counts, exclude = [] }: DecisionOptions,
): DecisionTable {
  const choice = {
    at,
    families: [4, 6] as const,
    filter: { minScore, states: ['active' as const] },
    carries: 'record' as const,
    counts,
    exclude,
    withNetworks: true,
  };
  const table = new DecisionTable();
  for (const { first, last, verdict: found, until } of judgedStretches(data, choice, minScore))
    for (const prefix of prefixesOfRange(first, last)) {
      const decision = decisionOn(found, prefix, until, policy);
      if (decision !== undefined) table.add(decision);
    }
  return table.riskiest(BOUNCER_MAX);
}

/** Returns what a key with these bounds is sent of all decisions. */
export function decisionsWithin(all: DecisionTable, { max, single }: BouncerBounds): DecisionTable {
  if (!single) return all.riskiest(max);
  const table = new DecisionTable();
  for (const decision of all)
    if (decision.prefix.bits < familyBits(decision.prefix.family)) addSingly(table, decision, max);
    else table.add(decision);
  return table.riskiest(max);
}

/** A range with room for only some of its addresses is left whole: half of it would look like all of it. */
function addSingly(table: DecisionTable, decision: Decision, max: number): void {
  const { prefix } = decision;
  const bits = familyBits(prefix.family);
  const count = 2 ** (bits - prefix.bits);
  if (count > max) {
    table.add(decision);
    return;
  }
  let address: Prefix = { ...prefix, bits };
  for (let i = 0; i < count; i++) {
    table.add({ ...decision, prefix: address });
    const next = addressAfter(address);
    if (next === undefined) return;
    address = { ...next, bits };
  }
}
