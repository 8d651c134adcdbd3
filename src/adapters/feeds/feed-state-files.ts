import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FeedState, FeedStates } from '../../service/feed-ports.ts';

const ENDING = '.state.json';

/** Whether any feed was ever attempted: what can be told without the catalogue. */
export const hasFeedStates = (folder: string): boolean => existsSync(folder) && readdirSync(folder).some((name) => name.endsWith(ENDING));

const NEVER: FeedState = { failures: 0, rows: 0, refused: {} };

/** State of each feed in a small file of its own, so that the server and a command beside it do not overwrite each other's. Replaced, never half written. */
export class FeedStateFiles implements FeedStates {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  get(id: string): FeedState {
    let text: string;
    try {
      text = readFileSync(this.#path(id), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NEVER;
      throw error;
    }
    try {
      return { ...NEVER, ...(JSON.parse(text) as Partial<FeedState>) };
    } catch {
      // A damaged state costs one unconditional fetch; the evidence itself is in the store.
      return NEVER;
    }
  }

  put(id: string, state: FeedState): void {
    const path = this.#path(id);
    writeFileSync(`${path}.${process.pid}.tmp`, `${JSON.stringify(state)}\n`);
    renameSync(`${path}.${process.pid}.tmp`, path);
  }

  #path(id: string): string {
    return join(this.#folder, `${id}${ENDING}`);
  }
}
