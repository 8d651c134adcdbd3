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

export const fault = <T extends Text>(text: T, ...values: With<T>): Fault => new Fault(said(text, ...values));
