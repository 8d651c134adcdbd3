import { cut, type PaintedLine, padded, widthOf } from '../report/verdict-lines.ts';
import { labelledFacts, type PhoneFacts } from './phone-facts.ts';
import type { PhoneWords } from './phone-words.ts';

/** One answer as a sheet. */
export function phoneSheet(facts: PhoneFacts, words: PhoneWords): readonly PaintedLine[] {
  const rows = labelledFacts(facts, words);
  const gap = Math.max(...rows.map(([label]) => widthOf(label))) + 2;
  return [
    facts.risk === '' ? [facts.number] : [`${facts.number}  `, { level: facts.level, text: facts.risk }],
    ...rows.map(([label, value]): PaintedLine => [`  ${padded(label, gap)}${value}`]),
    ...(facts.state === words.states.stale ? [[`  ${words.staleIsWeak}`]] : []),
    ...(facts.state === words.states.none ? [[`  ${words.missIsNotSafe}`]] : []),
  ];
}

/** Columns of the table: widths are fixed, so that the rows of a long list can be printed as they come. */
const COLUMNS = [
  ['number', 17],
  ['risk', 18],
  ['state', 26],
  ['tags', 24],
  ['carrier', 28],
  ['lineType', 24],
] as const satisfies readonly (readonly [keyof PhoneFacts & keyof PhoneWords, number])[];

export const phoneTableHead = (words: PhoneWords): PaintedLine => [
  COLUMNS.map(([name, width]) => padded(words[name], width))
    .join(' ')
    .trimEnd(),
];

/** One answer as a row. In place of the state of a number that no library holds, why. */
export const phoneRow = (facts: PhoneFacts, words: PhoneWords): PaintedLine =>
  COLUMNS.map(([name, width]) => {
    const value = name === 'state' && facts.found !== words.yes ? facts.found : facts[name];
    const text = `${padded(cut(value, width), width)} `;
    return name === 'risk' && value !== '' ? { level: facts.level, text } : text;
  });
