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
