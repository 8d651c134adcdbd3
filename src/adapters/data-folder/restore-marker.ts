import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MANIFEST_FILE } from '../../core/backup/backup-manifest.ts';

/** Folder inside a data folder where the files of a backup are written before they are moved into place. */
export const RESTORING = 'restoring';

/** The manifest in that folder: there from before the first file until after the last one. */
export const restoreMarker = (dataDir: string): string => join(dataDir, RESTORING, MANIFEST_FILE);

/** Whether a restore into this data folder has begun and not finished. */
export const isRestoring = (dataDir: string): boolean => existsSync(restoreMarker(dataDir));
