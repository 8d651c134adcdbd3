import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../../core/kit/json.ts';
import type { MirrorContent } from '../../service/feeds/feed-ports.ts';
import { readOptionalFile } from '../system/read-optional-file.ts';
import { writeDurablySync } from '../system/write-durably.ts';

export class MirrorContentFile implements MirrorContent {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  held(): ReadonlySet<string> {
    const bytes = readOptionalFile(this.#path);
    const ids = bytes && parseJson(String(bytes));
    return new Set(Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []);
  }

  note(ids: ReadonlySet<string>): void {
    if (this.held().symmetricDifference(ids).size === 0) return;
    mkdirSync(this.#folder, { recursive: true });
    writeDurablySync(this.#path, `${JSON.stringify([...ids].sort())}\n`);
  }

  get #path(): string {
    return join(this.#folder, 'mirror.json');
  }
}
