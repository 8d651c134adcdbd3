import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FeedSwitches } from '../../service/feeds/feed-ports.ts';
import { writeDurably, writeDurablySync } from '../system/write-durably.ts';

const ENDING = '.off';

/** One small file next to a feed's state for each that is switched off, so that the server and a command do not overwrite each other's. */
export class FeedSwitchFiles implements FeedSwitches {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  off(): ReadonlySet<string> {
    return offAmong(readdirSync(this.#folder));
  }

  /** As `off`, for a thread that must not wait for the disk. */
  async readOff(): Promise<ReadonlySet<string>> {
    return offAmong(await readdir(this.#folder));
  }

  set(id: string, to: 'on' | 'off'): void {
    if (to === 'on') rmSync(this.#path(id), { force: true });
    else writeDurablySync(this.#path(id), '');
  }

  /** As `set`, for a thread that must not wait for the disk. */
  async write(id: string, to: 'on' | 'off'): Promise<void> {
    if (to === 'on') await rm(this.#path(id), { force: true });
    else await writeDurably(this.#path(id), new Uint8Array());
  }

  #path(id: string): string {
    return join(this.#folder, id + ENDING);
  }
}

const offAmong = (names: readonly string[]): ReadonlySet<string> =>
  new Set(names.filter((name) => name.endsWith(ENDING)).map((name) => name.slice(0, -ENDING.length)));
