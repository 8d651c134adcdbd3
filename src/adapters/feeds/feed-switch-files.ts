import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FeedSwitchStore } from '../../service/feeds/feed-ports.ts';
import { writeDurablySync } from '../system/write-durably.ts';

const ENDING = '.off';

/**
 * Each feed that is switched off has a small file of its own, so that the server and a command do not
 * overwrite each other's.
 */
export class FeedSwitchFiles implements FeedSwitchStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  off(): ReadonlySet<string> {
    if (!existsSync(this.#folder)) return new Set();
    const names = readdirSync(this.#folder).filter((name) => name.endsWith(ENDING));
    return new Set(names.map((name) => name.slice(0, -ENDING.length)));
  }

  set(id: string, to: 'on' | 'off'): void {
    if (to === 'on') rmSync(this.#path(id), { force: true });
    else {
      mkdirSync(this.#folder, { recursive: true });
      writeDurablySync(this.#path(id), '');
    }
  }

  #path(id: string): string {
    return join(this.#folder, id + ENDING);
  }
}
