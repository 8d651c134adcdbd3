import type { NetworkSignals } from '../../risk/network-signals.ts';

/** Usage types of networks whose addresses belong to subscribers: homes and phones. */
const SUBSCRIBERS: ReadonlySet<string> = new Set(['DYN', 'MOB']);

/**
 * Whether an address is on access-network space: data names subscribers, or the AS is known, no usage is, and no list calls it hosting. Never hosting, crawlers or
 * private relay, nor where data names another use (IDC, EDU, CDN, …). Where nothing is known of the network, it is not.
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

/** Whether network data names subscribers there. */
export const isSubscriberSpace = ({ usageType, mobile }: NetworkSignals): boolean =>
  mobile || (usageType !== undefined && SUBSCRIBERS.has(usageType));
