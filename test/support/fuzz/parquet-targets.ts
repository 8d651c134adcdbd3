import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { openParquet } from '../../../src/adapters/parquet/open-parquet.ts';
import type { FuzzTarget } from './fuzz-target.ts';

const sound = (codec: 'UNCOMPRESSED' | 'SNAPPY'): Uint8Array => {
  const columnData = [
    { name: 'peer', data: ['8.8.8.8', null, '2001:4860::1', '8.8.8.8'], type: 'STRING' as const },
    { name: 'count', data: [1, 2, null, 4], type: 'INT32' as const },
  ];
  return new Uint8Array(parquetWriteBuffer({ columnData, codec, rowGroupSize: 3 }));
};

/** Its library is in a process of its own: a file that has it loop or fill the memory is refused when the process was ended. */
export const PARQUET_TARGETS: readonly FuzzTarget[] = [
  {
    name: 'parquet',
    seeds: [sound('UNCOMPRESSED'), sound('SNAPPY')],
    // A process that loops is waited for.
    share: 0.05,
    ownProcess: true,
    refuses: ({ message }) => /cannot be read as Parquet/.test(message),
    read: async (input) => {
      folder ??= newFolder();
      const path = join(folder, 'x.parquet');
      writeFileSync(path, input);
      const { chunks } = await openParquet(path, 'ndjson', new AbortController().signal, PATIENCE_MS);
      return Buffer.concat(await Array.fromAsync(chunks)).toString();
    },
  },
];

/** Far more than a sound file of this size takes, where other work holds the machine too. */
const PATIENCE_MS = 10_000;

/** One name for all readings of a thread: errors say it. */
let folder: string | undefined;
function newFolder(): string {
  const made = mkdtempSync(join(tmpdir(), 'pulse-fuzz-'));
  process.on('exit', () => rmSync(made, { recursive: true }));
  return made;
}
