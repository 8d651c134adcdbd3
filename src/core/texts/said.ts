import { CHINESE, type Text } from './chinese.ts';

export type Language = 'en' | 'zh';

/** A sentence for people that is worded when its reader's language is known. */
export interface Said {
  readonly text: Text;
  readonly values: Values;
}

/** A slot of a sentence takes one of these; a list has a line for each of its sentences. */
type Value = string | number | Said | readonly Said[];
type Values = Readonly<Record<string, Value>>;

type SlotsOf<T extends string> = T extends `${string}{${infer Slot}}${infer Rest}`
  ? NameOf<Slot> | SlotsOf<Rest>
  : never;
/** A slot may bring the words of its number: `lines:line|lines`. */
type NameOf<Slot extends string> = Slot extends `${infer Name}:${string}` ? Name : Slot;
/** Values of a sentence; none where it has no slots. */
export type With<T extends Text> = [SlotsOf<T>] extends [never] ? [] : [values: Readonly<Record<SlotsOf<T>, Value>>];

export const said = <T extends Text>(text: T, ...[values]: With<T>): Said => ({ text, values: values ?? {} });

/** The sentence with its slots filled, sentences in them too. @param textOf in another language; the English one is its own key */
export function worded({ text, values }: Said, textOf: (text: Text) => string = (own) => own): string {
  const wordOf = (value: Value): string | number => {
    if (typeof value !== 'object') return value;
    return 'text' in value ? worded(value, textOf) : value.map((one) => `  ${worded(one, textOf)}`).join('\n');
  };
  const words = Object.fromEntries(Object.entries(values).map(([slot, value]) => [slot, wordOf(value)]));
  return fillWords(textOf(text), words);
}

/** An error that a person meets at the command line. Its message is in English, for programs and logs. */
export class Fault extends Error implements Said {
  readonly text: Text;
  readonly values: Said['values'];

  constructor(sentence: Said, options?: ErrorOptions) {
    super(worded(sentence), options);
    this.text = sentence.text;
    this.values = sentence.values;
  }
}

/** The sentence of an error: its own, or its message as it stands in every language. */
export function sentenceOf(error: unknown): Said {
  if (error instanceof Fault) return said(error.text, ...([error.values] as With<Text>));
  return said('{why}', { why: error instanceof Error ? error.message : String(error) });
}

export const fault = <T extends Text>(text: T, ...values: With<T>): Fault => new Fault(said(text, ...values));

/**
 * Fills the slots of a sentence: `{name}` takes its value, and `{name:line|lines}` its value with the word that
 * goes with it, the first one where the value is 1. A slot without a value stays.
 */
export const fillWords = (sentence: string, values: Readonly<Record<string, string | number>>): string =>
  sentence.replace(/\{(\w+)(?::([^{|}]+)\|([^{|}]+))?\}/g, (slot, name: string, one?: string, many?: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) return slot;
    if (many === undefined) return String(value);
    return `${value} ${String(value) === '1' ? one : many}`;
  });

/**
 * The sentence in a language; a kept one that this release does not know stays English. Who words in English
 * alone (`worded`) does without the table.
 */
export const inLanguage = (language: Language, sentence: Said): string =>
  language === 'zh' ? worded(sentence, (text) => CHINESE[text] ?? text) : worded(sentence);

export const inLanguages = (sentence: Said): { readonly en: string; readonly zh: string } => ({
  en: worded(sentence),
  zh: inLanguage('zh', sentence),
});

const MEANINGS: Readonly<Record<string, Text>> = {
  EACCES: 'this user may not read or write it',
  EPERM: 'this user may not change it',
  EROFS: 'it is on a file system that cannot be written to',
  EISDIR: 'it is a folder, not a file',
  EEXIST: 'it is there already',
  ENOTDIR: 'a part of the path is a file, not a folder; move it away or delete it',
  ENOENT: 'it is not there, or its folder is not',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EMFILE: 'this process has too many files open',
  EADDRINUSE: 'another process listens there',
  EADDRNOTAVAIL: 'it is not an address of this machine',
};

/** An error of the operating system, as Node throws it. */
export type SystemError = Error & {
  readonly code?: string;
  readonly path?: string;
  readonly syscall?: string;
  readonly dest?: string;
  readonly address?: string;
  readonly port?: number;
  readonly errcode?: number;
};

const SQLITE_FULL = 13;

/** A fault of the operating system as a sentence that names the file or address. @returns undefined for every other error */
export function systemSentence(error: unknown): Said | undefined {
  if (!(error instanceof Error)) return undefined;
  const { path, dest, address, port, errcode } = error as SystemError;
  const code = errcode === SQLITE_FULL ? 'ENOSPC' : (error as SystemError).code;
  const meaning = code === undefined ? undefined : MEANINGS[code];
  if (code === undefined || meaning === undefined) return undefined;
  const subject = address === undefined ? (dest ?? (path && targetOf(path))) : `${address}:${port}`;
  const why = said(meaning as 'the disk is full');
  return subject === undefined
    ? said('{why} ({code})', { why, code })
    : said('{subject}: {why} ({code})', { subject, why, code });
}

/** Returns the target of a file that is being written, or the path itself. */
const targetOf = (path: string): string =>
  path.replace(/([^/\\]*)$/, (name) => /^\.(.+)\.[\da-f-]{36}\.part$/.exec(name)?.[1] ?? name);

/** The sentence about any error; one that is not ours has its own message in it. */
export const reasonOf = (error: unknown): Said => systemSentence(error) ?? sentenceOf(error);

export const reasonText = (error: unknown): string => worded(reasonOf(error));

const STORES = {
  PULSE_DATABASE_URL: [
    'PostgreSQL',
    'lookups and keys used lately are answered, everything else that needs it is refused',
  ],
  PULSE_REDIS_URL: ['Redis', 'lookups are counted by each node alone, phone lookups are refused'],
  PULSE_SNAPSHOT_URL: ['the place of images', 'nodes answer from the images that they have'],
  PULSE_SMTP_URL: ['the mail server', 'no mail is sent'],
  PULSE_OIDC_ISSUER: ['company sign-on', 'people sign in by password alone'],
  PULSE_AUDIT_LOG: ['the receiver of audit rows', 'rows wait for it'],
} as const satisfies Readonly<Record<string, readonly [Text, Text]>>;

export type StoreSetting = keyof typeof STORES;

const REMEDIES: Readonly<Record<string, Text>> = {
  'nothing listens at the address': 'Start it, or correct the address',
  'the name of its host is not known': 'Correct the name, or look at the DNS of this machine',
  'it does not answer': 'Look at its log, and at the network and firewalls in between',
  'it refuses user or password of the address': 'Correct user and password in the address',
  'there is no database of this name': 'Create it (deploy/postgres/make-role.sql), or correct the name',
  'the connection is closed': 'Look at its log; does something else listen there?',
};

const plain = (text: Text): Said => ({ text, values: {} });

/** Says which store cannot be used and why, what goes on meanwhile, and what to do. */
export const storeAway = (setting: StoreSetting, address: string, cause: string): Said =>
  said('{store} at {address} ({setting}) cannot be used: {cause}. {remedy}. Meanwhile {meanwhile}', {
    setting,
    address,
    cause: Object.hasOwn(CHINESE, cause) ? plain(cause as Text) : cause,
    store: plain(STORES[setting][0]),
    remedy: plain(REMEDIES[cause] ?? 'Mend the cause, or correct the setting'),
    meanwhile: plain(STORES[setting][1]),
  });
