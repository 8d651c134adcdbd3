import { statSync } from 'node:fs';

/**
 * Identifies the file that a connection has open. After a rename or a replacement the connection would keep
 * the old inode.
 */
export class OpenFile {
  readonly #path: string;
  readonly #inode: string | undefined;
  readonly #walInode: string | undefined;

  /**
   * Must be constructed after the first read, when the write-ahead log exists. @param path a path that is not
   * a file (`:memory:`) never counts as replaced
   */
  constructor(path: string) {
    this.#path = path;
    this.#inode = inodeOf(path);
    this.#walInode = inodeOf(`${path}-wal`);
  }

  /**
   * Returns whether another file is at the path now.
   * @throws when the file is missing, since a running service must not start an empty store, and when the old
   * file's log lies next to the new file: SQLite would apply it to the wrong file
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
