/** Counts the records of a block or a file by outcome; headers do not count. */
export interface EnrichCounts {
  readonly records: number;
  readonly enriched: number;
  /** These have an address without a verdict: it is reserved, or in no data at all. */
  readonly refused: number;
  readonly withoutAddress: number;
}

export const NO_RECORDS: EnrichCounts = { records: 0, enriched: 0, refused: 0, withoutAddress: 0 };

export const addCounts = (a: EnrichCounts, b: EnrichCounts): EnrichCounts => ({
  records: a.records + b.records,
  enriched: a.enriched + b.enriched,
  refused: a.refused + b.refused,
  withoutAddress: a.withoutAddress + b.withoutAddress,
});
