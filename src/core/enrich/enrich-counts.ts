/** Outcomes of the records of a block or a file. Headers are not counted. */
export interface EnrichCounts {
  readonly records: number;
  /** With the fields of a verdict. */
  readonly enriched: number;
  /** With an address that has no verdict: reserved, or in no data at all. */
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
