import { join } from 'node:path';
import { openEvidenceDatabase } from '../../src/adapters/history/sqlite/schema.ts';

/** Makes the evidence store of a data folder as a server without captures has it. */
export function writeEmptyEvidence(dataDir: string): void {
  openEvidenceDatabase(join(dataDir, 'evidence.db')).close();
}
