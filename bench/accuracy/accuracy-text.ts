import { SCORE_PARAMETERS } from '../../src/core/risk/parameters.ts';
import { type LevelCount, sumOf } from './level-count.ts';
import type { AccuracyReport } from './measure-accuracy.ts';

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
export function accuracyText(report: AccuracyReport): string {
  const { at, seed } = report;
  return [
    `Judged at ${new Date(at).toISOString()}, parameters version ${SCORE_PARAMETERS.version}, seed ${seed}.`,
    '',
    ...feedLines(report),
    ...knownLines(report),
    ...randomLines(report),
    ...recallLines(report),
    ...calibrationLines(report),
    ...freshnessLines(report),
    ...placeLines(report),
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

function freshnessLines({ freshness }: AccuracyReport): readonly string[] {
  if (freshness.length === 0) return [];
  const span = (minutes: number): string =>
    minutes < 90 ? `${minutes.toFixed(0)} min` : `${(minutes / 60).toFixed(1)} h`;
  return [
    '## Freshness',
    '',
    'Of the last two weeks, the share in which the newest version that was read is at most so old.',
    '',
    ...table(
      ['source', 'a version every', 'read every', '2 h', '4 h', '12 h'],
      freshness.map(({ source, paceMin, cadenceMin, within2h, within4h, within12h }) => [
        ...[`\`${source}\``, span(paceMin), span(cadenceMin)],
        ...[within2h, within4h, within12h].map((share) => percent(share, 1, 0)),
      ]),
    ),
  ];
}

function placeLines({ places }: AccuracyReport): readonly string[] {
  if (places.length === 0) return [];
  return [
    '## Places',
    '',
    'Of the prefixes that networks place themselves, by their first address. *Far* is an answer more than 500 km from the stated town, of those that have coordinates; where towns are is the word of GeoNames, which no answer is made of. A town whose name several share is left out.',
    '',
    ...table(
      ['network', 'prefixes', 'country right', 'wrong', 'towns', 'the same', 'with coordinates', 'far'],
      places.map(({ name, family, rows, countryRight, countryWrong, towns, townRight, located, answered, far }) => [
        ...[`${name}, IPv${family}`, rows, percent(countryRight, rows), percent(countryWrong, rows)],
        ...[towns, percent(townRight, towns), percent(answered, located), percent(far, answered)],
      ]),
    ),
  ];
}

function calibrationLines({ calibration }: AccuracyReport): readonly string[] {
  if (calibration.length === 0) return [];
  const band = (from: number): string =>
    from === 0 ? 'stale' : from === 1 ? '1–9' : `${from}–${from === 90 ? 100 : from + 9}`;
  return [
    '## Seen again, by score',
    '',
    'The table groups proxies by their score a week before and gives the share that a list of proxies named again. A score says how fresh and strong the evidence is. It is not a probability of harm.',
    '',
    ...table(
      ['score', 'addresses', 'within a day', '', 'within a week'],
      calibration.map(({ from, addresses, withinDay, withinWeek }) => [
        ...[band(from), addresses, percent(withinDay, addresses)],
        '█'.repeat(Math.round((20 * withinDay) / addresses)),
        percent(withinWeek, addresses),
      ]),
    ),
  ];
}
