import { OVERRIDE_SOURCE } from '../risk/override.ts';
import { type Said, said } from '../texts/said.ts';
import { BEACON_SOURCE_PREFIX } from './beacon.ts';
import { DERIVED_ID } from './derive/derived-capture.ts';

const OUR_WORDS: ReadonlySet<string> = new Set([DERIVED_ID, 'beacon', OVERRIDE_SOURCE, 'pulse']);
/** Operators can type such a name, and logs can show it. */
const SHAPE = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** Returns why a name is refused. Captures of a sender with a feed's name would count as those of the feed. */
export function sourceNameFault(name: string, feedIds: ReadonlySet<string>): Said | undefined {
  if (!SHAPE.test(name))
    return said('A source has a name of lower-case letters, digits, dots, dashes and underscores, at most 64.');
  if (OUR_WORDS.has(name) || name.startsWith(BEACON_SOURCE_PREFIX))
    return said('The service itself captures under the name {name}.', { name });
  return feedIds.has(name)
    ? said('{name} is a list of the catalogue; senders have names of their own.', { name })
    : undefined;
}

export type SourceNameFault = (name: string) => Said | undefined;
