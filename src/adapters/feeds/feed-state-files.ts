import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseRecord } from '../../core/kit/json.ts';
import type { FeedState, FeedStates } from '../../service/feeds/feed-ports.ts';
import { readOptionalFile } from '../system/files.ts';
import { writeDurablySync } from '../system/write-durably.ts';

const ENDING = '.state.json';

const NEVER: FeedState = { failures: 0, rows: 0, refused: {} };

/**
 * Each feed has a small state file of its own, so that the server and a command do not overwrite each
 * other's.
 */
export class FeedStateFiles implements FeedStates {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A damaged state costs one unconditional fetch; the evidence itself is in the store. */
  get(id: string): FeedState {
    const bytes = readOptionalFile(this.#path(id));
    return { ...NEVER, ...(bytes && parseRecord(String(bytes))) };
  }

  put(id: string, state: FeedState): void {
    mkdirSync(this.#folder, { recursive: true });
    writeDurablySync(this.#path(id), `${JSON.stringify(state)}\n`);
  }

  #path(id: string): string {
    return join(this.#folder, `${id}${ENDING}`);
  }
}
