import { createHash, type Hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeOutput } from '../../adapters/log-files/open-output.ts';
import { type ExportNotice, type GeoNotice, noticeLines } from '../../core/export/export-notice.ts';
import type { ExportEntry, ExportRecord } from '../../core/export/export-record.ts';
import { metaOf } from '../../core/export/text-formats.ts';
import { unixMs } from '../../core/units.ts';
import { type ExportFormat, exportChunks, exportDetailOf, type FileContent } from './export-formats.ts';
import { openVerdicts, type VerdictChoice, type VerdictStores } from './open-verdicts.ts';
import { FILE_MODE, replaceFile, type WrittenFile } from './replace-file.ts';

const REPORT_EVERY = 20_000;

export class EntryDigest {
  readonly #hash: Hash;
  readonly #withRecords: boolean;
  readonly #words = new Uint32Array(6 * 4096);
  readonly #records = new Map<ExportRecord, number>();
  #at = 0;
  #text: string | undefined;
  count = 0;

  constructor(notice: ExportNotice, withRecords: boolean) {
    this.#withRecords = withRecords;
    this.#hash = createHash('sha256').update(
      noticeLines({ ...notice, moment: unixMs(0), dataVersion: { risk: '', geo: '' } }).join('\n'),
    );
  }

  *over(entries: Iterable<ExportEntry>, look: (count: number) => void): Generator<ExportEntry> {
    for (const entry of entries) {
      this.#add(entry);
      if (++this.count % REPORT_EVERY === 0) look(this.count);
      yield entry;
    }
  }

  text(): string {
    this.#flush();
    this.#text ??= this.#hash.digest('hex');
    return this.#text;
  }

  #add({ prefix: { family, w0, w1, w2, w3, bits }, record }: ExportEntry): void {
    if (this.#at === this.#words.length) this.#flush();
    const words = this.#words;
    words[this.#at++] = (family << 8) | bits;
    words[this.#at++] = w0;
    words[this.#at++] = w1;
    words[this.#at++] = w2;
    words[this.#at++] = w3;
    words[this.#at++] = this.#withRecords ? this.#numberOf(record) : 0;
  }

  #numberOf(record: ExportRecord): number {
    const known = this.#records.get(record);
    if (known !== undefined) return known;
    this.#flush();
    this.#hash.update(JSON.stringify(record));
    this.#records.set(record, this.#records.size);
    return this.#records.size - 1;
  }

  #flush(): void {
    if (this.#at > 0) this.#hash.update(this.#words.subarray(0, this.#at));
    this.#at = 0;
  }
}

interface ExportOptions extends VerdictChoice, Omit<FileContent, 'entries' | 'notice'> {
  readonly format: ExportFormat;
  readonly path: string;
}

export interface ExportOutcome {
  readonly notice: Pick<GeoNotice, 'moment' | 'dataVersion'> &
    Partial<Pick<ExportNotice, 'parametersVersion' | 'degraded' | 'leftOut'>>;
  readonly prefixes: number;
  readonly written: WrittenFile | undefined;
}

/**
 * The digest covers what a file says, without its moment. `leftOut`: prefixes that are left out because sources may
 * not be passed on.
 */
export interface FileStatement {
  readonly digest: string;
  readonly prefixes: number;
  readonly total: number;
  readonly leftOut: number;
  readonly degraded: boolean;
  readonly isNew: boolean;
}

export class VerdictFile {
  readonly #stores: VerdictStores;
  readonly #options: ExportOptions;
  #written: string | undefined;

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
    const { notice, entries: found, leftOut, total } = await openVerdicts(this.#stores, this.#options, carries);
    const digest = new EntryDigest(notice, carries !== 'prefix');
    const entries = digest.over(found, (count) => {
      signal.throwIfAborted();
      onProgress(count);
    });
    const isNew = (): boolean => digest.text() !== this.#written || !existsSync(path);
    const pieces = exportChunks(format, { ...this.#options, entries, notice, total });
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
      ...{
        notice,
        digest: this.#written,
        prefixes: digest.count,
        total: total() ?? digest.count,
        leftOut: leftOut(),
        degraded: notice.degraded,
      },
      isNew: isReplaced,
      written: isReplaced ? written : undefined,
    };
  }
}
