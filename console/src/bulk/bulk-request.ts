import type { ErrorDetail } from '../../../src/contract/documents.ts';
import type { SummaryDoubt, TrafficSummary } from '../../../src/contract/traffic-summary.ts';
import type { LineFormat } from '../../../src/core/logs/line-format.ts';
import type { VerdictFacts } from '../../../src/core/summary/verdict-facts.ts';

/** Distinct entries, addresses or numbers, that one page looks up. */
export const BULK_MAX = 100_000;

/** Requests of the page to its worker. */
export type BulkRequest<Options = undefined> =
  | BulkReadRequest<Options>
  /** Looks up the first of the entries that were not asked about yet. @param most of them @param perMin lookups per minute that the account has */
  | { readonly do: 'run'; readonly csrf: string | undefined; readonly most: number; readonly perMin: number }
  | { readonly do: 'stop' }
  /** Forgets the answers of this file. */
  | { readonly do: 'forget' }
  | { readonly do: 'csv' };

export interface BulkReadRequest<Options> {
  readonly do: 'read';
  readonly source: Blob;
  readonly name: string;
  /** Answers of an earlier run may have been kept for this account. */
  readonly account: string;
  readonly options: Options;
}

/** Findings in a file. */
export interface Findings {
  readonly lines: number;
  /** Distinct ones that can be looked up. */
  readonly entries: number;
}

export interface AddressOptions {
  /** The file is read as any text, with all addresses of a line; else as it is laid out. */
  readonly anyText: boolean;
}

/** Findings in a file with addresses. */
export interface AddressFindings extends Findings {
  readonly format: LineFormat;
  /** Lines with a text but without an address or network. */
  readonly withoutAddress: number;
  /** Lines of private and other special-purpose addresses; in any text each of these addresses. */
  readonly reserved: number;
  /** Prefixes and ranges of addresses, as they stand there: no single address is looked up for them. */
  readonly networks: readonly string[];
  /** Kinds of lines of which neither a format nor names say which address is the client's. */
  readonly doubt: readonly SummaryDoubt[];
}

/** An address with its answer. */
export interface AnsweredAddress {
  readonly ip: string;
  readonly lines: number;
  /** Undefined: the address has no verdict. */
  readonly facts: VerdictFacts | undefined;
}

/** Answers about a file with addresses. */
export interface AddressAnswers {
  readonly summary: TrafficSummary;
  /** The riskiest first. */
  readonly rows: readonly AnsweredAddress[];
  /** The file shows when and how often addresses came; else it is a list. */
  readonly isLog: boolean;
}

/** Answers of the worker. */
export type BulkReport<Found extends Findings, Summary> =
  | { readonly is: 'reading'; readonly lines: number }
  /** @param kept entries whose answers were kept of an earlier run */
  | { readonly is: 'found'; readonly found: Found; readonly kept: number }
  | { readonly is: 'unreadable'; readonly reason: Unreadable }
  /** @param charged lookups so far */
  | { readonly is: 'progress'; readonly done: number; readonly of: number; readonly charged: number }
  | { readonly is: 'waiting'; readonly seconds: number }
  /** The browser keeps nothing: answers are lost with the page. */
  | { readonly is: 'unkept' }
  | {
      readonly is: 'ended';
      readonly problem?: { readonly code: string; readonly message: string; readonly extras: ErrorDetail };
      readonly left: number;
    }
  | { readonly is: 'summary'; readonly summary: Summary }
  | { readonly is: 'csv'; readonly text: Blob };

export type Unreadable = 'layout' | 'too_many' | 'packed' | 'damaged';
