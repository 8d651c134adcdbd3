import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FeedSwitches } from '../../service/feed-ports.ts';
import { writeDurablySync } from '../system/write-durably.ts';

const ENDING = '.off';

/** One small file next to a feed's state for each that is switched off, so that the server and a command do not overwrite each other's. */
export class FeedSwitchFiles implements FeedSwitches {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  off(): ReadonlySet<string> {
    return new Set(
      readdirSync(this.#folder)
        .filter((name) => name.endsWith(ENDING))
        .map((name) => name.slice(0, -ENDING.length)),
    );
  }

  set(id: string, to: 'on' | 'off'): void {
    const path = join(this.#folder, id + ENDING);
    if (to === 'on') rmSync(path, { force: true });
    else writeDurablySync(path, '');
  }
}
