import { type Fault, fault, type Said } from '../texts/said.ts';
import { LineEnds } from './line-ends.ts';
import { TextChunks } from './text-chunks.ts';

/**
 * Converts a whole text to UTF-8 without a byte order mark, with lines that end in LF or CR LF. It may return
 * the same bytes.
 */
export function plainText(body: Uint8Array): Uint8Array {
  const text = new TextChunks(new LineEnds());
  const parts = [text.push(body), ...text.end()].filter(({ length }) => length > 0);
  return parts.length === 1 ? parts[0]! : joined(parts);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export type TextEncoding = 'utf-8' | 'gb18030';

/** Spreadsheets of Chinese systems write GB 18030. @param sample the beginning of a file */
export function textEncoding(sample: Uint8Array): TextEncoding {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: true });
    return 'utf-8';
  } catch {
    return 'gb18030';
  }
}

type BinaryKind = 'Parquet' | 'ZIP' | 'xz' | 'bzip2' | 'zstd' | '7z';

const MAGIC: readonly (readonly [start: string, kind: BinaryKind])[] = [
  ['PAR1', 'Parquet'],
  ['PK\x03\x04', 'ZIP'],
  ['PK\x05\x06', 'ZIP'],
  ['\xfd7zXZ\0', 'xz'],
  ['\x28\xb5\x2f\xfd', 'zstd'],
  ['7z\xbc\xaf\x27\x1c', '7z'],
  ...[...'123456789'].map((level) => [`BZh${level}1A`, 'bzip2'] as const),
];

export const MAGIC_BYTES = Math.max(...MAGIC.map(([start]) => start.length));

export function binaryKind(head: Uint8Array): BinaryKind | undefined {
  const text = String.fromCharCode(...head.subarray(0, MAGIC_BYTES));
  return MAGIC.find(([start]) => text.startsWith(start))?.[1];
}

/** Says what a file is and which command turns it into lines. */
export function binaryFault(kind: BinaryKind, file: string | Said): Fault {
  if (kind === 'Parquet')
    return fault('{file} is a Parquet file; turn it into lines with: {command}', {
      file,
      command: `duckdb -csv -c "SELECT * FROM 'FILE'" | pulse … -`,
    });
  if (kind === 'ZIP')
    return fault(
      '{file} is a ZIP archive; take its file out with: unzip -p FILE | pulse … - (save a spreadsheet as CSV)',
      { file },
    );
  if (kind === '7z')
    return fault('{file} is a 7z archive; take its file out with: 7z x -so FILE | pulse … -', { file });
  return fault('{file} is packed with {kind}; unpack it with: {kind} -dc FILE | pulse … -', { file, kind });
}
