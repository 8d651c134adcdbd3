import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type Output, OutputClosed, openOutput } from '../../adapters/log-files/open-output.ts';

export interface WrittenFile {
  readonly bytes: number;
  /** Updaters compare versions by this MD5 of the content, hexadecimal. */
  readonly md5: string;
}

export interface ReplaceOptions {
  readonly signal: AbortSignal;
  /** Called after the last piece; false leaves the file unchanged. */
  readonly isNew?: () => boolean;
}

/** Programs of other users read the file: a web server, a resolver, a packet filter. */
export const FILE_MODE = 0o644;

/**
 * Replaces a file when its content is complete; after an error it is unchanged. @param pieces an empty one
 * lets other work of the thread run
 */
export async function replaceFile(
  path: string,
  pieces: Iterable<Uint8Array>,
  { signal, isNew = () => true }: ReplaceOptions,
): Promise<WrittenFile> {
  const output = await openOutput(path, FILE_MODE);
  try {
    const written = await writeAll(pieces, output, signal);
    await (isNew() ? output.finish() : output.abandon());
    return written;
  } catch (error) {
    await output.abandon();
    throw error;
  }
}

async function writeAll(pieces: Iterable<Uint8Array>, output: Output, signal: AbortSignal): Promise<WrittenFile> {
  const hash = createHash('md5');
  let bytes = 0;
  try {
    for (const piece of pieces) {
      signal.throwIfAborted();
      if (piece.length === 0) await setImmediate();
      else await output.write(piece);
      hash.update(piece);
      bytes += piece.length;
    }
  } catch (error) {
    if (!(error instanceof OutputClosed)) throw error;
  }
  return { bytes, md5: hash.digest('hex') };
}
