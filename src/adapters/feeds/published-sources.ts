import { isOwnFeed } from '../../core/feeds/feed.ts';
import { CATALOGUE } from './catalogue.ts';

/**
 * Ids of the sources that are published lists. Evidence of every other source is the operator's own
 * collection: sensors, intake, imports.
 */
export const publishedSources = (): readonly string[] =>
  CATALOGUE.filter((feed) => !isOwnFeed(feed)).map(({ id }) => id);
