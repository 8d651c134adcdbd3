import { mkdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FeedState, FeedStates } from '../../service/feeds/feed-ports.ts';
import { writeDurablySync } from '../system/write-durably.ts';

const ENDING = '.state.json';

const NEVER: FeedState = { failures: 0, rows: 0, refused: {} };

/** State of each feed in a small file of its own, so that the server and a command that runs at the same time do not overwrite each other's. */
export class FeedStateFiles implements FeedStates {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  get(id: string): FeedState {
    try {
      return stateIn(readFileSync(this.#path(id), 'utf8'));
    } catch (error) {
      return neverIfMissing(error);
    }
  }

  /** As `get`, for a thread that must not wait for the disk. */
  async read(id: string): Promise<FeedState> {
    return await readFile(this.#path(id), 'utf8').then(stateIn, neverIfMissing);
  }

  put(id: string, state: FeedState): void {
    writeDurablySync(this.#path(id), `${JSON.stringify(state)}\n`);
  }

  #path(id: string): string {
    return join(this.#folder, `${id}${ENDING}`);
  }
}

/** A damaged state costs one unconditional fetch; the evidence itself is in the store. */
function stateIn(text: string): FeedState {
  try {
    return { ...NEVER, ...(JSON.parse(text) as Partial<FeedState>) };
  } catch {
    return NEVER;
  }
}

function neverIfMissing(error: unknown): FeedState {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NEVER;
  throw error;
}
