import type { Feed } from '../../core/feeds/feed.ts';
import { unpackedName } from '../system/packed-name.ts';
import { NETWORK_FEEDS } from './network-feeds.ts';
import { RISK_FEEDS } from './risk-feeds.ts';

/** Every source the project knows, in the order they are shown. */
export const CATALOGUE: readonly Feed[] = [...RISK_FEEDS, ...NETWORK_FEEDS];

const byId = new Map(CATALOGUE.map((feed) => [feed.id, feed]));

export const feedById = (id: string): Feed | undefined => byId.get(id);

/** Feeds that read a mirror file of this name (packed or not). One file may serve several: a cloud's ranges and its CDN's, say. */
export const feedsForFile = (name: string): readonly Feed[] => byFile.get(unpackedName(name)) ?? [];

const byFile = new Map<string, Feed[]>();
for (const feed of CATALOGUE) {
  const names = new Set([...feed.files, ...['txt', 'csv', 'json', 'jsonl'].map((ending) => `${feed.id}.${ending}`)]);
  for (const name of names) byFile.set(name, [...(byFile.get(name) ?? []), feed]);
}

/** The feed whose publisher's file this is, by repository (`https://github.com/owner/name`) and path; for logs of a list's history. */
export function feedForRepository(repo: string, path: string): Feed | undefined {
  const name = repo.replace(/^https:\/\/github\.com\//, '');
  return CATALOGUE.find((feed) => {
    const [, owner, repository, , ...rest] = feed.url.replace('https://raw.githubusercontent.com', '').split('/');
    return `${owner}/${repository}` === name && rest.join('/') === path;
  });
}
