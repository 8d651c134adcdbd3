import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { CurrentFiles, type PointerFormat } from '../../system/current-files.ts';
import { FileFolder } from '../../system/file-folder.ts';
import { syncFolderSync } from '../../system/write-durably.ts';

/** What `current.json` names: the generation that serves, and its log. */
export interface Pointer {
  readonly generation: string;
  readonly log: string;
}

const LOCK = 'import.lock';

/** The generation before is not named: a reader that went back to it would answer with records that were deleted since. */
const FORMAT: PointerFormat<Pointer> = {
  name: 'current.json',
  parse(json) {
    const { generation, log } = Object(json) as Partial<Pointer>;
    return isPlainName(generation) && isPlainName(log) ? { current: { generation, log } } : undefined;
  },
  print: ({ current }) => JSON.stringify(current),
  files: ({ generation, log }) => [generation, log],
  owns: (name) => /^\d+\./.test(name),
  derived: false,
};

/** The folder of one library: `current.json`, generation files, their logs, and a lock while an import runs. */
export class LibraryFolder extends FileFolder {
  readonly #files = new CurrentFiles(this, FORMAT);

  /** undefined: nothing was ever loaded here. @throws when the folder cannot be read or the pointer is damaged */
  async pointer(): Promise<Pointer | undefined> {
    return (await this.#files.read()).current;
  }

  /** Number for the next generation, above every one that is there. */
  next(): number {
    mkdirSync(this.path, { recursive: true });
    const numbers = readdirSync(this.path).map((name) => Number(/^(\d+)\.(?:gen|log)/.exec(name)?.[1] ?? 0));
    return Math.max(0, ...numbers) + 1;
  }

  /** Makes a generation the serving one and removes all but it and the one before, which a reader may still be loading. */
  async swap(pointer: Pointer): Promise<void> {
    // The files it names were written and synced; their names must be safe before the pointer is.
    syncFolderSync(this.path);
    await this.#files.replace(pointer);
  }

  /**
   * Keeps other imports out. A lock whose process is gone is taken over.
   * @throws Error when another import is running
   */
  lock(): () => void {
    mkdirSync(this.path, { recursive: true });
    const path = this.file(LOCK);
    for (let attempt = 0; ; attempt++) {
      try {
        writeFileSync(path, String(process.pid), { flag: 'wx' });
        return () => rmSync(path, { force: true });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        if (attempt > 0 || isRunning(readFileSync(path, 'utf8')))
          throw new Error('another import into this library is running', { cause: error });
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
