import { open } from 'node:fs/promises';

const MAGIC = 'PAR1';

/** Whether a file is one of Apache Parquet, as its name or its first bytes say. Standard input (`-`) is not looked at. @throws Error of the file system */
export async function isParquet(path: string): Promise<boolean> {
  if (path === '-') return false;
  if (path.endsWith('.parquet')) return true;
  const file = await open(path, 'r');
  try {
    // A pipe can be read only once.
    if (!(await file.stat()).isFile()) return false;
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0);
    return buffer.toString('latin1', 0, bytesRead) === MAGIC;
  } finally {
    await file.close();
  }
}
