import type { RiskType } from '../../contract/risk.ts';
import type { SourceMode } from '../../core/evidence/observation.ts';
import type { Column, CsvFormat, Feed, FeedClock, FeedEffect, JsonFormat, LinesFormat } from '../../core/feeds/feed.ts';
import type { NetworkEffect } from '../../core/place/network-list.ts';

export const MB = 1024 * 1024;

/** GitHub serves files at `/{owner}/{repo}/{branch}/{path}`. */
export const GITHUB = 'https://raw.githubusercontent.com';

interface Identity {
  readonly id: string;
  readonly title: string;
  readonly family: string;
  readonly mode: SourceMode;
  readonly effect: FeedEffect;
}

export const risk = (
  id: string,
  title: string,
  family: string,
  riskType: RiskType,
  mode: SourceMode = 'listing',
): Identity => ({
  id,
  title,
  family,
  mode,
  effect: { kind: 'risk', riskType },
});

export const network = (id: string, title: string, family: string, effect: NetworkEffect): Identity => ({
  id,
  title,
  family,
  mode: 'listing',
  effect: { kind: 'network', network: effect },
});

export const ips: LinesFormat = { kind: 'lines' };

export const csv = (ip: Column, more: Omit<CsvFormat, 'kind' | 'header' | 'ip'> = {}): CsvFormat => ({
  kind: 'csv',
  header: true,
  ip,
  ...more,
});

export const json = (...paths: string[]): JsonFormat => ({ kind: 'json', paths });

/**
 * Most crawler operators follow the shape that Google published first: `{creationTime, prefixes:
 * [{ipv4Prefix} | {ipv6Prefix}]}`.
 */
export const googleShape = json('/prefixes/*/ipv4Prefix', '/prefixes/*/ipv6Prefix');

/** Commits date files on GitHub and servers date others, unless the row names another clock. */
export type FeedRow = Omit<Feed, 'clock'> & { readonly clock?: FeedClock };

export function feedOf(row: FeedRow): Feed {
  return {
    ...row,
    clock: row.clock ?? (row.url.startsWith(`${GITHUB}/`) ? 'commit' : 'server'),
  };
}

export const offSchedule = (offScheduleBecause: string) => ({ scheduled: false, offScheduleBecause }) as const;
