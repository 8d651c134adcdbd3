import { parseRecord } from '../../core/kit/json.ts';
import { fault } from '../../core/texts/said.ts';
import type { ImageKind } from '../../engine/image.ts';
import { readOptionalFile } from '../system/read-optional-file.ts';
import { writeDurably } from '../system/write-durably.ts';

export interface TakenSequences {
  /** Returns 0 where none was followed. @throws Error when the record cannot be read */
  newest(kind: ImageKind): number;
  note(kind: ImageKind, sequence: number): Promise<void>;
}

/** Kept in a file, so that a restarted node does not follow an older publication than the one it served. */
export class TakenSequencesFile implements TakenSequences {
  readonly #path: string;
  #known: { readonly [Kind in ImageKind]?: number } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  newest(kind: ImageKind): number {
    this.#known ??= this.#read();
    return this.#known[kind] ?? 0;
  }

  async note(kind: ImageKind, sequence: number): Promise<void> {
    if (sequence <= this.newest(kind)) return;
    this.#known = { ...this.#known, [kind]: sequence };
    await writeDurably(this.#path, Buffer.from(`${JSON.stringify(this.#known)}\n`));
  }

  #read(): { readonly [Kind in ImageKind]?: number } {
    const bytes = readOptionalFile(this.#path);
    if (bytes === undefined) return {};
    const known: Readonly<Record<string, unknown>> = parseRecord(String(bytes)) ?? { damaged: true };
    if (
      Object.values(known).every(
        (value) => Number.isSafeInteger(value) && !Number.isNaN(new Date(value as number).getTime()),
      )
    )
      return known;
    throw fault('{path} is damaged; delete it to accept what is published now', { path: this.#path });
  }
}
