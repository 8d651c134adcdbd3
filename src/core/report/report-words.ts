import type { Explanation } from '../../contract/documents.ts';
import type { EvidenceState, Level, OwnRiskType, RiskType, ShareTier, Signal } from '../../contract/risk.ts';
import type { SlugWords } from '../../contract/risk-types.ts';
import type {
  SeenAddress,
  SummaryActs,
  SummaryAddress,
  SummaryDoubt,
  SummaryRow,
} from '../../contract/traffic-summary.ts';
import type { Order } from '../policy/order.ts';
import type { Action } from '../policy/policy.ts';
import type { TimeKind } from '../summary/time-buckets.ts';
import { fillWords } from '../texts/said.ts';

export interface ReportWords {
  readonly tag: string;
  readonly title: string;
  readonly colon: string;
  readonly log: string;
  readonly moment: string;
  readonly data: string;
  readonly degraded: string;
  readonly doubt: string;
  readonly doubtAlone: string;
  readonly lines: string;
  readonly addresses: string;
  readonly about: string;
  readonly activeLines: string;
  readonly highLines: string;
  readonly state: string;
  readonly level: string;
  readonly signals: string;
  readonly signalsNote: string;
  readonly usage: string;
  readonly countries: string;
  readonly mapNote: string;
  readonly networks: string;
  readonly pools: string;
  readonly prefixes: string;
  readonly risky: string;
  readonly withAddresses: string;
  readonly riskiest: string;
  readonly riskiestNote: string;
  readonly newAddresses: string;
  readonly goneAddresses: string;
  readonly paths: string;
  readonly pathsNote: string;
  readonly otherPaths: string;
  readonly path: string;
  readonly withoutPath: string;
  readonly requests: string;
  readonly statuses: string;
  readonly busiest: string;
  readonly seen: string;
  readonly next: string;
  readonly nextSteps: readonly string[];
  readonly topAddresses: string;
  readonly knownScanner: string;
  readonly knownService: string;
  readonly topPrefixes: string;
  readonly time: string;
  readonly timeNote: { readonly hour: string; readonly day: string };
  readonly untimed: string;
  readonly unknown: string;
  readonly others: string;
  readonly none: string;
  readonly share: string;
  readonly score: string;
  readonly prefix: string;
  readonly address: string;
  readonly country: string;
  readonly network: string;
  readonly topError: string;
  readonly notes: string;
  readonly judged: string;
  readonly withoutAddress: string;
  readonly reserved: string;
  readonly notFound: string;
  readonly withoutHistory: string;
  readonly estimate: string;
  readonly noneIsNotSafe: string;
  readonly notProbability: string;
  readonly attribution: string;
  readonly kinds: Readonly<Record<TimeKind, string>>;
  readonly states: Readonly<Record<EvidenceState, string>>;
  readonly levels: Readonly<Record<Level, string>>;
  readonly ownNames: Readonly<Record<OwnRiskType, string>>;
  readonly signalNames: Readonly<Record<Signal, string>>;
  readonly usageNames: Readonly<Record<string, string>>;
  readonly sheet: {
    readonly usage: string;
    readonly place: string;
    readonly known: string;
    readonly sharedBy: Readonly<Record<'tor' | 'relay', string>>;
    readonly tier: string;
    readonly tiers: Readonly<Record<ShareTier, string>>;
    readonly capture: string;
    readonly expired: string;
    readonly corrected: string;
    readonly comma: string;
    readonly riskTypes: Readonly<Record<RiskType, string>>;
  };
  readonly order: Readonly<Record<Action | Order['by'] | 'label' | 'stop' | 'seen', string>>;
  readonly case: Readonly<Record<'moment' | 'past' | 'data' | 'registry' | 'link', string>>;
  readonly explain: {
    readonly title: string;
    readonly version: string;
    readonly noRows: string;
    /** The columns are kind, capture, age, days, factors, strength, points and sources. */
    readonly columns: readonly string[];
    readonly hours: string;
    readonly days: string;
    readonly held: string;
    readonly caps: Readonly<Record<Explanation['caps'][number]['by'], string>>;
    readonly leaves: string;
    readonly leavesAt: string;
    readonly tier: string;
    readonly tierBase: string;
    readonly tierIpv6: string;
    readonly tierRaised: string;
    readonly override: string;
    readonly allowed: string;
    readonly denied: string;
    readonly until: string;
    readonly derived: string;
  };
}

export const namesOf = <Slug extends string>(
  words: Readonly<Record<Slug, SlugWords>>,
): Readonly<Record<Slug, string>> =>
  Object.fromEntries(Object.keys(words).map((slug) => [slug, words[slug as Slug].name])) as Record<Slug, string>;

export const seenAddressText = ({ name, example }: SeenAddress): string =>
  name === '' ? example : `${name} (${example})`;

export function doubtText(
  { taken, others, lines }: SummaryDoubt,
  { doubt, doubtAlone, comma }: Pick<ReportWords, 'doubt' | 'doubtAlone'> & { readonly comma: string },
): string {
  const values = { lines, taken: seenAddressText(taken), others: others.map(seenAddressText).join(comma) };
  return fillWords(others.length === 0 ? doubtAlone : doubt, values);
}

type ShownReasons = Pick<SummaryAddress, 'signals' | 'own' | 'scanner' | 'service' | 'shared_by'>;

/**
 * Says why an address has its score: why many share it, its signals, what own collection saw, and its known
 * name. Tor exits have the signal of VPN exits, and their own name says more.
 */
export const reasonTexts = (
  { signals = [], own = [], scanner, service, shared_by: sharedBy }: ShownReasons,
  { knownScanner, knownService, sheet, signalNames, ownNames }: ReportWords,
): readonly string[] => [
  ...(sharedBy === undefined ? [] : [sheet.sharedBy[sharedBy]]),
  ...signals
    .filter((signal) => !(sharedBy === 'tor' && signal === 'vpn'))
    .map((signal) => signalNames[signal] ?? signal),
  ...own.map((kind) => ownNames[kind]),
  ...(scanner === undefined ? [] : [fillWords(knownScanner, { what: scanner })]),
  ...(service === undefined ? [] : [fillWords(knownService, { what: service })]),
];

/** Created at the first use, because it takes 20 ms and a service words no size at its start. */
let size: Intl.NumberFormat | undefined;
function sizeText(bytes: number): string {
  size ??= new Intl.NumberFormat('en', { style: 'unit', unit: 'byte', unitDisplay: 'narrow', notation: 'compact' });
  return size.format(bytes);
}

export const countText = (rows: readonly SummaryRow<string>[], number: (count: number) => string = String): string =>
  rows.map(({ value, lines }) => `${value} ×${number(lines)}`).join(', ');

export function requestText({ paths, statuses, agents, bytes }: SummaryActs, agentsMax = agents.length): string {
  const named = countText(agents.slice(0, agentsMax)) + (agents.length > agentsMax ? ', …' : '');
  return [countText(paths), countText(statuses), named, bytes === 0 ? '' : sizeText(bytes)]
    .filter((part) => part !== '')
    .join(' · ');
}
