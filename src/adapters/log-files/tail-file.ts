import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fault } from '../../core/texts/said.ts';

/** Reads a log from its beginning and as it grows, across rotations, through the system's `tail -F`. */
export async function* tailFile(
  path: string,
  signal: AbortSignal,
  log: { warn(fields: object, message: string): void },
): AsyncGenerator<Uint8Array> {
  // It gets its own process group: Ctrl-C on a terminal would otherwise end it before this process knows.
  const child = spawn('tail', ['-n', '+1', '-F', path], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  await once(child, 'spawn').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT'
      ? fault('there is no command `tail` here: bring the log to standard input, and name it `-`')
      : error;
  });
  const ended = once(child, 'close');
  const end = (): unknown => child.kill();
  signal.addEventListener('abort', end);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = text.trim();
    log.warn({ log: path }, said);
  });
  try {
    if (signal.aborted) return;
    yield* child.stdout;
    await ended;
    if (!signal.aborted) throw fault('the log is followed no more: {why}', { why: said || 'tail ended' });
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}
