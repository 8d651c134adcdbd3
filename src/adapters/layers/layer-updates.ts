import { createHash } from 'node:crypto';
import { closeSync, openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseRecord } from '../../core/kit/json.ts';
import type { Said } from '../../core/texts/said.ts';
import { readOptionalFile } from '../system/files.ts';
import { writeDurablySync } from '../system/write-durably.ts';
import type { LayerKind } from './layer-file.ts';

export interface UpdatedFile {
  readonly file: string;
  readonly url: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly etag?: string;
  readonly last_modified?: string;
}

export interface UpdatedContent {
  readonly version: string;
  readonly fetched_at: string;
  readonly kind: LayerKind;
  readonly files: readonly UpdatedFile[];
}

/** State of the updates of one layer: `layer-updates/<id>.json`. */
export interface LayerUpdate {
  readonly current?: UpdatedContent;
  readonly previous?: UpdatedContent;
  /** The publisher was last asked then; `refused` says why its content was not taken. */
  readonly checked_at?: string;
  readonly refused?: Said;
}

const CHUNK_BYTES = 2 ** 20;

function digestOf(path: string): string {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const file = openSync(path, 'r');
  try {
    for (let size = readSync(file, chunk); size > 0; size = readSync(file, chunk)) hash.update(chunk.subarray(0, size));
  } finally {
    closeSync(file);
  }
  return hash.digest('hex');
}

/** A file that no record names is removed when it is this old: another process may be fetching it. */
const LEFT_AFTER_MS = 3_600_000;

/** The folder of layers that were fetched from their publishers. A record names the files that are in use, so replacing it replaces all files of a layer at once. */
export class LayerUpdates {
  readonly folder: string;

  constructor(dataDir: string) {
    this.folder = join(dataDir, 'layer-updates');
  }

  /** An absent or damaged record means that nothing was fetched: the shipped content is used. */
  read(id: string): LayerUpdate {
    const record = readOptionalFile(join(this.folder, `${id}.json`));
    return (record && parseRecord(String(record))) ?? {};
  }

  /** Paths of a content's files; undefined when one is missing or has other bytes than the verified ones. Reads every byte. */
  pathsOf(content: UpdatedContent): readonly string[] | undefined {
    const paths = content.files.map(({ file }) => join(this.folder, file));
    const isSame = (path: string, i: number): boolean => {
      const { bytes, sha256 } = content.files[i]!;
      return statSync(path, { throwIfNoEntry: false })?.size === bytes && digestOf(path) === sha256;
    };
    return paths.every(isSame) ? paths : undefined;
  }

  put(file: string, bytes: Uint8Array): string {
    const path = join(this.folder, file);
    writeDurablySync(path, bytes);
    return path;
  }

  record(id: string, update: LayerUpdate, now: number): void {
    writeDurablySync(join(this.folder, `${id}.json`), `${JSON.stringify(update, null, 2)}\n`);
    const named = new Set(
      [update.current, update.previous].flatMap((content) => content?.files.map(({ file }) => file) ?? []),
    );
    for (const name of readdirSync(this.folder)) {
      const path = join(this.folder, name);
      if (!name.startsWith(`${id}.`) || name === `${id}.json` || named.has(name)) continue;
      if (now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) > LEFT_AFTER_MS)
        rmSync(path, { force: true });
    }
  }
}
