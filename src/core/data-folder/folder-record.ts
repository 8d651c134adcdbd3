import { isRecord, parseJson } from '../kit/json.ts';

/**
 * Record of a data folder: `data.json`. It names the parts of the folder, so that a part that is missing or
 * another's is seen.
 */

/** Parts that a folder cannot make again from the rest. */
export const FOLDER_PARTS = ['secret', 'accounts', 'evidence', 'ledger'] as const;
export type FolderPart = (typeof FOLDER_PARTS)[number];

/** Where a part is kept: in the folder, in the settings (PULSE_SECRET), or in the PostgreSQL of PULSE_DATABASE_URL. */
export type PartStore = 'file' | 'environment' | 'postgresql';

export interface PartRecord {
  readonly store: PartStore;
  /**
   * Which one it is; empty: not known yet. Of the secret and the ledger's seed a fingerprint that does not
   * lead back to them.
   */
  readonly id: string;
}

export interface FolderRecord {
  readonly format: typeof RECORD_FORMAT;
  /** Random; keys the fingerprints. */
  readonly id: string;
  /** Parts that must be there. One that has never been made is not named. */
  readonly parts: { readonly [Part in FolderPart]?: PartRecord };
}

export const RECORD_FORMAT = 1;

/** Reads the text of `data.json`: the record, or why there is none in it. */
export function readFolderRecord(text: string): FolderRecord | 'damaged' | 'newer' {
  const value = parseJson(text);
  if (!isRecord(value) || typeof value.format !== 'number') return 'damaged';
  if (value.format > RECORD_FORMAT) return 'newer';
  const { id, parts } = value;
  if (value.format !== RECORD_FORMAT || typeof id !== 'string' || id === '' || !isRecord(parts)) return 'damaged';
  for (const part of FOLDER_PARTS) if (parts[part] !== undefined && !isPartRecord(parts[part])) return 'damaged';
  return { format: RECORD_FORMAT, id, parts };
}

export const folderRecordText = (record: FolderRecord): string => `${JSON.stringify(record, null, 2)}\n`;

const isPartRecord = (value: unknown): value is PartRecord =>
  isRecord(value) &&
  ['file', 'environment', 'postgresql'].includes(String(value.store)) &&
  typeof value.id === 'string';
