import type { SummaryDoubt, TrafficSummary } from '../../contract/traffic-summary.ts';
import type { OutputForm } from '../../core/enrich/conversion.ts';
import type { EnrichCounts } from '../../core/enrich/enrich-counts.ts';
import type { FieldPath } from '../../core/fields/field-path.ts';
import type { LayoutOptions } from '../../core/logs/detect-layout.ts';
import type { LineFormat } from '../../core/logs/line-format.ts';

import type { ReadingProgress } from '../../core/logs/reading-progress.ts';
import type { Said } from '../../core/texts/said.ts';
import type { UnixMs } from '../../core/units.ts';

export interface EnrichOptions {
  /** A file, or `-` for standard input. */
  readonly path: string;
  /** The file that is replaced; undefined: standard output. */
  readonly out: string | undefined;
  readonly options: LayoutOptions;
  readonly fields: readonly FieldPath[];
  readonly form: OutputForm;
  /** The moment asked about; `line`: each record's own; undefined: now. */
  readonly moment: UnixMs | 'line' | undefined;
  /** Whether a file is written of which most lines have no address. */
  readonly allowPartial: boolean;
  /** Whether the lines are summarised in the same pass, from the data folder. */
  readonly summarizes: boolean;
  /** Undefined: verdicts come from the data folder. */
  readonly server: { readonly url: string; readonly key: string | undefined } | undefined;
  /** Threads that enrich from local data of this moment; undefined: as suits the size. */
  readonly jobs: number | undefined;
  /** Ends the work; a file that is being written stays as it was. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ReadingProgress) => void;
  readonly onWait: (wait: Said) => void;
}

export interface EnrichReport extends EnrichCounts {
  /** Undefined: the file is empty. */
  readonly format: LineFormat | undefined;
  readonly moment: UnixMs | 'line';
  /** Undefined: it is clear which address of a line is the client's. */
  readonly doubt: SummaryDoubt | undefined;
  /** Sources of evidence were missing. */
  readonly degraded: boolean;
  /** Where one was ordered, of a file that is not empty. */
  readonly summary?: TrafficSummary | undefined;
}
