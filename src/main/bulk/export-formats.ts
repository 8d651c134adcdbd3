import { noticeLines } from '../../core/export/export-notice.ts';
import type { ExportDetail } from '../../core/export/export-record.ts';
import { editionOf, type GeoSchema, type MmdbSchema } from '../../core/export/mmdb-schema.ts';
import { TEXT_FORMATS, type TextFormatName, type TextInput } from '../../core/export/text-formats.ts';
import { anonymityValue, riskValue } from '../../engine/mmdb/city-value.ts';
import { writeMmdb } from '../../engine/mmdb/write-mmdb.ts';

export type ExportFormat = 'mmdb' | TextFormatName;

export const EXPORT_FORMATS: readonly ExportFormat[] = ['mmdb', ...(Object.keys(TEXT_FORMATS) as TextFormatName[])];

export type RiskSchema = Exclude<MmdbSchema, GeoSchema>;

export const exportDetailOf = (format: ExportFormat, schema: MmdbSchema = 'pulse'): ExportDetail =>
  format !== 'mmdb' ? TEXT_FORMATS[format].carries : schema === 'anonymous-ip' ? 'anonymity' : 'record';

export interface FileContent extends TextInput {
  readonly schema: RiskSchema;
  readonly databaseType?: string | undefined;
}

export function* exportChunks(format: ExportFormat, content: FileContent): Generator<Uint8Array> {
  const { entries, notice, schema, databaseType = editionOf(schema) } = content;
  if (format === 'mmdb') {
    const ipVersion = notice.families.includes(6) ? 6 : 4;
    const description = noticeLines(notice).join('\n');
    yield* writeMmdb({
      entries,
      recordValue: schema === 'pulse' ? riskValue : anonymityValue,
      ipVersion,
      buildEpoch: Math.floor(notice.moment / 1000),
      databaseType,
      description,
    });
  } else yield* encoded(TEXT_FORMATS[format].write(content));
}

const PIECE = 1 << 18;

export function* encoded(texts: Iterable<string>): Generator<Uint8Array> {
  let held = '';
  for (const text of texts) {
    held += text;
    if (held.length < PIECE) continue;
    yield Buffer.from(held);
    held = '';
  }
  if (held !== '') yield Buffer.from(held);
}
