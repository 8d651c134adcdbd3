import { cut, type PaintedLine, padded, widthOf } from '../report/verdict-lines.ts';
import { labelFacts, type PhoneFacts } from './phone-facts.ts';
import type { PhoneWords } from './phone-words.ts';

export function phoneLines(facts: PhoneFacts, words: PhoneWords): readonly PaintedLine[] {
  const rows = labelFacts(facts, words);
  const gap = Math.max(...rows.map(([label]) => widthOf(label))) + 2;
  return [
    facts.risk === '' ? [facts.number] : [`${facts.number}  `, { level: facts.level, text: facts.risk }],
    ...rows.map(([label, value]): PaintedLine => [`  ${padded(label, gap)}${value}`]),
    ...(facts.state === words.states.stale ? [[`  ${words.staleIsWeak}`]] : []),
    ...(facts.state === words.states.none ? [[`  ${words.missIsNotSafe}`]] : []),
  ];
}

/**
 * Fixed widths, so that the rows of a long list can be printed one by one. The last column takes the rest of
 * the terminal.
 */
const COLUMNS = { number: 17, risk: 11, state: 25 } as const;
const OTHERS = ['tags', 'carrier', 'lineType'] as const;

export const phoneTableHead = (words: PhoneWords, width: number): PaintedLine =>
  row({ ...words, others: OTHERS.map((name) => words[name]) }, width);

/** A number that no library holds has the reason in place of its state. */
export function phoneRow(facts: PhoneFacts, words: PhoneWords, width: number): PaintedLine {
  const state = facts.found === words.yes ? facts.state : facts.found;
  const others = OTHERS.map((name) => facts[name]).filter(Boolean);
  return row({ ...facts, state, others }, width, facts.risk === '' ? undefined : facts.level);
}

interface Row extends Pick<PhoneFacts, keyof typeof COLUMNS> {
  readonly others: readonly string[];
}

function row({ others, ...cells }: Row, width: number, level?: PhoneFacts['level']): PaintedLine {
  const cell = (name: keyof typeof COLUMNS): string => `${padded(cut(cells[name], COLUMNS[name]), COLUMNS[name])} `;
  const left = width - Object.values(COLUMNS).reduce((sum, room) => sum + room + 1, 0);
  const risk = cell('risk');
  return [
    cell('number'),
    level === undefined ? risk : { level, text: risk },
    cell('state'),
    left < 1 ? '' : cut(others.join('; '), left),
  ];
}
