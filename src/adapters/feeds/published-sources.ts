import { isOwnFeed } from '../../core/feeds/feed.ts';
import { CATALOGUE } from './catalogue.ts';

/** Every other source is the operator's own collection: sensors, intake, imports. */
export const publishedSources = (): readonly string[] =>
  CATALOGUE.filter((feed) => !isOwnFeed(feed)).map(({ id }) => id);
