import type { TrafficSummary } from '../../contract/traffic-summary.ts';
import type { EnrichCounts } from '../../core/enrich/block-enricher.ts';
import type { OutputForm } from '../../core/enrich/conversion.ts';
import type { FieldPath } from '../../core/fields/field-path.ts';
import type { LayoutOptions } from '../../core/logs/detect-layout.ts';
import type { LineFormat, ReadingProgress } from '../../core/logs/line-format.ts';

import type { Said } from '../../core/texts/said.ts';
import type { UnixMs } from '../../core/units.ts';

/**
 * - `out`: the file is replaced; undefined means standard output.
 * - `moment`: `line` judges each record at its own time; undefined means now.
 * - `allowPartial`: accepts a file in which most lines have no address.
 * - `summarizes`: the same pass also summarises the lines, from the data folder.
 * - `server`: undefined: verdicts come from the data folder.
 * - `jobs`: threads that enrich from local data of this moment; undefined lets the size decide.
 * - `signal`: aborting ends the work and leaves the output file unchanged.
 */
export interface EnrichOptions {
  readonly path: string;
  readonly out: string | undefined;
  readonly options: LayoutOptions;
  readonly fields: readonly FieldPath[];
  readonly form: OutputForm;
  readonly moment: UnixMs | 'line' | undefined;
  readonly allowPartial: boolean;
  readonly summarizes: boolean;
  readonly server: { readonly url: string; readonly key: string | undefined } | undefined;
  readonly jobs: number | undefined;
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
