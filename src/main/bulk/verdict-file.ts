import { existsSync } from 'node:fs';
import { writeOutput } from '../../adapters/log-files/open-output.ts';
import type { ExportNotice, GeoNotice } from '../../core/export/export-notice.ts';
import { metaOf } from '../../core/export/text-formats.ts';
import { EntryDigest } from './entry-digest.ts';
import { type ExportFormat, exportChunks, exportDetailOf, type RiskSchema } from './export-formats.ts';
import { openVerdicts, type VerdictChoice, type VerdictStores } from './open-verdicts.ts';
import { FILE_MODE, replaceFile, type WrittenFile } from './replace-file.ts';

export interface ExportOptions extends VerdictChoice {
  readonly format: ExportFormat;
  readonly schema: RiskSchema;
  /** The file is replaced; `-` is standard output. */
  readonly path: string;
  readonly name: string;
  readonly hasComments?: boolean | undefined;
}

export interface ExportOutcome {
  readonly notice: Pick<GeoNotice, 'moment' | 'dataVersion'> &
    Partial<Pick<ExportNotice, 'parametersVersion' | 'degraded' | 'leftOut'>>;
  readonly prefixes: number;
  /** Undefined if the content is unchanged and the file was left. */
  readonly written: WrittenFile | undefined;
}

/** The digest covers what a file says, without its moment. */
export interface FileStatement {
  readonly digest: string;
  readonly prefixes: number;
  /** Prefixes that are left out because sources may not be passed on. */
  readonly leftOut: number;
  readonly degraded: boolean;
  readonly isNew: boolean;
}

/** Writes a file of verdicts from the data folder, again and again if asked to. */
export class VerdictFile {
  readonly #stores: VerdictStores;
  readonly #options: ExportOptions;
  #written: string | undefined;

  /** @param written digest of the file that is there */
  constructor(stores: VerdictStores, options: ExportOptions, written?: string) {
    this.#stores = stores;
    this.#options = options;
    this.#written = written;
  }

  /**
   * Writes the verdicts of its moment, if they differ from the last file.
   * @param signal gives the work up; the file then stays as it was
   * @param onProgress is given the number of prefixes so far
   */
  async write(
    signal: AbortSignal,
    onProgress: (prefixes: number) => void = () => {},
  ): Promise<ExportOutcome & FileStatement> {
    const { format, schema, path } = this.#options;
    const carries = exportDetailOf(format, schema);
    const { notice, entries: found, leftOut } = await openVerdicts(this.#stores, this.#options, carries);
    const digest = new EntryDigest(notice, carries !== 'prefix');
    const entries = digest.over(found, (count) => {
      signal.throwIfAborted();
      onProgress(count);
    });
    const isNew = (): boolean => digest.text() !== this.#written || !existsSync(path);
    const pieces = exportChunks(format, { ...this.#options, entries, notice });
    let isReplaced = true;
    const written = await replaceFile(path, pieces, { signal, isNew: () => (isReplaced = isNew()) });
    if (isReplaced && format === 'csv' && path !== '-')
      await writeOutput(
        `${path}.meta.json`,
        Buffer.from(`${JSON.stringify(metaOf(notice), undefined, 2)}\n`),
        FILE_MODE,
      );
    this.#written = digest.text();
    return {
      ...{ notice, digest: this.#written, prefixes: digest.count, leftOut: leftOut(), degraded: notice.degraded },
      ...{ isNew: isReplaced, written: isReplaced ? written : undefined },
    };
  }
}
