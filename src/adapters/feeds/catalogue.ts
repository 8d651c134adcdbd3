import regions from '../../../data/cloud-regions.json' with { type: 'json' };
import catalogue from '../../../data/feeds.json' with { type: 'json' };
import type { RiskType } from '../../contract/risk.ts';
import { type SourceNameFault, sourceNameFault } from '../../core/collection/beacon.ts';
import { type Feed, type FeedClock, isOwnFeed } from '../../core/feeds/feed.ts';
import { unpackedName } from '../system/map-file.ts';

/** GitHub serves files at `/{owner}/{repo}/{branch}/{path}`. */
export const GITHUB = 'https://raw.githubusercontent.com';

/** Figures of a scheduled source, with the day they were measured, or `never: ` and the reason. */
export interface SourceFigures {
  readonly on: string;
  /** It names what this source alone gives. A list that verifies an assistant has none, because its family names it. */
  readonly gives?: string;
  readonly alone?: number;
  readonly paceMin?: number;
}

/** A row of data/feeds.json, which data/feeds.schema.json describes. */
type CatalogueRow = Omit<Feed, 'clock'> & {
  readonly clock?: FeedClock;
  readonly measured?: SourceFigures;
  /**
   * UTC date of the newest content that was known when the row was written. Content that a deployment reads is dated by
   * the source's clock.
   */
  readonly newestContent?: string;
  readonly note?: string;
};

/** Places of cloud regions as cells of a geofeed, as the clouds state them in their own geofeeds and names. */
export const CLOUD_REGIONS: ReadonlyMap<string, string> = new Map(
  Object.entries(regions).flatMap(([place, names]) => names.map((name) => [name, place] as const)),
);

const ROWS = catalogue.feeds as unknown as readonly CatalogueRow[];

/** Commits date files on GitHub and servers date others, unless the row names another clock. */
export const CATALOGUE: readonly Feed[] = ROWS.map(
  ({ measured: _figures, newestContent: _newest, note: _note, ...row }) => ({
    ...row,
    clock: row.clock ?? (row.url.startsWith(`${GITHUB}/`) ? 'commit' : 'server'),
    format:
      row.format.kind === 'json' && row.format.region !== undefined
        ? { ...row.format, region: { ...row.format.region, places: CLOUD_REGIONS } }
        : row.format,
  }),
);

export const sourceFigures: ReadonlyMap<string, SourceFigures> = new Map(
  ROWS.flatMap(({ id, measured }) => (measured === undefined ? [] : [[id, measured] as const])),
);

export const newestContent: ReadonlyMap<string, string> = new Map(
  ROWS.flatMap(({ id, newestContent }) => (newestContent === undefined ? [] : [[id, newestContent] as const])),
);

const byId = new Map(CATALOGUE.map((feed) => [feed.id, feed]));

export const feedById = (id: string): Feed | undefined => byId.get(id);

/** Several feeds may read one mirror file, packed or not, such as a cloud's ranges and its CDN's. */
export const feedsForFile = (name: string): readonly Feed[] => byFile.get(unpackedName(name)) ?? [];

const byFile = new Map<string, Feed[]>();
for (const feed of CATALOGUE) {
  const names = new Set([...feed.files, ...['txt', 'csv', 'json', 'jsonl'].map((ending) => `${feed.id}.${ending}`)]);
  for (const name of names) byFile.set(name, [...(byFile.get(name) ?? []), feed]);
}

/**
 * Finds a feed by its publisher's repository (`https://github.com/owner/name`) and path, for logs of a list's
 * history.
 */
export function feedForRepository(repo: string, path: string): Feed | undefined {
  const name = repo.replace(/^https:\/\/github\.com\//, '');
  return CATALOGUE.find((feed) => {
    const [, owner, repository, , ...rest] = feed.url.replace('https://raw.githubusercontent.com', '').split('/');
    return `${owner}/${repository}` === name && rest.join('/') === path;
  });
}

export function derivedBy(source: string): RiskType | undefined {
  const effect = feedById(source)?.effect;
  return effect?.kind === 'risk' ? effect.derives : undefined;
}

/** Every other source is the operator's own collection: sensors, intake, imports. */
export const publishedSources = (): readonly string[] =>
  CATALOGUE.filter((feed) => !isOwnFeed(feed)).map(({ id }) => id);

const IDS: ReadonlySet<string> = new Set(CATALOGUE.map(({ id }) => id.toLowerCase()));

export const senderNameFault: SourceNameFault = (name) => sourceNameFault(name, IDS);
