import type { Feed } from '../../core/feeds/feed.ts';
import type { NetworkListSink } from './feed-ports.ts';

/** Without relay ranges, the people of a private relay would be captured as VPN users. */
export const WAITS_FOR_RELAY =
  'waits for a list of private-relay ranges: lists of VPN addresses hold relay egress too (`pulse feeds refresh apple-private-relay`)';

const bringsRelay = ({ effect }: Feed): boolean => effect.kind === 'network' && effect.network.relay === true;

/**
 * Sorts private-relay lists first, before any list of VPN addresses. Other lists about networks follow, so
 * that one rebuild of the network data holds them all.
 */
export function relayFirst<T>(things: readonly T[], feedOf: (thing: T) => Feed): T[] {
  const rank = (thing: T): number => (bringsRelay(feedOf(thing)) ? 0 : feedOf(thing).effect.kind === 'network' ? 1 : 2);
  return things.toSorted((a, b) => rank(a) - rank(b));
}

/** Questions of network data are decided when captures are accepted, so a list of VPN addresses waits. */
export const waitsForRelay = ({ effect }: Feed, networks: Pick<NetworkListSink, 'knowsRelay'>): boolean =>
  effect.kind === 'risk' && effect.riskType === 'vpn' && !networks.knowsRelay();
