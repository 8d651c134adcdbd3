import type { TrafficSummary } from '../../contract/traffic-summary.ts';
import { parseAnyAddress } from '../../core/ip/parse-address.ts';
import { namedAddresses, namedSummary, type SummaryIdentity } from '../../core/report/named-summary.ts';
import type { UnixMs } from '../../core/units.ts';
import { identifyAddress } from '../../service/lookup/identify-address.ts';
import type { HistoryPast, LookupView } from '../../service/ports.ts';

export interface SummaryMoment {
  readonly view: LookupView;
  readonly at: UnixMs;
  readonly past: HistoryPast | undefined;
}

/** Names the Tor exits, relays, known services and research scanners in a summary. */
export async function identifySummary(summary: TrafficSummary, moment: SummaryMoment): Promise<TrafficSummary> {
  const { view, at, past } = moment;
  const identities = new Map<string, SummaryIdentity>();
  for (const { ip } of namedAddresses(summary)) {
    const address = parseAnyAddress(ip)!;
    const seen = past === undefined ? view.observations(address) : await past.observationsAt(address, at);
    const { knownGood, sharedBy } = identifyAddress(view, address, at, seen);
    identities.set(ip, {
      ...(knownGood !== undefined && { [knownGood.scanner === true ? 'scanner' : 'service']: knownGood.what }),
      ...(sharedBy !== undefined && { shared_by: sharedBy }),
    });
  }
  return namedSummary(summary, ({ ip }) => identities.get(ip) ?? {});
}
