import { LEVELS } from '../../src/contract/risk.ts';
import { SCORE_PARAMETERS } from '../../src/core/risk/parameters.ts';
import { type LevelCount, sumOf } from './level-count.ts';
import type { AccuracyReport } from './measure-accuracy.ts';
import type { SurvivalReport } from './measure-survival.ts';
import { RULES } from './replay-series.ts';

const percent = (part: number, whole: number, digits = 1): string =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(digits)} %`;
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): readonly string[] => [
  `| ${head.join(' | ')} |`,
  `|${head.map(() => '---').join('|')}|`,
  ...rows.map((row) => `| ${row.join(' | ')} |`),
  '',
];
/** At most six. */
const mostFirst = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, 6)
    .map(([name, many]) => `${name} ${many}`)
    .join(', ');

/** The report as docs/accuracy.md has it. */
export function accuracyText(report: AccuracyReport, survival: readonly SurvivalReport[]): string {
  const { at, seed } = report;
  return [
    `Judged at ${new Date(at).toISOString()}, parameters version ${SCORE_PARAMETERS.version}, seed ${seed}.`,
    '',
    ...feedLines(report),
    ...knownLines(report),
    ...randomLines(report),
    ...recallLines(report),
    ...(survival.length === 0 ? [] : [...survivalLines(survival), ...decayLines(survival)]),
  ].join('\n');
}

function feedLines({ feeds, overlaps }: AccuracyReport): readonly string[] {
  const missing = feeds.filter(({ feed }) => !overlaps.some(({ source }) => source === feed.id));
  return [
    '## Every scheduled source',
    '',
    ...table(
      ['source', 'says', 'entries', 'only it knows', 'in access networks', 'medium', 'high'],
      overlaps.map(({ source, riskType, entries, alone, access, levels: { asked, medium, high } }) => [
        ...[`\`${source}\``, riskType, entries, percent(alone, entries, 0)],
        ...[percent(access, entries), percent(medium, asked), percent(high, asked)],
      ]),
    ),
    `Not measured here: ${missing.map(({ feed, reason }) => `\`${feed.id}\`${reason === undefined ? '' : ` (${reason})`}`).join(', ')}.`,
    '',
  ];
}

function knownLines({ knownGood }: AccuracyReport): readonly string[] {
  const all = sumOf(knownGood.map(({ sampled }) => sampled));
  const listed = sumOf(knownGood.map((set) => set.listed));
  return [
    '## Known services and research scanners',
    '',
    `Of ${all.asked} addresses all over the sets ${all.active} are active, ${all.medium + all.high} medium or high; of ${listed.asked} entries of the sources inside them ${listed.medium + listed.high} are medium or high. Sets with entries that would be without the tables:`,
    '',
    ...table(
      ['set', 'entries inside', 'medium', 'high'],
      knownGood
        .filter(({ listed: { mediumUnprotected, highUnprotected } }) => mediumUnprotected + highUnprotected > 0)
        .map(({ name, listed: { asked, mediumUnprotected, highUnprotected } }) => [
          name,
          asked,
          mediumUnprotected,
          highUnprotected,
        ]),
    ),
  ];
}

function randomLines({ random: { draws, routed, byUsage, sources } }: AccuracyReport): readonly string[] {
  const row = (name: string, one: LevelCount): readonly (string | number)[] => [
    ...[name, one.asked, one.active, percent(one.active, one.asked, 3), one.medium, one.high],
  ];
  return [
    '## Random addresses',
    '',
    `${draws} IPv4 addresses drawn evenly; reserved ones and codes without an active one are left out.`,
    '',
    ...table(
      ['usage code', 'addresses', 'active', '', 'medium', 'high'],
      [
        ...[...byUsage]
          .filter(([, { active }]) => active > 0)
          .sort((a, b) => b[1].asked - a[1].asked)
          .map(([usage, one]) => row(usage || 'none known', one)),
        row('routed, in all', routed),
      ],
    ),
    `Sources of the ${routed.medium + routed.high} medium and high ones, first of all: ${mostFirst(sources)}.`,
    '',
  ];
}

function recallLines({ recall }: AccuracyReport): readonly string[] {
  if (recall.length === 0) return [];
  return [
    '## Recall',
    '',
    'Lists that no server reads by schedule, and how many of their entries the scheduled sources know.',
    '',
    ...table(
      ['list', 'entries', 'active', '', 'medium', 'high'],
      recall.map(({ name, entries, active, medium, high }) => [
        ...[name, entries, active, percent(active, entries), medium, high],
      ]),
    ),
  ];
}

const windowOf = ({ riskType, replay }: SurvivalReport): string =>
  `${riskType} ${new Date(replay.to).getUTCFullYear()}`;

function survivalLines(survival: readonly SurvivalReport[]): readonly string[] {
  const sources = new Set(survival.flatMap((report) => report.sources.map((source) => `\`${source}\``)));
  const rows = survival.flatMap((report) =>
    [...LEVELS].reverse().flatMap((level) => {
      const [after1, after7] = (['1d', '7d'] as const).map((horizon) => report.replay.survival[horizon][level]);
      const name = level === 'none' ? 'stale' : level;
      return after1!.count === 0
        ? []
        : [
            [
              windowOf(report),
              name,
              after1!.count,
              ...[after1!, after7!].map(({ again, count }) => percent(again, count)),
            ],
          ];
    }),
  );
  return [
    '## Survival',
    '',
    `Share of prefixes of ${[...sources].join(', ')} captured again within the time, by the band of their score.`,
    '',
    ...table(['', 'band', 'prefixes', '1 d', '7 d'], rows),
  ];
}

function decayLines(survival: readonly SurvivalReport[]): readonly string[] {
  const scored = survival.filter(({ replay }) => replay.rules['score 30 or more'].count > 0);
  const rows = scored.flatMap((report) => {
    const all = report.replay.rules['ever listed'];
    return RULES.map((rule) => {
      const { count, again } = report.replay.rules[rule];
      return [windowOf(report), rule, count, percent(count - again, count), percent(all.again - again, all.again)];
    });
  });
  return [
    '## Cost of decay',
    '',
    '*In vain*: not captured again within seven days. *Missed*: of those captured again within seven days, the share that the rule did not flag.',
    '',
    ...table(['', 'flagged if', 'prefixes', 'in vain', 'missed'], rows),
  ];
}
