import { CATALOGUE } from '../../adapters/feeds/catalogue.ts';

/** Feeds of this family read what the operator collected. */
const OWN_FAMILY = 'own-sensors';

/** Ids of the sources that are published lists. Evidence of every other source is the operator's own collection: sensors, intake, imports. */
export const publishedSources = (): readonly string[] => CATALOGUE.filter(({ family }) => family !== OWN_FAMILY).map(({ id }) => id);
