import { type SourceNameFault, sourceNameFault } from '../../core/collection/source-name.ts';
import { CATALOGUE } from './catalogue.ts';

const IDS: ReadonlySet<string> = new Set(CATALOGUE.map(({ id }) => id.toLowerCase()));

export const senderNameFault: SourceNameFault = (name) => sourceNameFault(name, IDS);
