import { RISK_TYPES, type RiskType } from '../../../contract/risk.ts';
import { batchAddress } from '../../evidence/batch-address.ts';
import { SOURCE_TYPE } from '../../evidence/capture-batch-builder.ts';
import type { CaptureBatch } from '../../evidence/observation.ts';
import { familyBits } from '../../ip/prefix.ts';
import type { UnixMs } from '../../units.ts';
import type { CollectionFacts } from '../tally/collection-facts.ts';
import { isAccessSpace } from './is-access-space.ts';

/**
 * A list of proxy bots about access networks that a usage code names: an entry that is one address of such a network is of the derived kind instead of the list's own, since it is a
 * subscriber's device that relays for strangers. One observation stays one capture. Ranges keep the list's kind: that some machine of a network is a proxy says
 * nothing of its other subscribers.
 * @param at moment of the run, at which an address may be a known service
 */
export function deriveListed(
  batch: CaptureBatch,
  { riskType, derives }: ListOfBots,
  facts: CollectionFacts,
  at: UnixMs,
): CaptureBatch {
  const own = RISK_TYPES.indexOf(riskType);
  const derived = RISK_TYPES.indexOf(derives);
  const type = batch.type.map((said, row) =>
    (said === SOURCE_TYPE || said === own) && isListedHome(batch, row, facts, at) ? derived : said,
  );
  return { ...batch, type };
}

export interface ListOfBots {
  /** Kind of its entries, and of those among them that are single addresses of access networks. */
  readonly riskType: RiskType;
  readonly derives: RiskType;
}

function isListedHome(batch: CaptureBatch, row: number, facts: CollectionFacts, at: UnixMs): boolean {
  const address = batchAddress(batch, row);
  if (batch.bits[row] !== familyBits(address.family)) return false;
  const network = facts.network(address);
  // That no data names a use does not make a home of an address that one list names.
  return network.usageType !== undefined && isAccessSpace(network) && !facts.isKnownGood(address, at);
}
