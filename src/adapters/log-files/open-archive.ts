import type { Readable } from 'node:stream';
import { type Entry, openPromise } from 'yauzl';
import { fault } from '../../core/texts/fault.ts';

export interface ArchivedFile {
  readonly content: Readable;
  /** Bytes, unpacked. */
  readonly size: number;
}

/** Names in an error. */
const NAMED_MAX = 3;

/** Opens the one file of a ZIP archive. @throws Error for an archive that is damaged, encrypted, or holds none or several, as spreadsheets do */
export async function openArchive(path: string): Promise<ArchivedFile> {
  const archive = await openPromise(path, { autoClose: false });
  try {
    const files: Entry[] = [];
    for await (const entry of archive.eachEntry()) if (!entry.fileName.endsWith('/')) files.push(entry);
    const [file] = files;
    if (file === undefined || files.length > 1) {
      const names = files.slice(0, NAMED_MAX).map(({ fileName }) => JSON.stringify(fileName));
      throw fault(
        'an archive is read where it holds one file, and this one holds {count}: {names}. Take one out with unzip -p ARCHIVE NAME | pulse … -; save a spreadsheet as CSV',
        { count: String(files.length), names: names.join(', ') },
      );
    }
    const content = await archive.openReadStreamPromise(file);
    content.once('close', () => archive.close());
    return { content, size: file.uncompressedSize };
  } catch (error) {
    archive.close();
    throw error;
  }
}
