import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CaptureSpool, PackedCaptures, SpoolState } from '../../service/intake/intake-ports.ts';
import { writeDurably } from '../system/write-durably.ts';

export interface SpoolFiles {
  list(): Promise<readonly { readonly name: string; readonly bytes: number }[]>;
  read(name: string): Promise<Uint8Array>;
  /** Resolves when the file would survive a crash. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  remove(name: string): Promise<void>;
}

/**
 * The name holds a growing number that keeps the order of writing, the batch's id, and whether the body is
 * final.
 */
const NAME = /^(\d{15})-([0-9a-f-]{36})(\.final)?\.ndjson\.gz$/;
const nameOf = (number: number, id: string, isFinal: boolean): string =>
  `${String(number).padStart(15, '0')}-${id}${isFinal ? '.final' : ''}.ndjson.gz`;
const REFUSED = 'refused';

interface Kept {
  readonly number: number;
  readonly id: string;
  name: string;
  bytes: number;
  isFinal: boolean;
}

/** After a crash the spool holds complete files only: those put and not removed. */
export class FileSpool implements CaptureSpool {
  readonly #files: SpoolFiles;
  readonly #refusedFiles: SpoolFiles;
  readonly #bytesMax: number;
  readonly #onPut: () => void;
  readonly #kept: Kept[] = [];
  readonly #refused: Kept[] = [];
  #next = 0;
  #dropped = 0;

  private constructor(files: SpoolFiles, refused: SpoolFiles, bytesMax: number, onPut: () => void) {
    this.#files = files;
    this.#refusedFiles = refused;
    this.#bytesMax = bytesMax;
    this.#onPut = onPut;
  }

  /** @param onPut called for each new batch, not for those of an earlier process */
  static async open(
    { files, refused }: SpoolPlace,
    bytesMax: number,
    onPut: () => void = () => undefined,
  ): Promise<FileSpool> {
    const spool = new FileSpool(files, refused, bytesMax, onPut);
    spool.#kept.push(...(await keptIn(files)));
    spool.#refused.push(...(await keptIn(refused)));
    spool.#next = Math.max(0, ...[...spool.#kept, ...spool.#refused].map(({ number }) => number)) + 1;
    return spool;
  }

  get state(): SpoolState {
    return { batches: this.#kept.length, bytes: bytesOf(this.#kept) + bytesOf(this.#refused), dropped: this.#dropped };
  }

  async put(body: Uint8Array): Promise<void> {
    await this.#makeRoom(body.length);
    const [id, number] = [randomUUID(), this.#next++];
    const name = nameOf(number, id, false);
    await this.#files.write(name, body);
    this.#kept.push({ number, id, name, bytes: body.length, isFinal: false });
    this.#onPut();
  }

  async oldest(): Promise<PackedCaptures | undefined> {
    for (let first = this.#kept[0]; first !== undefined; first = this.#kept[0]) {
      const body = await this.#read(first);
      if (body !== undefined) return { id: first.id, body, isFinal: first.isFinal };
      this.#forget(first);
    }
    return undefined;
  }

  /** Both bodies exist for a moment; if a crash leaves both, the final one counts. */
  async finish(id: string, body: Uint8Array): Promise<void> {
    const batch = this.#kept.find((one) => one.id === id);
    if (batch === undefined) return;
    const before = batch.name;
    const name = nameOf(batch.number, id, true);
    await this.#files.write(name, body);
    Object.assign(batch, { name, bytes: body.length, isFinal: true });
    await this.#files.remove(before);
  }

  async remove(id: string): Promise<void> {
    const batch = this.#kept.find((one) => one.id === id);
    if (batch === undefined) return;
    this.#forget(batch);
    await this.#files.remove(batch.name);
  }

  async setAside(id: string): Promise<void> {
    const batch = this.#kept.find((one) => one.id === id);
    const body = batch && (await this.#read(batch));
    if (batch === undefined || body === undefined) return;
    await this.#refusedFiles.write(batch.name, body);
    this.#refused.push(batch);
    await this.remove(id);
  }

  async #makeRoom(bytes: number): Promise<void> {
    while (this.state.bytes + bytes > this.#bytesMax) {
      const [files, list] = this.#refused.length > 0 ? [this.#refusedFiles, this.#refused] : [this.#files, this.#kept];
      const oldest = list.shift();
      if (oldest === undefined) return;
      if (list === this.#kept) this.#dropped += 1;
      await files.remove(oldest.name);
    }
  }

  /** Undefined for a batch that was dropped meanwhile, or removed by hand. */
  async #read({ name }: Kept): Promise<Uint8Array | undefined> {
    try {
      return await this.#files.read(name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  #forget(batch: Kept): void {
    const at = this.#kept.indexOf(batch);
    if (at >= 0) this.#kept.splice(at, 1);
  }
}

const bytesOf = (kept: readonly Kept[]): number => kept.reduce((sum, { bytes }) => sum + bytes, 0);

async function keptIn(files: SpoolFiles): Promise<readonly Kept[]> {
  const found = new Map<string, Kept>();
  for (const { name, bytes } of await files.list()) {
    const [, number, id, final] = NAME.exec(name) ?? [];
    if (id === undefined) continue;
    const one = { number: Number(number), id, name, bytes, isFinal: final !== undefined };
    const other = found.get(id);
    if (other === undefined || one.isFinal) found.set(id, one);
    if (other !== undefined) await files.remove(one.isFinal ? other.name : name);
  }
  return [...found.values()].toSorted((a, b) => a.number - b.number);
}

export interface SpoolPlace {
  readonly files: SpoolFiles;
  readonly refused: SpoolFiles;
}

export const spoolFolder = (path: string): SpoolPlace => ({
  files: filesIn(path),
  refused: filesIn(join(path, REFUSED)),
});

const filesIn = (path: string): SpoolFiles => ({
  async list() {
    await mkdir(path, { recursive: true });
    const names = (await readdir(path)).filter((name) => NAME.test(name));
    return await Promise.all(names.map(async (name) => ({ name, bytes: (await stat(join(path, name))).size })));
  },
  read: (name) => readFile(join(path, name)),
  write: (name, bytes) => writeDurably(join(path, name), bytes),
  remove: (name) => rm(join(path, name), { force: true }),
});
