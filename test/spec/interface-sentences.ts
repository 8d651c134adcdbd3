import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const INTERFACE = resolve(import.meta.dirname, '../../docs/interface.md');

/** One sentence of docs/interface.md: of a paragraph or list item a sentence, of a table a row. */
export interface InterfaceSentence {
  /** The heading it stands under. */
  readonly section: string;
  /** First eight hexadecimal digits of the SHA-256 of its text, white space folded. */
  readonly hash: string;
  readonly text: string;
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** A full stop, a space and a capital letter: names in small letters (`computed_at`) go on with the sentence before. */
const SENTENCE_END = /(?<=\.)\s+(?=[A-Z])/;

function sentencesOf(line: string): readonly string[] {
  if (/^\|[\s|:-]+\|$/.test(line)) return [];
  if (line.startsWith('|')) return [line];
  return line.replace(/^\s*(\d+\.|-)\s+/, '').split(SENTENCE_END);
}

/** Every sentence of the interface specification, in order. Headings and the heads of tables are not sentences. */
export function interfaceSentences(): readonly InterfaceSentence[] {
  const lines = readFileSync(INTERFACE, 'utf8').split('\n');
  let section = '';
  const sentences: InterfaceSentence[] = [];
  for (const [i, line] of lines.entries()) {
    if (line.startsWith('#')) section = line.replace(/^#+\s*/, '');
    else if (line.trim() !== '' && !/^\|[\s|:-]+\|$/.test(lines[i + 1] ?? ''))
      for (const text of sentencesOf(line))
        sentences.push({ section, hash: hashOf(`${section}: ${text.replace(/\s+/g, ' ').trim()}`), text: text.trim() });
  }
  return sentences;
}
