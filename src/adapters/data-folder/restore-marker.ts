import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MANIFEST_FILE } from '../../core/backup/backup-manifest.ts';

export const RESTORING = 'restoring';

/** The manifest lies in that folder from before the first file until after the last one. */
export const restoreMarker = (dataDir: string): string => join(dataDir, RESTORING, MANIFEST_FILE);

export const isRestoring = (dataDir: string): boolean => existsSync(restoreMarker(dataDir));
