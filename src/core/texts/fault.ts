import type { Text } from './chinese.ts';
import { type Said, said, type With, worded } from './said.ts';

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
