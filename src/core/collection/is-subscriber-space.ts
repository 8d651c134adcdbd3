import type { NetworkSignals } from '../risk/network-signals.ts';

/** Usage types of networks whose addresses belong to subscribers: homes and phones. */
const SUBSCRIBERS: ReadonlySet<string> = new Set(['DYN', 'MOB']);

/** Whether network data names subscribers there. */
export const isSubscriberSpace = ({ usageType, mobile }: NetworkSignals): boolean => mobile || (usageType !== undefined && SUBSCRIBERS.has(usageType));
