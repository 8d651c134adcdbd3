import { createInterface } from 'node:readline/promises';
import { printable } from './printable.ts';

/** Asks on the terminal whether something may be done; yes is the very text, typed. Ending the input is a no. */
export async function confirmed(question: string, answer: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const closed = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)));
    return (await Promise.race([terminal.question(printable(question)), closed]))?.trim() === answer;
  } finally {
    terminal.close();
  }
}
