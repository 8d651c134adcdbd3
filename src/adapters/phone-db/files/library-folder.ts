import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolderSync, writeDurablySync } from '../../system/write-durably.ts';

/** What `current.json` names: the generation that serves, and its log. */
export interface Pointer {
  readonly generation: string;
  readonly log: string;
}

const POINTER = 'current.json';
const LOCK = 'import.lock';

/**
 * The folder of one library: `current.json`, generation files, their logs, and a lock while an import runs. The pointer is replaced by a rename, so a
 * reader finds the old generation or the new one and nothing between.
 */
export class LibraryFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /** undefined: nothing was ever loaded here. @throws when the folder cannot be read or the pointer is damaged */
  pointer(): Pointer | undefined {
    let text: string;
    try {
      text = readFileSync(this.file(POINTER), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    const { generation, log } = JSON.parse(text) as Partial<Pointer>;
    if (!isPlainName(generation) || !isPlainName(log)) throw new Error(`${POINTER} is damaged`);
    return { generation, log };
  }

  /** Number for the next generation, above every one that is there. */
  next(): number {
    mkdirSync(this.path, { recursive: true });
    const numbers = readdirSync(this.path).map((name) => Number(/^(\d+)\.(?:gen|log)/.exec(name)?.[1] ?? 0));
    return Math.max(0, ...numbers) + 1;
  }

  /** Makes a generation the serving one and removes all but it and the one before, which a reader may still be loading. */
  swap(pointer: Pointer): void {
    const before = this.pointer();
    // The files it names were written and synced; their names must be safe before the pointer is.
    syncFolderSync(this.path);
    writeDurablySync(this.file(POINTER), JSON.stringify(pointer));
    const keep = new Set([POINTER, LOCK, pointer.generation, pointer.log, before?.generation, before?.log]);
    for (const name of readdirSync(this.path)) if (/^\d+\./.test(name) && !keep.has(name)) rmSync(this.file(name), { recursive: true, force: true });
  }

  /**
   * Keeps other imports out. A lock whose process is gone is taken over.
   * @throws Error when another import is running
   */
  lock(): () => void {
    mkdirSync(this.path, { recursive: true });
    const path = this.file(LOCK);
    for (let attempt = 0; ; attempt += 1) {
      try {
        writeFileSync(path, String(process.pid), { flag: 'wx' });
        return () => rmSync(path, { force: true });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        if (attempt > 0 || isRunning(readFileSync(path, 'utf8'))) throw new Error('another import into this library is running', { cause: error });
        rmSync(path, { force: true });
      }
    }
  }
}

const isPlainName = (name: unknown): name is string => typeof name === 'string' && /^[\w-]+\.\w+$/.test(name);

function isRunning(pid: string): boolean {
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
