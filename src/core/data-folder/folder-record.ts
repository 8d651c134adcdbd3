import { isRecord, parseJson } from '../kit/json.ts';

/**
 * Names the parts that cannot be made again from the rest of the folder. `data.json` records each part, so
 * that a start notices one that is missing or foreign.
 */
export const FOLDER_PARTS = ['secret', 'accounts', 'evidence', 'ledger'] as const;
export type FolderPart = (typeof FOLDER_PARTS)[number];

/** `environment` is PULSE_SECRET; `postgresql` is the database of PULSE_DATABASE_URL. */
export type PartStore = 'file' | 'environment' | 'postgresql';

/** `id` is empty until known. For the secret and the ledger's seed it is a fingerprint, which does not reveal them. */
export interface PartRecord {
  readonly store: PartStore;
  readonly id: string;
}

/** `id` is random and keys the fingerprints. A part that was never made is absent from `parts`. */
export interface FolderRecord {
  readonly format: typeof RECORD_FORMAT;
  readonly id: string;
  readonly parts: { readonly [Part in FolderPart]?: PartRecord };
}

export const RECORD_FORMAT = 1;

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

const LIST = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/;

/**
 * Splits a URL with a list of hosts (`postgres://user@a:5432,b:5432/name`, as libpq takes it) into one URL for
 * each host. A URL of another form is returned as it is.
 */
export function databaseAddresses(url: string): readonly [string, ...string[]] {
  const [, before, hosts, after] = LIST.exec(url) ?? [];
  const [first, ...others] = hosts?.split(',').map((host) => `${before}${host}${after}`) ?? [];
  return [first ?? url, ...others];
}
