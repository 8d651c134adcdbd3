import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Bodies of the last good readings in a folder, `<id>.body`; a new one waits as `<id>.next` until it is accepted. */
export class KeptBodies {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  has(id: string): boolean {
    return existsSync(this.#path(id, 'body'));
  }

  read(id: string): Uint8Array {
    return readFileSync(this.#path(id, 'body'));
  }

  propose(id: string, body: Uint8Array): void {
    writeFileSync(this.#path(id, 'next'), body);
  }

  /** Makes the proposed body the good one; without a proposal nothing happens. */
  accept(id: string): void {
    if (existsSync(this.#path(id, 'next'))) renameSync(this.#path(id, 'next'), this.#path(id, 'body'));
  }

  #path(id: string, ending: string): string {
    return join(this.#folder, `${id}.${ending}`);
  }
}
