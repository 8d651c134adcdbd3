import type { RiskType } from '../../contract/risk.ts';
import { type SourceNameFault, sourceNameFault } from '../../core/collection/beacon.ts';
import { type Feed, isOwnFeed } from '../../core/feeds/feed.ts';
import { unpackedName } from '../system/packed-name.ts';
import { NETWORK_FEEDS } from './network-feeds.ts';
import { RISK_FEEDS } from './risk-feeds.ts';

export const CATALOGUE: readonly Feed[] = [...RISK_FEEDS, ...NETWORK_FEEDS];

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
