import type { Text } from '../texts/chinese.ts';
import { type Said, said } from '../texts/said.ts';
import { FOLDER_PARTS, type FolderPart, type FolderRecord, type PartRecord, type PartStore } from './folder-record.ts';

/** The finding where a part belongs. */
export type Found =
  /** `needed`: the files that are worthless without the part. */
  | { readonly state: 'absent'; readonly needed?: Said }
  /** Made and never filled, or emptied. */
  | { readonly state: 'empty' }
  | { readonly state: 'damaged'; readonly how: Said }
  /** `id` is undefined before the part has one, or before the folder has. */
  | { readonly state: 'there'; readonly id: string | undefined };

export interface FoundPart {
  /** As an operator finds it: a path, or the name of a setting. */
  readonly file: string;
  readonly store: PartStore;
  readonly found: Found;
}

/** A file of the ledger in which records cannot be read. */
export interface DamagedCharges {
  readonly file: string;
  /** Where and how, when that is known. */
  readonly fault?: string;
  readonly readable: number;
  readonly unreadable: number;
}

type PartFault = 'missing' | 'empty' | 'damaged' | 'foreign' | 'moved';
export type FaultKind = PartFault | 'charges';

export interface FolderFault {
  readonly part: FolderPart | 'identity';
  readonly kind: FaultKind;
  readonly file: string;
  /** Names the file, what is lost by going on, and the command that goes on. */
  readonly sentence: Said;
}

/** Words a fault. @param goOn the shell command that goes on without the part */
export type StartCommand = (fault: Omit<FolderFault, 'sentence'>) => string;

export interface FolderInput {
  /** Undefined: no `data.json` yet. The content of such a folder, as after a restored backup, is recorded when it is whole. */
  readonly record: FolderRecord | undefined;
  /** Parts that are not asked about are left out. */
  readonly found: { readonly [Part in FolderPart]?: FoundPart };
  readonly charges: readonly DamagedCharges[];
  readonly goOn: StartCommand;
}

const LOSSES = {
  secret:
    'every API key, session, authorised app and pool handle, and the phone libraries, which have to be loaded again',
  accounts: 'all accounts, plans, API keys, sessions, authorised apps and the audit log',
  evidence: 'every capture and its history, except what sources say again',
  ledger: 'what every caller has used today, and the use of past days: all counters start at 0',
  identity: 'the knowledge of what belongs in this folder',
} as const satisfies Readonly<Record<FolderFault['part'], Text>>;

/** Compares a folder with its record. No fault: everything may be opened, and missing records may be made. */
export function checkFolder({ record, found, charges, goOn }: FolderInput): readonly FolderFault[] {
  const faults: FolderFault[] = [];
  for (const part of FOLDER_PARTS) {
    const here = found[part];
    const kind = here && faultOf(record, record?.parts[part], here);
    if (kind !== undefined)
      faults.push(folderFault({ part, kind, file: here!.file }, whatIs(part, kind, here!), said(LOSSES[part]), goOn));
  }
  return [...faults, ...charges.map((one) => chargesFault(one, goOn))];
}

/** The record itself cannot be read. */
export const recordFault = (file: string, goOn: StartCommand): FolderFault =>
  folderFault(
    { part: 'identity', kind: 'damaged', file },
    said('{file} {how}', { file, how: said('is damaged') }),
    said(LOSSES.identity),
    goOn,
  );

const folderFault = (
  fault: Omit<FolderFault, 'sentence'>,
  what: Said,
  loss: Said,
  goOn: StartCommand,
): FolderFault => ({
  ...fault,
  sentence: said('{what}. Put back what was there, or go on without {loss}: {command}', {
    ...{ what, loss },
    command: goOn(fault),
  }),
});

function faultOf(
  record: FolderRecord | undefined,
  recorded: PartRecord | undefined,
  { store, found }: FoundPart,
): PartFault | undefined {
  if (recorded !== undefined && isDatabase(recorded.store) !== isDatabase(store)) return 'moved';
  if (found.state === 'damaged') return 'damaged';
  if (recorded !== undefined) {
    if (found.state === 'absent') return 'missing';
    if (found.state === 'empty') return 'empty';
    return recorded.id === '' || found.id === recorded.id ? undefined : 'foreign';
  }
  // Between the first write of data.json and the second a start may have been cut short: its work is gone on with.
  if (record !== undefined) return undefined;
  if (found.state === 'empty') return 'empty';
  return found.state === 'absent' && found.needed !== undefined ? 'missing' : undefined;
}

/** A secret may move between its file and PULSE_SECRET: it stays the same one. */
const isDatabase = (store: PartStore): boolean => store === 'postgresql';

function whatIs(part: FolderPart, kind: PartFault, { file, store, found }: FoundPart): Said {
  switch (kind) {
    case 'missing':
      return found.state === 'absent' && found.needed !== undefined
        ? said('{file} is missing, and {needed}', { file, needed: found.needed })
        : said('{file} is missing', { file });
    case 'empty':
      return said('{file} is empty', { file });
    case 'damaged':
      return said('{file} {how}', { file, how: found.state === 'damaged' ? found.how : said('is damaged') });
    case 'foreign':
      return said('{file} is not the one that this folder was used with', { file });
    case 'moved':
      return said(
        store === 'postgresql'
          ? '{part} of this folder were kept in the folder, and PULSE_DATABASE_URL is set now'
          : '{part} of this folder were kept in PostgreSQL, and PULSE_DATABASE_URL is not set now',
        { part },
      );
  }
}

function chargesFault({ file, fault, readable, unreadable }: DamagedCharges, goOn: StartCommand): FolderFault {
  const how = fault === undefined ? said('is damaged') : said('is damaged {where}', { where: fault });
  return folderFault(
    { part: 'ledger', kind: 'charges', file },
    said('{file} {how}: {readable} records can be read and {unreadable} cannot', { file, how, readable, unreadable }),
    said('the charges in it, so that callers may use them again'),
    goOn,
  );
}
