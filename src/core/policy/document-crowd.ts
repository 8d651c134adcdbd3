import type { IPRisk, PulseIPRisk } from '../../contract/documents.ts';
import { crowdOf } from '../risk/share-tier.ts';
import type { Verdict } from '../risk/verdict.ts';

type Crowd = Pick<Verdict, 'crowd' | 'sharedBy'>;

/**
 * Returns who shares an address as far as a document tells. Evidence raises a tier to T2 at most: T3 elsewhere than
 * on a carrier's network is a Tor exit or a relay, and a relay has no evidence of vpn. A basic document tells neither.
 */
export function documentCrowd(document: IPRisk | PulseIPRisk): Crowd {
  const family = document.ip.includes(':') ? 6 : 4;
  const usageType = document.network?.usage_type;
  const isCarrier = crowdOf({ usageType, relay: false }, 4) === 'T3';
  const isExit = 'share_tier' in document && document.share_tier === 'T3' && !isCarrier;
  const isTor = isExit && document.evidence.some(({ risk_type }) => risk_type === 'vpn');
  const sharedBy = isTor ? 'tor' : isExit ? 'relay' : undefined;
  return { sharedBy, crowd: crowdOf({ usageType, relay: sharedBy === 'relay' }, family) };
}
