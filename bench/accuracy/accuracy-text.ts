import { LEVELS, type RiskType } from '../../src/contract/risk.ts';
import { coverageOf } from '../../src/core/feeds/coverage.ts';
import { SCORE_PARAMETERS } from '../../src/core/risk/parameters.ts';
import type { LevelCount } from './level-count.ts';
import { levelCount } from './level-count.ts';
import type { AccuracyReport } from './measure-accuracy.ts';
import type { GoodSetReport } from './measure-known-good.ts';
import type { OverlapReport } from './measure-overlap.ts';
import type { SurvivalReport } from './measure-survival.ts';
import { HORIZONS, type Horizon, RULES } from './replay-series.ts';

const percent = (part: number, whole: number, digits = 1): string =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(digits)} %`;
const day = (at: number | undefined): string => (at === undefined ? '' : new Date(at).toISOString().slice(0, 10));
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): readonly string[] => [
  `| ${head.join(' | ')} |`,
  `|${head.map(() => '---').join('|')}|`,
  ...rows.map((row) => `| ${row.join(' | ')} |`),
  '',
];
const mostFirst = (counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] =>
  [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));

/** The report as markdown. */
export function accuracyText(report: AccuracyReport, survival: readonly SurvivalReport[]): string {
  const { at, seed, feeds, overlaps } = report;
  return [
    `Judged at ${new Date(at).toISOString()}, parameters version ${SCORE_PARAMETERS.version}, seed ${seed}: ${overlaps.length} of ${feeds.length} scheduled sources of evidence.`,
    '',
    ...feedLines(report),
    ...knownGoodLines(report),
    ...accessLines(report),
    ...overlapLines(report),
    ...recallLines(report),
    ...survival.flatMap(survivalLines),
    ...(survival.length === 0 ? [] : decayLines(survival)),
  ].join('\n');
}

function feedLines({ feeds, overlaps, random }: AccuracyReport): readonly string[] {
  const byId = new Map(overlaps.map((one) => [one.source, one]));
  const access = [...random.access.values()].reduce((sum, { asked }) => sum + asked, 0);
  return [
    '### Every scheduled source',
    '',
    ...table(
      [
        'source',
        'says',
        'newest content',
        'entries',
        'IPv4 addresses',
        'active',
        'only it knows',
        'in access networks',
        'known good',
        'medium',
        'high',
        `of ${access} access addresses`,
      ],
      feeds.map(({ feed, contentAt, batch, reason }) => {
        const one = byId.get(feed.id);
        const says = feed.effect.kind === 'risk' ? feed.effect.riskType : '';
        if (one === undefined || batch === undefined)
          return [`\`${feed.id}\``, says, reason ?? 'not measured here', ...Array<string>(9).fill('')];
        const { asked, active, medium, high } = one.levels;
        const only = `${one.alone} (${percent(one.alone, one.entries, 0)})`;
        const covered = coverageOf(batch)[4];
        return [
          `\`${feed.id}\``, says, day(contentAt), one.entries, covered, active, only, percent(one.access, one.entries), one.knownGood, percent(medium, asked), percent(high, asked), random.accessSources.get(feed.id) ?? 0,
        ]; // biome-ignore format: one row
      }),
    ),
  ];
}

const LEVEL_HEAD = ['active', 'medium', 'high'];
const levels = ({ active, medium, high }: LevelCount): readonly number[] => [active, medium, high];

function knownGoodLines({ knownGood }: AccuracyReport): readonly string[] {
  return [
    '### Known-good addresses',
    '',
    'Addresses all over each set (the first of every prefix, and random ones), then the entries of all sources that lie inside it, and what they would be without the table.',
    '',
    'Sets of `data/known-good.json`:',
    '',
    ...goodSetLines(knownGood.filter(({ shipped }) => shipped)),
    'Lists of the mirror that name crawlers, relays, resolvers, gateways and front ends:',
    '',
    ...goodSetLines(knownGood.filter(({ shipped }) => !shipped)),
  ];
}

function goodSetLines(sets: readonly GoodSetReport[]): readonly string[] {
  const isNamed = ({ sampled, listed }: GoodSetReport): boolean => sampled.active > 0 || listed.asked > 0;
  const row = (
    name: string,
    prefixes: number,
    sampled: LevelCount,
    listed: LevelCount,
    whose: string,
  ): readonly (string | number)[] => [
    ...[name, prefixes, sampled.asked, ...levels(sampled), listed.asked, ...levels(listed)],
    ...[listed.mediumUnprotected, listed.highUnprotected, whose],
  ];
  const whose = ({ sources }: GoodSetReport): string =>
    sources
      .slice(0, 3)
      .map(([source, many]) => `${source} ${many}`)
      .join(', ');
  const quiet = sets.filter((set) => !isNamed(set)).map(({ name }) => name);
  const all = [sum(sets.map(({ sampled }) => sampled)), sum(sets.map(({ listed }) => listed))] as const;
  return [
    ...table(
      ['set', 'prefixes', 'asked', ...LEVEL_HEAD, 'entries inside', ...LEVEL_HEAD, 'else medium', 'else high', 'whose'],
      [
        ...sets.filter(isNamed).map((set) => row(set.name, set.prefixes, set.sampled, set.listed, whose(set))),
        row(
          'all',
          sets.reduce((many, { prefixes }) => many + prefixes, 0),
          ...all,
          '',
        ),
      ],
    ),
    ...(quiet.length === 0 ? [] : [`No entry inside and no active address: ${quiet.join(', ')}.`, '']),
  ];
}

const COUNTRIES_SHOWN = 25;

function accessLines({ random }: AccuracyReport): readonly string[] {
  const row = (name: string, one: LevelCount): readonly (string | number)[] => [
    name, one.asked, one.active, percent(one.active, one.asked, 3), one.medium, percent(one.medium, one.asked, 3), one.high, percent(one.high, one.asked, 3),
  ]; // biome-ignore format: one row
  const head = ['', 'addresses', 'active', '', 'medium', '', 'high', ''];
  const byCount = [...random.access].sort((a, b) => b[1].asked - a[1].asked || (a[0] < b[0] ? -1 : 1));
  const shown = byCount.slice(0, COUNTRIES_SHOWN);
  const rest = sum(byCount.slice(COUNTRIES_SHOWN).map(([, one]) => one));
  return [
    '### Random addresses',
    '',
    `${random.draws} IPv4 addresses drawn evenly; reserved ones left out. By usage code:`,
    '',
    ...table(
      head,
      [...random.byUsage]
        .sort((a, b) => b[1].asked - a[1].asked)
        .map(([usage, one]) => row(usage || 'none known', one)),
    ),
    'Access networks (DYN and MOB) by country:',
    '',
    ...table(head, [
      ...shown.map(([country, one]) => row(country, one)),
      row(`${byCount.length - shown.length} others`, rest),
      row('all', sum([...random.access.values()])),
    ]),
    `Sources behind the active ones: ${mostFirst(random.accessSources)
      .map(([source, many]) => `${source} ${many}`)
      .join(', ')}.`,
    '',
  ];
}

function sum(counts: readonly LevelCount[]): LevelCount {
  const total = levelCount();
  for (const one of counts) for (const key of Object.keys(total) as (keyof LevelCount)[]) total[key] += one[key];
  return total;
}

/** Least share of a source's entries in another family that is worth a row. */
const SHOWN_SHARE = 0.05;
/** Share from which two families are not independent. */
const DEPENDENT_SHARE = 0.5;

function overlapLines({ overlaps, osintFamilies }: AccuracyReport): readonly string[] {
  const families = [...new Set(overlaps.map(({ family }) => family))];
  const byFamily = families.map((family) => {
    const its = overlaps.filter((one) => one.family === family);
    return {
      family,
      entries: total(its, (one) => one.entries),
      in: (other: string) => total(its, (one) => one.sharedFamilies.get(other) ?? 0),
    };
  });
  const byId = new Map(overlaps.map((one) => [one.source, one]));
  const pairs = overlaps.flatMap((one) =>
    mostFirst(one.shared).flatMap(([other, many]) =>
      byId.get(other)?.family !== one.family && many >= SHOWN_SHARE * one.entries ? [[one, other, many] as const] : [],
    ),
  );
  return [
    '### Overlap',
    '',
    'Share of the entries of the family in the row that the family in the column has an active capture of; blank below half a percent.',
    '',
    ...table(
      ['', 'entries', ...families],
      byFamily.map((row) => [
        row.family,
        row.entries,
        ...families.map((column) => (column === row.family ? '' : shareOf(row.in(column), row.entries))),
      ]),
    ),
    'Sources of which another family knows 5 % or more. *Weighed once*: the score counts the two as one, because both are evidence of one type other than osint, or because one is known to contain the other.',
    '',
    ...table(
      ['source', 'entries', 'known to', 'share', ''],
      pairs.map(([one, other, many]) => [
        one.source,
        one.entries,
        other,
        percent(many, one.entries),
        noteOf(one, other, byId.get(other)?.riskType, many),
      ]),
    ),
    'Addresses with active threat listings, by the number of families that list them:',
    '',
    ...table(
      ['families', 'addresses'],
      [...osintFamilies].sort((a, b) => a[0] - b[0]),
    ),
  ];
}

/** Blank where it rounds to nothing. */
const shareOf = (part: number, whole: number): string => (part < whole / 200 ? '' : percent(part, whole, 0));

const total = (its: readonly OverlapReport[], of: (one: OverlapReport) => number): number =>
  its.reduce((whole, one) => whole + of(one), 0);

function noteOf(one: OverlapReport, other: string, otherType: RiskType | undefined, many: number): string {
  const { aggregates } = SCORE_PARAMETERS;
  const isContained = aggregates[one.source]?.includes(other) || aggregates[other]?.includes(one.source);
  if (isContained || (one.riskType !== 'osint' && one.riskType === otherType)) return 'weighed once';
  return many >= DEPENDENT_SHARE * one.entries ? 'not independent' : '';
}

function recallLines({ recall }: AccuracyReport): readonly string[] {
  if (recall.length === 0) return [];
  return [
    '### Recall',
    '',
    'Lists that no server reads by schedule: how many of their entries the scheduled sources know.',
    '',
    ...table(
      ['list', 'content of', 'entries', 'active', '', 'vpn', 'proxy', 'osint', 'medium', 'high'],
      recall.map(({ name, contentAt, entries, active, vpn, proxy, osint, medium, high }) => {
        return [
          name,
          day(contentAt),
          entries,
          active,
          percent(active, entries),
          percent(vpn, entries),
          percent(proxy, entries),
          percent(osint, entries),
          medium,
          high,
        ];
      }),
    ),
  ];
}

const horizons = Object.keys(HORIZONS) as Horizon[];
const windowOf = ({ riskType, sources, replay }: SurvivalReport): string =>
  `${riskType} (${sources.join(', ')}), ${day(replay.from)} to ${day(replay.to)}`;

function survivalLines(report: SurvivalReport): readonly string[] {
  const { replay } = report;
  return [
    `### Survival: ${windowOf(report)}`,
    '',
    `${replay.runs} runs, ${replay.samples} samples. Share of prefixes captured again within the time, by the band of their score.`,
    '',
    ...table(
      ['band', 'prefixes', ...horizons],
      [...LEVELS].reverse().map((level) => {
        const cells = horizons.map((horizon) =>
          percent(replay.survival[horizon][level].again, replay.survival[horizon][level].count),
        );
        return [level === 'none' ? '0 (stale)' : level, replay.survival['1d'][level].count, ...cells];
      }),
    ),
  ];
}

function decayLines(survival: readonly SurvivalReport[]): readonly string[] {
  const rows = survival.flatMap((report) => {
    const all = report.replay.rules['ever listed'];
    return RULES.map((rule) => {
      const { count, again } = report.replay.rules[rule];
      return [windowOf(report), rule, count, percent(count - again, count), percent(all.again - again, all.again)];
    });
  });
  return [
    '### Cost of decay',
    '',
    'What each rule would flag at the samples. *In vain*: not captured again within seven days. *Missed*: of those captured again within seven days, the share that the rule did not flag.',
    '',
    ...table(['', 'flagged if', 'prefixes', 'in vain', 'missed'], rows),
  ];
}
