import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { getHeapStatistics } from 'node:v8';
import { fault } from '../../core/texts/fault.ts';
import type { Input } from '../log-files/open-input.ts';

/** A row group that takes this long to decode is damaged. */
const PATIENCE_MS = 300_000;
/** Heap that decoding one row group may fill, MiB; less where this process has less. */
const HEAP_MIB = Math.min(2048, Math.floor(getHeapStatistics().heap_size_limit / 1024 ** 2));
const ENTRY = fileURLToPath(new URL('./parquet-process.ts', import.meta.url));

/** Opens a Parquet file as lines, decoded by a process of its own: a heap that overfills ends only that. */
export async function openParquet(
  path: string,
  form: 'csv' | 'ndjson',
  signal: AbortSignal,
  patienceMs = PATIENCE_MS,
): Promise<Input> {
  await stat(path);
  return { chunks: decoded(path, form, signal, patienceMs), size: undefined, position: () => 0 };
}

async function* decoded(
  path: string,
  form: 'csv' | 'ndjson',
  signal: AbortSignal,
  patienceMs: number,
): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  const decoder = spawn(process.execPath, [`--max-old-space-size=${HEAP_MIB}`, ENTRY, path, form], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = Promise.all([once(decoder, 'close'), text(decoder.stderr)]);
  // Heard when the lines have ended.
  ended.catch(() => undefined);
  const chunks: AsyncIterator<Uint8Array> = decoder.stdout[Symbol.asyncIterator]();
  const end = (): void => void decoder.kill('SIGKILL');
  signal.addEventListener('abort', end);
  let isLate = false;
  try {
    for (;;) {
      const late = setTimeout(() => {
        isLate = true;
        end();
      }, patienceMs);
      const next = await chunks.next().finally(() => clearTimeout(late));
      if (next.done === true) break;
      yield next.value;
    }
    const [[code, killedBy], cause] = await ended;
    signal.throwIfAborted();
    if (code === 0) return;
    const damage = `a row group takes more memory than ${HEAP_MIB} MiB, or is damaged`;
    const why = isLate ? `one row group took longer than ${patienceMs / 1000} s` : killedBy === null ? cause : damage;
    throw fault('{path} cannot be read as Parquet: {why}', { path, why });
  } finally {
    end();
    signal.removeEventListener('abort', end);
  }
}
