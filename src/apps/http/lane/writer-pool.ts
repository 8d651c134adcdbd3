import type { ServerResponse } from 'node:http';
import { ByteWriter } from '../../../core/kit/byte-writer.ts';

/** Bytes of a thousand usual lookups. */
const CAPACITY_BYTES = 512 * 1024;
/** Writers that are kept, and the most memory one of them may have grown to: a thread keeps 16 MiB at most. */
const KEPT = 8;
const KEPT_BYTES = 2 * 1024 * 1024;

/** Memory of large answers, used again once the system took the whole answer, never after a broken one. */
export class WriterPool {
  readonly #free: ByteWriter[] = [];

  /** A writer for the body of this response, and for nothing else. */
  takeFor(response: ServerResponse): ByteWriter {
    const writer = this.#free.pop() ?? new ByteWriter(CAPACITY_BYTES);
    response.once('finish', () => {
      if (this.#free.length < KEPT && writer.capacity <= KEPT_BYTES) this.#free.push(writer);
    });
    return writer;
  }
}
