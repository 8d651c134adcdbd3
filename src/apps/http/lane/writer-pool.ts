import type { ServerResponse } from 'node:http';
import { ByteWriter } from '../../../core/kit/byte-writer.ts';

const CAPACITY_BYTES = 512 * 1024;
/** A thread keeps so many writers of at most this size, 16 MiB in all. */
const KEPT = 8;
const KEPT_BYTES = 2 * 1024 * 1024;

/** Reuses the memory of large answers once the system took the whole answer, never after a broken one. */
export class WriterPool {
  readonly #free: ByteWriter[] = [];

  takeFor(response: ServerResponse): ByteWriter {
    const writer = this.#free.pop() ?? new ByteWriter(CAPACITY_BYTES);
    response.once('finish', () => {
      if (this.#free.length < KEPT && writer.capacity <= KEPT_BYTES) this.#free.push(writer);
    });
    return writer;
  }
}
