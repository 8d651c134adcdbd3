import { type SourceNameFault, sourceNameFault } from '../../core/collection/source-name.ts';
import { CATALOGUE } from './catalogue.ts';

const IDS: ReadonlySet<string> = new Set(CATALOGUE.map(({ id }) => id.toLowerCase()));

/**
 * Says why a sender cannot use a name for its source: the shape, a word of the service, or an id of the
 * catalogue.
 */
export const senderNameFault: SourceNameFault = (name) => sourceNameFault(name, IDS);
