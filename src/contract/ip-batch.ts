import type { ErrorBody } from './errors.ts';
import type { IPRisk, PulseIPRisk } from './risk.ts';

/** Addresses in one batch (decisions 10.1). */
export const IP_BATCH_MAX = 1000;
export const IP_BATCH_BODY_MAX_BYTES = 1024 * 1024;
/** Of a body: each so many cost one unit of the minute at least, whatever they hold. A thousand IPv6 addresses are 45 of them. */
export const IP_BATCH_UNIT_BYTES = 1024;

/** The item of an address that got no verdict: the input as it was sent, and why. */
export interface IPBatchRefusal extends ErrorBody {
  readonly ip: string;
}

interface Batch<Item> {
  readonly count: number;
  /** Items with a verdict: what was charged. */
  readonly billable: number;
  readonly results: readonly (Item | IPBatchRefusal)[];
}

/** Answer of POST /v1/ip/batch: items in input order, each the body of GET /v1/ip/{ip}. */
export type IPBatch = Batch<IPRisk>;
/** Answer of POST /pulse/v1/ip/batch: each item the body of GET /pulse/v1/ip/{ip}. */
export type PulseIPBatch = Batch<PulseIPRisk>;
