import { readFileSync } from 'node:fs';
import { WIDEST_EVIDENCE } from '../../core/evidence/intake-refusals.ts';
import type { Feed } from '../../core/feeds/feed.ts';
import { SCORE_PARAMETERS } from '../../core/risk/parameters.ts';
import { ASSISTANT_FAMILIES } from '../assistants/assistant-families.ts';
import { CATALOGUE, newestContent, sourceFigures } from './catalogue.ts';

/** The place of the sources in docs/feeds.md. */
const PLACE = '<!-- site: sources -->';
const HEAD = [
  'id',
  'title',
  'says',
  'clock',
  'family',
  'read every',
  'measured',
  'late after',
  'bounds',
  'licence; attribution',
  'file in a mirror',
];

function says({ id, effect }: Feed): string {
  if (effect.kind === 'risk')
    return parts(
      '; ',
      effect.riskType,
      effect.derives === undefined ? '' : `${effect.derives} where a usage code says DYN or MOB`,
      SCORE_PARAMETERS.claiming.includes(id) ? 'claims networks' : '',
    );
  const { usage, ...flags } = effect.network;
  return [...Object.keys(flags), ...(usage === undefined ? [] : [usage])].join(' ') || 'nothing (reference)';
}

const span = (minutes: number): string =>
  minutes < 60 ? `${minutes} min` : minutes < 1440 ? `${minutes / 60} h` : `${minutes / 1440} d`;

const readEvery = (feed: Feed): string =>
  feed.scheduled === false ? `left out: ${feed.offScheduleBecause}` : span(feed.cadenceMin);

/** Returns what this source alone gives, the time between two versions, and the day of what was measured. */
function measured({ id }: Feed): string {
  const found = sourceFigures.get(id);
  const verified = ASSISTANT_FAMILIES.find(({ feeds }) => feeds.includes(id));
  if (found === undefined) return '';
  const { on, alone, gives = '', paceMin } = found;
  return parts(
    '; ',
    verified === undefined ? '' : `verifies ${verified.family}`,
    alone === undefined ? '' : `${Math.round(100 * alone)} % alone`,
    gives,
    paceMin === undefined ? '' : `new every ${paceMin < 90 ? `${paceMin} min` : `${Math.round(paceMin / 60)} h`}`,
    on.replace(/^never: .*/, 'never'),
  );
}

/** Shortest and longest prefix of evidence, IPv4 and IPv6; nothing for lists of addresses. */
function prefixes({ bounds: { widest = WIDEST_EVIDENCE, narrowest = HOST } }: Feed): string {
  const lengths = ([4, 6] as const).map((family) => `/${widest[family]}–${narrowest[family]}`).join('; ');
  return lengths === '/32–32; /64–128' ? '' : lengths;
}

const HOST = { 4: 32, 6: 128 } as const;

const rows = ({ bounds }: Feed): string => `${bounds.minRows}–${bounds.maxRows}`;

const clock = (feed: Feed): string => feed.clock.replace('_', ' ');

const parts = (separator: string, ...texts: readonly string[]): string =>
  texts.filter((text) => text !== '').join(separator);

/** Terms of publishers that name no licence are one word; the page explains it. */
const licence = ({ licence, redistribution }: Feed, attribution: string): string =>
  parts(
    '; ',
    licence.replace('published by the operator, no licence stated', 'unstated'),
    attribution,
    redistribution === 'allowed' ? '' : redistribution,
  );

const linked = (text: string, url: string): string => (url === '' ? text : `[${text}](${url})`);

const rowOf = (feed: Feed): readonly string[] => [
  `\`${feed.id}\``,
  linked(feed.title, feed.url),
  says(feed),
  parts(' ', clock(feed), newestContent.get(feed.id) ?? ''),
  feed.family,
  readEvery(feed),
  measured(feed),
  span(feed.maxAgeHours * 60),
  parts('; ', rows(feed), prefixes(feed)),
  licence(feed, feed.attribution),
  feed.files[0]!,
];

/** Lists about networks on the schedule, under a line for all of the same terms. */
function scheduledLines(feeds: readonly Feed[]): string[] {
  const groups = Map.groupBy(feeds, (feed) =>
    parts(
      '; ',
      says(feed),
      clock(feed),
      readEvery(feed),
      `late after ${span(feed.maxAgeHours * 60)}`,
      licence(feed, ''),
    ),
  );
  return [...groups].flatMap(([terms, members]) => ['', `${terms}:`, '', ...members.map(memberLine)]);
}

const memberLine = (feed: Feed): string => {
  const rest = [feed.attribution, measured(feed), newestContent.get(feed.id) ?? '', rows(feed), feed.files[0]!];
  return `- ${parts('; ', `\`${feed.id}\` ${linked(feed.title, feed.url)}`, ...rest)}`;
};

/** Lists about networks that are read by name alone: one line for all of the same terms. */
function unscheduledLines(feeds: readonly Feed[]): string[] {
  const groups = Map.groupBy(feeds, (feed) =>
    parts('; ', licence(feed, feed.attribution), readEvery(feed), says(feed)),
  );
  return [...groups].map(
    ([terms, members]) =>
      `- ${terms}: ${members.map((feed) => `${linked(`\`${feed.id}\``, feed.url)} ${feed.files[0]}`).join(', ')}.`,
  );
}

const kindOf = (kind: Feed['effect']['kind']): readonly Feed[] =>
  CATALOGUE.filter(({ effect }) => effect.kind === kind);

const lineOf = (cells: readonly string[]): string =>
  `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |').replaceAll('|  |', '| |');

function tables(): string {
  const [evidence, networks] = [kindOf('risk'), kindOf('network')];
  const table = [HEAD, HEAD.map(() => '---'), ...evidence.map(rowOf)].map(lineOf);
  const lines = [
    ...table,
    '',
    'Lists about networks on the schedule (effect; clock; read every; late after; licence), and per source: id, title; attribution; measured; newest known content; rows; file in a mirror.',
    ...scheduledLines(networks.filter(({ scheduled }) => scheduled !== false)),
    '',
    'Lists about networks that are read only by name or from files:',
    '',
    ...unscheduledLines(networks.filter(({ scheduled }) => scheduled === false)),
  ];
  return lines.join('\n');
}

/** Reads a page of docs/. The page of sources has the catalogue's tables in their place. */
export const readDocsPage = (file: string): string => readFileSync(file, 'utf8').replace(PLACE, tables);
