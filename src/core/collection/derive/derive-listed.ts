import { RISK_TYPES, type RiskType } from '../../../contract/risk.ts';
import { SOURCE_TYPE } from '../../evidence/capture-batch-builder.ts';
import { batchAddress } from '../../evidence/drop-duplicates.ts';
import type { CaptureBatch } from '../../evidence/observation.ts';
import { familyBits } from '../../ip/prefix.ts';
import type { UnixMs } from '../../units.ts';
import { type CollectionFacts, isAccessSpace } from './derivation-rules.ts';

/**
 * Replaces kinds in a batch of a list of proxy bots. A single address of an access network with a usage code
 * gets the derived kind instead of the list's own, because a subscriber's device relays there for strangers.
 * One observation stays one capture. Ranges keep the list's kind: one proxy in a network says nothing about
 * its other subscribers.
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
  readonly riskType: RiskType;
  readonly derives: RiskType;
}

function isListedHome(batch: CaptureBatch, row: number, facts: CollectionFacts, at: UnixMs): boolean {
  const address = batchAddress(batch, row);
  if (batch.bits[row] !== familyBits(address.family)) return false;
  const network = facts.network(address);
  // Missing usage data does not make an address a home just because one list names it.
  return network.usageType !== undefined && isAccessSpace(network) && !facts.isKnownGood(address, at);
}
