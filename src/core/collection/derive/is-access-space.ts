import type { NetworkSignals } from '../../risk/network-signals.ts';

const SUBSCRIBERS: ReadonlySet<string> = new Set(['DYN', 'MOB']);

/**
 * An address is on access-network space if data names subscribers, or if the AS is known, no usage is, and no
 * list calls it hosting. Hosting, crawlers, private relays and networks with another use (IDC, EDU, CDN, …)
 * never are, nor is an unknown network.
 */
export function isAccessSpace({
  usageType,
  hosting,
  crawler,
  relay,
  asn,
}: NetworkSignals & { readonly asn: number | undefined }): boolean {
  if (hosting || crawler || relay) return false;
  return usageType === undefined ? asn !== undefined : SUBSCRIBERS.has(usageType);
}

export const isSubscriberSpace = ({ usageType, mobile }: NetworkSignals): boolean =>
  mobile || (usageType !== undefined && SUBSCRIBERS.has(usageType));
