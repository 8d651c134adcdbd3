import { type Fault, fault } from '../texts/fault.ts';
import type { Said } from '../texts/said.ts';

export type BinaryKind = 'Parquet' | 'ZIP' | 'xz' | 'bzip2' | 'zstd' | '7z';

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
