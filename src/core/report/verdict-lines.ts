import type { Explanation, IPRisk, PulseIPRisk } from '../../contract/documents.ts';
import type { Level, RiskType } from '../../contract/risk.ts';
import type { Names } from '../names/names-in.ts';
import type { ReportWords } from './report-words.ts';
import { sayOrder } from './say-order.ts';

export type LookupAnswer = IPRisk | PulseIPRisk | { readonly ip: string; readonly error: { readonly message: string } };

export interface ShownExplanation
  extends Pick<Explanation, 'shared_by' | 'rows'>,
    Partial<Pick<Explanation, 'share_tier'>> {
  readonly known_as?: { readonly what: string };
}

export interface VerdictLinesOptions {
  readonly words: ReportWords;
  readonly names: Names;
  readonly explanationOf: (document: LookupAnswer) => ShownExplanation | undefined;
  readonly sourceText: (text: string) => string;
  readonly asName: (asn: number) => string | undefined;
  readonly width: number;
}

/** The text has the colour of a level; an error is coloured like `high`. */
export interface PaintedText {
  readonly level: Level;
  readonly text: string;
}

export type PaintedLine = readonly (string | PaintedText)[];

export function verdictLines(documents: readonly LookupAnswer[], options: VerdictLinesOptions): readonly PaintedLine[] {
  const [only, ...others] = documents;
  if (only !== undefined && others.length === 0 && !('error' in only)) return sheet(only, options);
  return table(documents, options);
}

function sheet(document: IPRisk | PulseIPRisk, options: VerdictLinesOptions): readonly PaintedLine[] {
  const { words } = options;
  const labels = words.sheet;
  const evidence = 'evidence' in document ? document.evidence : [];
  const known = options.explanationOf(document);
  const isOver = (type: RiskType): boolean =>
    known === undefined
      ? document.evidence_state === 'stale'
      : !known.rows.some(({ risk_type, strength }) => risk_type === type && strength > 0);
  const rows: readonly (readonly [string, string])[] = [
    [words.state, words.states[document.evidence_state]],
    [words.order.label, known === undefined ? '' : sayOrder(document, known, words).sentence],
    [words.signals, signalsOf(document, options)],
    [labels.known, knownAs(document, options)],
    [words.network, networkOf(document, options)],
    [labels.usage, usageOf(document, options)],
    [labels.place, placeOf(document, options)],
    [labels.tier, tierOf(document, options)],
    ...evidence.map(({ risk_type: type, captured_at: at }): readonly [string, string] => [
      labels.capture,
      [kindName(type, known?.shared_by, words), at?.slice(0, 16).replace('T', ' '), isOver(type) ? labels.expired : '']
        .filter(Boolean)
        .join(' · '),
    ]),
  ].filter(([, value]) => value !== '') as (readonly [string, string])[];
  const gap = Math.max(...rows.map(([label]) => widthOf(label))) + 2;
  return [
    [`${document.ip}  `, { level: document.risk.level, text: verdictOf(document, options) }],
    ...rows.map(([label, value], i) => [`  ${padded(rows[i - 1]?.[0] === label ? '' : label, gap)}${value}`]),
    ...(document.evidence_state === 'none' ? [[`  ${words.noneIsNotSafe}`]] : []),
  ];
}

function table(documents: readonly LookupAnswer[], options: VerdictLinesOptions): readonly PaintedLine[] {
  const { words, width } = options;
  const rows = documents.map((document) =>
    'error' in document
      ? [document.ip, document.error.message]
      : [
          document.ip,
          verdictOf(document, options),
          actionOf(document, options),
          [knownAs(document, options), signalsOf(document, options)].filter(Boolean).join(words.sheet.comma),
          networkOf(document, options),
          placeOf(document, options),
        ],
  );
  const headings = [words.address, words.score, words.order.label, words.signals, words.network, words.sheet.place];
  const full = rows.filter((row) => row.length === headings.length);
  const widths = fitted(
    headings.map((heading, i) => Math.max(widthOf(heading), ...full.map((row) => widthOf(row[i]!)))),
    width,
  );
  const addressWidth = Math.max(widths[0]!, ...rows.map(([ip]) => widthOf(ip!)));
  const line = (cells: readonly string[], level?: Level): PaintedLine =>
    cells.map((cell, i) => {
      const room = i === 0 ? addressWidth : cells.length < headings.length ? width - addressWidth - 2 : widths[i]!;
      const text = i === cells.length - 1 ? cut(cell, room) : `${padded(cut(cell, room), room)}  `;
      return i === 1 && level !== undefined ? { level, text } : text;
    });
  return [
    line(headings),
    ...rows.map((row, at) => {
      const document = documents[at]!;
      return line(row, 'error' in document ? 'high' : document.risk.level);
    }),
  ];
}

function verdictOf(
  { risk, evidence_state: state, meta }: IPRisk | PulseIPRisk,
  { words }: VerdictLinesOptions,
): string {
  const verdict = state === 'active' ? `${risk.score} ${words.levels[risk.level]}` : words.states[state];
  return meta.override === true ? `${verdict} · ${words.sheet.corrected}` : verdict;
}

function actionOf(document: IPRisk | PulseIPRisk, { words, explanationOf }: VerdictLinesOptions): string {
  const known = explanationOf(document);
  return known === undefined ? '' : words.order[sayOrder(document, known, words).action];
}

function signalsOf(document: IPRisk | PulseIPRisk, { words, explanationOf }: VerdictLinesOptions): string {
  const sharedBy = explanationOf(document)?.shared_by;
  const signals = (document.risk.signals ?? []).filter((signal) => !(sharedBy === 'tor' && signal === 'vpn'));
  return [
    ...(sharedBy === undefined ? [] : [words.sheet.sharedBy[sharedBy]]),
    ...signals.map((signal) => words.signalNames[signal]),
  ].join(words.sheet.comma);
}

function tierOf(document: IPRisk | PulseIPRisk, { words, explanationOf }: VerdictLinesOptions): string {
  const tier = 'share_tier' in document ? document.share_tier : explanationOf(document)?.share_tier?.tier;
  return tier === undefined ? '' : words.sheet.tiers[tier];
}

/** Evidence of Tor exits has the risk type of VPN exits, and their own name says more. */
export const kindName = (type: RiskType, sharedBy: Explanation['shared_by'], { sheet }: ReportWords): string =>
  type === 'vpn' && sharedBy === 'tor' ? sheet.sharedBy.tor : (sheet.riskTypes[type] ?? type);

const knownAs = (document: LookupAnswer, { explanationOf, sourceText }: VerdictLinesOptions): string => {
  const known = explanationOf(document)?.known_as;
  return known === undefined ? '' : sourceText(known.what);
};

const networkOf = ({ network }: IPRisk | PulseIPRisk, { names, asName }: VerdictLinesOptions): string =>
  network?.asn === undefined ? '' : names.network(network.asn, asName(network.asn));

function usageOf({ network }: IPRisk | PulseIPRisk, { words }: VerdictLinesOptions): string {
  const code = network?.usage_type;
  if (code === undefined) return '';
  return Object.hasOwn(words.usageNames, code) ? `${words.usageNames[code]} (${code})` : code;
}

const placeOf = ({ geo }: IPRisk | PulseIPRisk, { names }: VerdictLinesOptions): string =>
  geo === undefined ? '' : names.place(geo);

/** A narrow terminal cuts these columns, the first one first, each to no less than NARROWEST characters. */
const YIELDING = [5, 4, 3];
const NARROWEST = 12;

function fitted(widths: readonly number[], width: number): readonly number[] {
  const fitting = [...widths];
  for (const i of YIELDING) {
    const over = fitting.reduce((sum, one) => sum + one + 2, -2) - width;
    if (over > 0) fitting[i] = Math.max(Math.min(NARROWEST, fitting[i]!), fitting[i]! - over);
  }
  return fitting;
}

export const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u;
export const widthOf = (text: string): number => [...text].reduce((sum, sign) => sum + (WIDE.test(sign) ? 2 : 1), 0);
export const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  for (const sign of text) {
    if (widthOf(kept) + widthOf(sign) > width - 1) break;
    kept += sign;
  }
  return `${kept}…`;
}
