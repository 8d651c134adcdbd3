import { randomBytes } from 'node:crypto';
import type { ConsoleOverride } from '../../contract/console.ts';
import { RISK_TYPES, type RiskType } from '../../contract/risk.ts';
import { isPlainName } from '../../core/caller/sent-key.ts';
import { formatPrefix } from '../../core/ip/format-address.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { SERVICE_CAPS } from '../../core/limits/limits.ts';
import type { Override } from '../../core/risk/override.ts';
import type { Text } from '../../core/texts/chinese.ts';
import { said, type With } from '../../core/texts/said.ts';
import type { UnixMs } from '../../core/units.ts';
import type { By } from '../accounts/account-store.ts';
import { isoTime } from '../iso-time.ts';
import { newId } from '../new-id.ts';
import { Problem } from '../problem.ts';

interface OverrideOptions {
  readonly prefix: string;
  readonly deny?: string | undefined;
  readonly reason: string;
  readonly until: UnixMs;
}

const REASON_MAX = 200;
/** Wider prefixes cover whole network operators: a typing error must not change the verdicts of a country. */
const WIDEST = { 4: 8, 6: 19 } as const;

const refused = <T extends Text>(text: T, ...values: With<T>): Problem =>
  new Problem('bad_request', { message: said(text, ...values) });

export async function addOverride(store: OverrideStore, options: OverrideOptions, by: By): Promise<Override> {
  const prefix = parsePrefix(options.prefix.trim());
  if (prefix === undefined) throw refused('The prefix must be an address or a prefix such as 192.0.2.0/24.');
  if (prefix.bits < WIDEST[prefix.family])
    throw refused('The prefix may be no wider than /{widest} in IPv{family}.', {
      widest: WIDEST[prefix.family],
      family: prefix.family,
    });
  const deny = RISK_TYPES.find((type) => type === options.deny);
  if (options.deny !== undefined && deny === undefined)
    throw refused('The kind must be one of {kinds}.', { kinds: RISK_TYPES.join(', ') });
  if (deny === 'ipv6_range' && prefix.family === 4) throw refused('ipv6_range is a kind of IPv6 prefixes.');
  const reason = options.reason.trim();
  if (reason === '' || reason.length > REASON_MAX || !isPlainName(reason))
    throw refused('The reason must be a line of 1 to {max} characters.', { max: REASON_MAX });
  if (options.until <= by.at) throw refused('The end must be a moment to come.');
  const override: Override = {
    id: newId('ovr', randomBytes),
    prefix: formatPrefix(prefix),
    from: by.at,
    until: options.until,
    ...(deny !== undefined && { deny: deny satisfies RiskType }),
    reason,
  };
  if ((await store.add(override, by, SERVICE_CAPS.overrides)) === 'too_many')
    throw refused('There are at most {max} overrides in force; remove one first.', { max: SERVICE_CAPS.overrides });
  return override;
}

/** Ends an override now. Answers about earlier moments keep it. @throws Problem not_found */
export async function removeOverride(store: OverrideStore, id: string, by: By): Promise<Override> {
  const removed = await store.remove(id, by);
  if (removed === 'unknown_override')
    throw new Problem('not_found', { message: said('There is no override {id}.', { id: JSON.stringify(id) }) });
  return removed;
}

export const describeOverride = ({ prefix, from, until, deny, reason }: Override): Omit<ConsoleOverride, 'id'> => ({
  prefix,
  ...(deny === undefined ? { allow: true } : { deny }),
  reason,
  from: isoTime(from),
  until: isoTime(until),
});

/**
 * Holds overrides in the accounts database. Every change has an audit row and reaches every node. `remove`: an
 * override that has ended stays unchanged.
 */
export interface OverrideStore {
  add(override: Override, by: By, most: number): Promise<'added' | 'too_many'>;
  remove(id: string, by: By): Promise<Override | 'unknown_override'>;
  all(): Promise<readonly Override[]>;
}
