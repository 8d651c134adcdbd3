import type { Text } from './chinese.ts';
import { fillWords } from './fill-words.ts';

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
