import type { Feed } from '../../core/feeds/feed.ts';

export const WAITS_FOR_NETWORK_DATA =
  'waits for place and network data, which are being prepared: they say which of its addresses are on access networks';

/** Questions of network data are decided when a run is accepted and never again, so such a list waits. */
export const waitsForNetworkData = ({ effect }: Feed, hasNetworkData: (() => boolean) | undefined): boolean =>
  effect.kind === 'risk' && effect.derives !== undefined && hasNetworkData?.() === false;
