import { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BodyMark } from '../../service/feeds/feed-ports.ts';
import { readOptionalFile } from '../system/files.ts';
import { writeDurably } from '../system/write-durably.ts';

/**
 * Keeps bodies of the last good readings as `<id>.body`. Several processes may read one feed: the last to
 * write wins.
 */
export class BodyFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  read(id: string, mark: BodyMark | undefined): Uint8Array | undefined {
    const body = mark && readOptionalFile(this.#path(id));
    if (mark === undefined || body === undefined) return undefined;
    const { bytes, sha256 } = markOf(body);
    return bytes === mark.bytes && sha256 === mark.sha256 ? body : undefined;
  }

  /** The next reading then fetches the body again. */
  discard(id: string): void {
    rmSync(this.#path(id), { force: true });
  }

  keep(id: string, body: Uint8Array): Promise<void> {
    return writeDurably(this.#path(id), body);
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.body`);
  }
}

export const markOf = (body: Uint8Array): BodyMark => ({
  bytes: body.length,
  sha256: createHash('sha256').update(body).digest('base64url'),
});
