import type { ExportNotice } from '../../core/export/export-notice.ts';
import { noticeLines } from '../../core/export/export-notice.ts';
import type { ExportDetail, ExportEntry } from '../../core/export/export-record.ts';
import { TEXT_FORMATS, type TextFormatName } from '../../core/export/text-formats.ts';
import { writeMmdb } from '../../engine/mmdb/write-mmdb.ts';

export type ExportFormat = 'mmdb' | TextFormatName;

export const EXPORT_FORMATS: readonly ExportFormat[] = ['mmdb', ...(Object.keys(TEXT_FORMATS) as TextFormatName[])];

/** `metadata.database_type` of an MMDB file. */
const DATABASE_TYPE = 'Pulse-IP-Risk';

/** How much of a record the format has room for. */
export const exportDetailOf = (format: ExportFormat): ExportDetail =>
  format === 'mmdb' ? 'record' : TEXT_FORMATS[format].carries;

export interface FileContent {
  readonly entries: Iterable<ExportEntry>;
  readonly notice: ExportNotice;
  /** As in TextInput. */
  readonly name: string;
}

/** The file in pieces. */
export function* exportChunks(format: ExportFormat, { entries, notice, name }: FileContent): Generator<Uint8Array> {
  if (format === 'mmdb') {
    const ipVersion = notice.families.includes(6) ? 6 : 4;
    const description = noticeLines(notice).join('\n');
    yield* writeMmdb({
      entries,
      ipVersion,
      buildEpoch: Math.floor(notice.moment / 1000),
      databaseType: DATABASE_TYPE,
      description,
    });
  } else yield* encoded(TEXT_FORMATS[format].write({ entries, notice, name }));
}

/** Characters that make a piece. */
const PIECE = 1 << 18;

function* encoded(texts: Iterable<string>): Generator<Uint8Array> {
  let held = '';
  for (const text of texts) {
    held += text;
    if (held.length < PIECE) continue;
    yield Buffer.from(held);
    held = '';
  }
  if (held !== '') yield Buffer.from(held);
}
