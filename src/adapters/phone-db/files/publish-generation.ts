import { rmSync } from 'node:fs';
import type { GenerationFooter } from './generation.ts';
import type { LibraryFolder } from './library-folder.ts';
import type { RecordTables } from './record.ts';
import type { RecordSorter } from './record-sorter.ts';
import { verifyGeneration } from './verify-generation.ts';
import { type GenerationFacts, writeGeneration } from './write-generation.ts';

/** The names a new generation and its log get. `parts`: a folder for sorting its records. */
export interface NextGeneration {
  readonly generation: string;
  readonly log: string;
  readonly parts: string;
}

/** Above the number of every file that is there. */
export function nextGeneration(folder: LibraryFolder): NextGeneration {
  const number = folder.next();
  return { generation: `${number}.gen`, log: `${number}.log`, parts: folder.file(`${number}.parts`) };
}

/**
 * Writes sorted records as a generation, verifies the file as it lies on the disk, and makes it the serving one.
 * @throws Error when it cannot be written or is not sound; the library is then as it was
 */
export async function publishGeneration(
  folder: LibraryFolder,
  { generation, log }: NextGeneration,
  sorter: RecordSorter,
  about: GenerationFacts,
  tables: RecordTables,
): Promise<GenerationFooter> {
  const path = folder.file(generation);
  try {
    const footer = writeGeneration(path, sorter.sorted(), about, tables);
    const faults = await verifyGeneration(path, about.library, about.keyId);
    if (faults.length > 0) throw new Error(`the file that was written is not sound: ${faults.join('; ')}`);
    await folder.swap({ generation, log });
    return footer;
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}
