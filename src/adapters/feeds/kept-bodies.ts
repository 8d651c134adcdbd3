import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BodyMark } from '../../service/feed-ports.ts';
import { renameDurablySync, writeDurably } from '../system/write-durably.ts';

/** Bodies of the last good readings in a folder, `<id>.body`; a new one waits as `<id>.next` until it is accepted. */
export class KeptBodies {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** The kept body, if it is the one with this mark; undefined when it is missing, damaged or another one. */
  read(id: string, mark: BodyMark | undefined): Uint8Array | undefined {
    const path = this.#path(id, 'body');
    if (mark === undefined || !existsSync(path)) return undefined;
    const body = readFileSync(path);
    const { bytes, sha256 } = markOf(body);
    return bytes === mark.bytes && sha256 === mark.sha256 ? body : undefined;
  }

  /** Removes a body that proved unreadable, so that the next reading fetches it again. */
  discard(id: string): void {
    rmSync(this.#path(id, 'body'), { force: true });
  }

  async propose(id: string, body: Uint8Array): Promise<void> {
    await writeDurably(this.#path(id, 'next'), body);
  }

  /** Makes the proposed body the good one; without a proposal nothing happens. */
  accept(id: string): void {
    if (existsSync(this.#path(id, 'next'))) renameDurablySync(this.#path(id, 'next'), this.#path(id, 'body'));
  }

  /** The body of the last reading, whether accepted or not. @throws Error when it is not there */
  received(id: string, status: 'fresh' | 'unchanged'): Uint8Array {
    return readFileSync(this.#path(id, status === 'fresh' ? 'next' : 'body'));
  }

  #path(id: string, ending: string): string {
    return join(this.#folder, `${id}.${ending}`);
  }
}

/** Length and hash of a body as it was received. */
export const markOf = (body: Uint8Array): BodyMark => ({ bytes: body.length, sha256: createHash('sha256').update(body).digest('base64url') });
