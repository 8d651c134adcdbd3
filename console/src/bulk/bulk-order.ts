import type { ErrorExtras } from '../../../src/contract/documents.ts';
import type { TrafficSummary } from '../../../src/contract/traffic-summary.ts';
import type { LineFormat } from '../../../src/core/logs/line-format.ts';

/** Distinct addresses that one page looks up. */
export const BULK_MAX = 100_000;

/** Requests of the page to its worker. */
export type BulkOrder =
  /** @param account whose answers may have been kept of an earlier run */
  | { readonly do: 'read'; readonly source: Blob; readonly name: string; readonly account: string }
  /** Looks up the most frequent addresses that were not asked about yet. @param most of them @param perMin look-ups a minute that the account has */
  | { readonly do: 'run'; readonly csrf: string | undefined; readonly most: number; readonly perMin: number }
  | { readonly do: 'stop' }
  /** Forgets the answers of this file. */
  | { readonly do: 'forget' }
  | { readonly do: 'csv' };

/** Findings in the file. */
export interface BulkFound {
  readonly is: 'found';
  readonly format: LineFormat;
  readonly lines: number;
  /** Distinct ones that can be looked up. */
  readonly addresses: number;
  readonly withoutAddress: number;
  readonly reserved: number;
  /** Addresses whose answers were kept of an earlier run. */
  readonly kept: number;
}

export type BulkReport =
  | { readonly is: 'reading'; readonly lines: number }
  | BulkFound
  | { readonly is: 'unreadable'; readonly reason: 'layout' | 'too_many' | 'damaged' }
  /** @param charged look-ups so far */
  | { readonly is: 'progress'; readonly done: number; readonly of: number; readonly charged: number }
  | { readonly is: 'waiting'; readonly seconds: number }
  /** The browser keeps nothing: answers are lost with the page. */
  | { readonly is: 'unkept' }
  | {
      readonly is: 'ended';
      readonly problem?: { readonly code: string; readonly message: string; readonly extras: ErrorExtras };
      readonly left: number;
    }
  | { readonly is: 'summary'; readonly summary: TrafficSummary }
  | { readonly is: 'csv'; readonly text: Blob };
