import type { Explanation } from '../../contract/documents.ts';
import type { Level } from '../../contract/risk.ts';
import { contributions } from '../risk/weigh.ts';
import { fillWords } from '../texts/said.ts';
import type { ReportWords } from './report-words.ts';
import { ageText } from './say-order.ts';
import { kindName, type PaintedLine, padded, widthOf } from './verdict-lines.ts';

export interface ExplainLinesOptions {
  readonly words: ReportWords;
  readonly sourceText: (text: string) => string;
}

export function explainLines(explanation: Explanation, options: ExplainLinesOptions): readonly PaintedLine[] {
  const { explain } = options.words;
  const facts: readonly (readonly [string, string])[] = [
    ...explanation.caps.map(({ by, max }): readonly [string, string] => [
      explain.held,
      fillWords(explain.caps[by], { max, what: options.sourceText(explanation.known_as?.what ?? '') }),
    ]),
    ...explanation.leaves.map(({ level, at }): readonly [string, string] => [
      explain.leaves,
      fillWords(explain.leavesAt, { level: options.words.levels[level], at: minuteOf(at) }),
    ]),
    [explain.tier, tierText(explanation, options.words)],
    ...overrideFacts(explanation, options.words),
    ...(explanation.derived ?? []).map(({ risk_type: type, prefix, reason }): readonly [string, string] => [
      explain.derived,
      `${options.words.sheet.riskTypes[type]} · ${prefix} · ${reason}`,
    ]),
  ];
  const gap = Math.max(...facts.map(([label]) => widthOf(label))) + 2;
  return [
    [''],
    [
      '  ',
      { level: explanation.level, text: fillWords(explain.title, { score: explanation.score }) },
      ` · ${fillWords(explain.version, { version: explanation.parameters_version })}`,
    ],
    ...rowLines(explanation, options.words),
    ...facts.map(
      ([label, text], i): PaintedLine => [`  ${padded(facts[i - 1]?.[0] === label ? '' : label, gap)}${text}`],
    ),
  ];
}

function rowLines({ rows, shared_by: sharedBy }: Explanation, words: ReportWords): readonly PaintedLine[] {
  const { explain } = words;
  if (rows.length === 0) return [[`  ${explain.noRows}`]];
  const points = contributions(rows.map(({ strength }) => strength));
  const cells = rows.map((row, i) => [
    kindName(row.risk_type, sharedBy, words),
    row.captured_at === undefined ? '' : minuteOf(row.captured_at),
    row.age_ms === undefined ? '' : ageText(row.age_ms, explain),
    String(row.obs_days),
    `${row.base} × ${row.weight} × ${row.remaining.toFixed(3)}`,
    row.strength.toFixed(3),
    points[i]!.toFixed(1),
    (row.seen_by ?? []).join(', '),
  ]);
  const headings = [...explain.columns];
  const widths = headings.map((heading, i) => Math.max(widthOf(heading), ...cells.map((row) => widthOf(row[i]!))));
  const line = (row: readonly string[]): string =>
    `  ${row.map((cell, i) => (i === row.length - 1 ? cell : padded(cell, widths[i]!))).join('  ')}`.trimEnd();
  const levelOfRow = (strength: number): Level => (strength === 0 ? 'none' : 'low');
  return [
    [line(headings)],
    ...cells.map((row, i): PaintedLine => [{ level: levelOfRow(rows[i]!.strength), text: line(row) }]),
  ];
}

export function tierText(
  { share_tier: { tier, base, raised_by: by } }: Explanation,
  { explain, sheet }: ReportWords,
): string {
  if (by.length === 0) return fillWords(tier === base ? explain.tierBase : explain.tierIpv6, { tier, base });
  const names = by.map((one) =>
    one === 'tor' || one === 'relay'
      ? sheet.sharedBy[one]
      : (sheet.riskTypes[one as keyof typeof sheet.riskTypes] ?? one),
  );
  return fillWords(explain.tierRaised, { tier, base, by: names.join(sheet.comma) });
}

function overrideFacts(
  { overridden }: Explanation,
  { explain, sheet }: ReportWords,
): readonly (readonly [string, string])[] {
  if (overridden === undefined) return [];
  const { deny, prefix, until, reason } = overridden;
  const what = deny === undefined ? explain.allowed : fillWords(explain.denied, { kind: sheet.riskTypes[deny] });
  const text = [prefix, what, fillWords(explain.until, { at: minuteOf(until) }), reason];
  return [[explain.override, text.filter((part) => part !== undefined).join(' · ')]];
}

const minuteOf = (instant: string): string => `${instant.slice(0, 16).replace('T', ' ')} UTC`;
