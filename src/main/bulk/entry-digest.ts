import { createHash, type Hash } from 'node:crypto';
import { type ExportNotice, noticeLines } from '../../core/export/export-notice.ts';
import type { ExportEntry, ExportRecord } from '../../core/export/export-record.ts';
import { unixMs } from '../../core/units.ts';

const REPORT_EVERY = 20_000;

/** Statement of a file, without its moment and the versions of the data. */
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

  /** Passes the entries on. @param look is called with the number so far at intervals */
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
