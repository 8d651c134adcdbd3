import type { TrafficSummary } from '../../contract/traffic-summary.ts';
import type { EnrichCounts } from '../../core/enrich/block-enricher.ts';
import type { OutputForm } from '../../core/enrich/conversion.ts';
import type { FieldPath } from '../../core/fields/field-path.ts';
import type { LayoutOptions } from '../../core/logs/detect-layout.ts';
import type { LineFormat, ReadingProgress } from '../../core/logs/line-format.ts';

import type { Said } from '../../core/texts/said.ts';
import type { UnixMs } from '../../core/units.ts';

export interface EnrichOptions {
  readonly path: string;
  /** The file is replaced; undefined means standard output. */
  readonly out: string | undefined;
  readonly options: LayoutOptions;
  readonly fields: readonly FieldPath[];
  readonly form: OutputForm;
  /** `line` judges each record at its own time; undefined means now. */
  readonly moment: UnixMs | 'line' | undefined;
  /** Accepts a file in which most lines have no address. */
  readonly allowPartial: boolean;
  /** The same pass also summarises the lines, from the data folder. */
  readonly summarizes: boolean;
  /** Undefined: verdicts come from the data folder. */
  readonly server: { readonly url: string; readonly key: string | undefined } | undefined;
  /** Threads that enrich from local data of this moment; undefined lets the size decide. */
  readonly jobs: number | undefined;
  /** Aborting ends the work and leaves the output file unchanged. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ReadingProgress) => void;
  readonly onWait: (wait: Said) => void;
}

export interface EnrichReport extends EnrichCounts {
  readonly format: LineFormat | undefined;
  readonly moment: UnixMs | 'line';
  readonly degraded: boolean;
  readonly summary?: TrafficSummary | undefined;
}
