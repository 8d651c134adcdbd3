import type { Feed } from '../../src/core/feeds/feed.ts';
import type { DemoAddress } from '../../src/service/demo-addresses.ts';

const says = ({ effect }: Feed): string => {
  if (effect.kind === 'risk') return effect.riskType;
  const { usage, ...flags } = effect.network;
  return [...Object.keys(flags), ...(usage === undefined ? [] : [usage])].join(' ') || 'nothing (reference)';
};

const every = (minutes: number): string => (minutes < 60 ? `${minutes} min` : minutes < 1440 ? `${minutes / 60} h` : `${minutes / 1440} d`);

/** Row of a source in docs/feeds.md. */
export const feedRow = (feed: Feed): string =>
  `| \`${feed.id}\` | ${feed.url === '' ? feed.title : `[${feed.title}](${feed.url})`} | ${says(feed)} | ${feed.family} | ${feed.mode} | ${
    feed.scheduled === false ? 'on request' : every(feed.cadenceMin)
  } | ${feed.licence}; ${feed.attribution} | ${feed.redistribution} | ${feed.files[0]} |`;

/** Row of an address in docs/demo.md. */
export const demoRow = ({ look, shows }: DemoAddress): string => `| \`${look}\` | ${shows} |`;
