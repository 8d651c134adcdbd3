import { statSync } from 'node:fs';

/** Which file a connection has open: one that was renamed or replaced stays open by its inode, unseen by others. */
export class OpenFile {
  readonly #path: string;
  readonly #inode: string | undefined;
  readonly #walInode: string | undefined;

  /** Call when the connection is open and has read once, so that its write-ahead log is there. @param path a path that is not a file (`:memory:`) never moves */
  constructor(path: string) {
    this.#path = path;
    this.#inode = inodeOf(path);
    this.#walInode = inodeOf(`${path}-wal`);
  }

  /**
   * Whether another file is at the path now.
   * @throws when there is none, since a running service does not start an empty store, and when the log of the file before stayed next to the new one:
   *   SQLite would apply it to a file it does not belong to
   */
  isReplaced(): boolean {
    if (this.#inode === undefined) return false;
    const inode = inodeOf(this.#path);
    if (inode === this.#inode) return false;
    if (inode === undefined)
      throw new Error(
        `${this.#path} was moved or deleted: put it back, or start the service again to begin with an empty one`,
      );
    if (this.#walInode !== undefined && inodeOf(`${this.#path}-wal`) === this.#walInode)
      throw new Error(
        `${this.#path} was replaced, but ${this.#path}-wal is of the file before: stop the service, delete it and -shm, and start the service again`,
      );
    return true;
  }
}

function inodeOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
