import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FolderRecord, readFolderRecord } from '../../core/data-folder/folder-record.ts';

export const recordPath = (dataDir: string): string => join(dataDir, 'data.json');

export function readRecord(dataDir: string): FolderRecord | 'damaged' | 'newer' | undefined {
  const path = recordPath(dataDir);
  return existsSync(path) ? readFolderRecord(readFileSync(path, 'utf8')) : undefined;
}
