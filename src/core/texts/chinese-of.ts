import { fillWords } from '../report/report-words.ts';
import { READINGS_ZH } from './readings-zh.ts';
import { sentenceReader } from './sentence-reader.ts';

/**
 * Reads sentences of a table that come as finished English text, and words them in Chinese. Sentences inside are Chinese too; names, codes and the words of operating
 * systems stay, and so does a sentence that is not known.
 */
export function chineseReader(table: Readonly<Record<string, string>>): (sentence: string) => string {
  let read: ReturnType<typeof sentenceReader<string>> | undefined;
  return function chinese(sentence): string {
    read ??= sentenceReader(Object.keys(table));
    const found = read(sentence);
    if (found === undefined) return sentence;
    const words = Object.entries(found.values).map(([slot, word]) => [slot, chinese(word)]);
    return fillWords(table[found.text]!, Object.fromEntries(words));
  };
}

/** Of sentences kept with a feed: why it could not be read, or a reading waits. */
export const chineseOf = chineseReader(READINGS_ZH);
