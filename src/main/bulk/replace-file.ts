import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type Output, OutputClosed, openOutput } from '../../adapters/log-files/open-output.ts';

export interface WrittenFile {
  /** Size of the content before it is packed. */
  readonly bytes: number;
  /** MD5 of the content in hex, by which updaters tell versions apart. */
  readonly md5: string;
}

export interface ReplaceOptions {
  readonly signal: AbortSignal;
  /** Asked after the last piece; false leaves the file as it was. */
  readonly isNew?: () => boolean;
}

/** The file is for programs of other users: a web server, a resolver, a packet filter. */
export const FILE_MODE = 0o644;

/**
 * Replaces a file when its content is whole; on an error it stays as it was. @param pieces an empty one gives
 * other work of the thread its turn
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
