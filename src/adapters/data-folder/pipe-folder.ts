import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * No system takes a longer path of a local socket: macOS allows 104 bytes, Linux 108, each with a final NUL.
 */
const PATH_BYTES_MAX = 103;
const ENDING = '.sock';

export interface PipeFolder {
  newPath(): string;
  remove(path: string): void;
  close(): void;
}

/**
 * Opens the folder `pipe` of a data folder for its owner alone, and removes sockets that no process listens
 * on. A temporary folder replaces it where the path is too long or the file system cannot hold sockets.
 */
export async function openPipeFolder(dataDir: string): Promise<PipeFolder> {
  if (process.platform === 'win32')
    return { newPath: () => `\\\\.\\pipe\\pulse-${newName()}`, remove: () => {}, close: () => {} };
  const folder = resolve(dataDir, 'pipe');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  await removeStale(folder);
  if (await canListen(newPathIn(folder))) return pipeFolder(folder, () => {});
  const temporary = mkdtempSync(join(tmpdir(), 'pulse-'));
  return pipeFolder(temporary, () => rmSync(temporary, { recursive: true, force: true }));
}

const newName = (): string => randomBytes(8).toString('hex');
const newPathIn = (folder: string): string => join(folder, newName() + ENDING);

const pipeFolder = (folder: string, close: () => void): PipeFolder => ({
  newPath: () => newPathIn(folder),
  remove: (path) => rmSync(path, { force: true }),
  close,
});

/** Services that share a data folder over Redis share this folder too, so a socket that answers stays. */
async function removeStale(folder: string): Promise<void> {
  const paths = readdirSync(folder)
    .filter((name) => name.endsWith(ENDING))
    .map((name) => join(folder, name));
  for (const path of paths) if (!(await answers(path))) rmSync(path, { force: true });
}

const answers = (path: string): Promise<boolean> =>
  new Promise((settle) => {
    const socket = connect(path, () => {
      socket.destroy();
      settle(true);
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => settle(code !== 'ECONNREFUSED'));
  });

const canListen = (path: string): Promise<boolean> =>
  new Promise((settle) => {
    // The system would cut a longer path, and it would name another file.
    if (Buffer.byteLength(path) > PATH_BYTES_MAX) return settle(false);
    const server = createServer();
    server.once('error', () => settle(false));
    server.listen(path, () => server.close(() => settle(true)));
  });
