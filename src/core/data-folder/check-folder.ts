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
  /** Nothing may be opened. Missing or exchanged evidence is reported, and the follower of the store compiles the view from the store as it is. */
  readonly stops: boolean;
  /** One sentence: which file, the loss by going on, and the command that does. */
  readonly sentence: Said;
}

export interface FolderInput {
  /** Undefined: no `data.json` yet. The content of such a folder, as after a restored backup, is recorded when it is whole. */
  readonly record: FolderRecord | undefined;
  /** Parts that are not asked about are left out. */
  readonly found: { readonly [Part in FolderPart]?: FoundPart };
  readonly charges: readonly DamagedCharges[];
  /** The command that accepts a loss, without the part's name. */
  readonly command: string;
}

const LOSSES = {
  secret:
    'every API key, session, authorised app and pool handle, and the phone libraries, which have to be loaded again',
  accounts: 'all accounts, plans, API keys, sessions, authorised apps and the audit log',
  evidence: 'every capture and its history, except what sources say again',
  ledger: 'what every caller has used today, and the use of past days: all counters start at 0',
} as const satisfies Readonly<Record<FolderPart, Text>>;

/** Compares a folder with its record. No fault that stops: everything may be opened, and missing records may be made. */
export function checkFolder(input: FolderInput): readonly FolderFault[] {
  const faults: FolderFault[] = [];
  for (const part of FOLDER_PARTS) {
    const here = input.found[part];
    if (here === undefined) continue;
    const kind = faultOf(input.record, input.record?.parts[part], here);
    if (kind !== undefined)
      faults.push({
        part,
        kind,
        file: here.file,
        stops: part !== 'evidence' || kind === 'damaged',
        sentence: sentenceOf(part, kind, here, input.command),
      });
  }
  for (const charges of input.charges) faults.push(chargesFault(charges, input.command));
  return faults;
}

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

function sentenceOf(part: FolderPart, kind: PartFault, { file, store, found }: FoundPart, command: string): Said {
  const goOn =
    part === 'evidence' && kind !== 'damaged'
      ? said('or do nothing: new evidence is taken')
      : said('or go on with: {command} {part}', { command, part });
  const loss = said(LOSSES[part]);
  const lost = (what: Said): Said =>
    said('{what}; going on without it loses {loss}. Restore it from a backup, {goOn}', { what, loss, goOn });
  switch (kind) {
    case 'missing':
      return lost(
        found.state === 'absent' && found.needed !== undefined
          ? said('{file} is missing, and {needed}', { file, needed: found.needed })
          : said('{file} is missing', { file }),
      );
    case 'empty':
      return lost(said('{file} is empty', { file }));
    case 'damaged':
      return lost(said('{file} {how}', { file, how: found.state === 'damaged' ? found.how : said('is damaged') }));
    case 'foreign':
      return said(
        '{file} is not the one that this folder was used with; going on with it loses {loss}. Put the right one back, {goOn}',
        { file, loss, goOn },
      );
    case 'moved':
      return said(
        store === 'postgresql'
          ? '{part} of this folder were kept in the folder, and PULSE_DATABASE_URL is set now; going on leaves behind {loss}. Put the setting back, {goOn}'
          : '{part} of this folder were kept in PostgreSQL, and PULSE_DATABASE_URL is not set now; going on leaves behind {loss}. Put the setting back, {goOn}',
        { part, loss, goOn },
      );
  }
}

const chargesFault = ({ file, fault, readable, unreadable }: DamagedCharges, command: string): FolderFault => ({
  part: 'ledger',
  kind: 'charges',
  file,
  stops: true,
  sentence: said(
    '{file} {how}: {readable} records can be read and {unreadable} cannot; going on loses what those charged, so that callers may use it again. Restore it from a backup, {goOn}',
    {
      file,
      how: fault === undefined ? said('is damaged') : said('is damaged {where}', { where: fault }),
      readable,
      unreadable,
      goOn: said('or go on with: {command} {part}', { command, part: 'ledger' }),
    },
  ),
});
