import type { Feed } from '../../core/feeds/feed.ts';

/** Why a list whose entries on access networks are of another kind is not taken in yet. */
export const WAITS_FOR_NETWORK_DATA =
  'waits for place and network data, which are being prepared: they say which of its addresses are on access networks';

/** Whether a list waits: questions of network data are decided when a run is accepted and never again. */
export const waitsForNetworkData = ({ effect }: Feed, hasNetworkData: (() => boolean) | undefined): boolean =>
  effect.kind === 'risk' && effect.derives !== undefined && hasNetworkData?.() === false;
