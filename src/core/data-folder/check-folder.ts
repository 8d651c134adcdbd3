import type { Text } from '../texts/chinese.ts';
import { type Said, said } from '../texts/said.ts';
import { FOLDER_PARTS, type FolderPart, type FolderRecord, type PartRecord, type PartStore } from './folder-record.ts';

/**
 * An absent part names in `needed` the files that are worthless without it. An empty one was never filled, or
 * was emptied. `id` is undefined until the part and the folder have one.
 */
export type Found =
  | { readonly state: 'absent'; readonly needed?: Said }
  | { readonly state: 'empty' }
  | { readonly state: 'damaged'; readonly how: Said }
  | { readonly state: 'there'; readonly id: string | undefined };

export interface FoundPart {
  readonly file: string;
  readonly store: PartStore;
  readonly found: Found;
}

export interface DamagedCharges {
  readonly file: string;
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

export type StartCommand = (fault: Omit<FolderFault, 'sentence'>) => string;

export interface FolderInput {
  /**
   * Undefined without a `data.json`. Complete content of such a folder, as after a restored backup, gets
   * recorded.
   */
  readonly record: FolderRecord | undefined;
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

/**
 * Compares a folder with its record. Without a fault, everything may be opened and missing records may be
 * made.
 */
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
  sentence: said(
    fault.kind === 'moved'
      ? '{what}. Move them: `pulse data export DIR` with the setting as it was, then `pulse data import DIR` with this one and an empty data folder. Or set it back, or go on without {loss}: {command}'
      : '{what}. Put back what was there, or go on without {loss}: {command}',
    { ...{ what, loss }, command: goOn(fault) },
  ),
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
  // A start may have ended between its two writes of `data.json`; the next one continues its work.
  if (record !== undefined) return undefined;
  if (found.state === 'empty') return 'empty';
  return found.state === 'absent' && found.needed !== undefined ? 'missing' : undefined;
}

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
    said('{file} {how}: {readable:record|records} can be read and {unreadable} cannot', {
      file,
      how,
      readable,
      unreadable,
    }),
    said('the charges in it, so that callers may use them again'),
    goOn,
  );
}
