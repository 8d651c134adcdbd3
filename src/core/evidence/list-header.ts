import { ADDRESS_NAMES, FIRST_CAPTURED, FIRST_SEEN_NAMES, LAST_SEEN_NAMES, sameName } from '../csv/column-names.ts';
import { type Header, readHeader } from '../csv/split-row.ts';

export type NamedField = 'ip' | 'captured_at' | 'first_captured_at';

/** `rivals` are equally good names for the address. */
export interface NamedFields {
  readonly places: ReadonlyMap<NamedField, number>;
  readonly rivals?: readonly string[];
}

export function namedFields(names: readonly string[]): NamedFields {
  const plain = names.map(sameName);
  const places = new Map<NamedField, number>();
  const addresses = ADDRESS_NAMES.map((group) => plain.flatMap((name, at) => (group.includes(name) ? [at] : []))).find(
    (group) => group.length > 0,
  );
  const exact = plain.indexOf('ip');
  const address = exact >= 0 ? exact : addresses?.[0];
  if (address !== undefined) places.set('ip', address);
  const last = firstOf(LAST_SEEN_NAMES, plain);
  const first = firstOf(FIRST_SEEN_NAMES, plain);
  // In a foreign list the first time alone is the time of the sighting; a row of the intake has both or the
  // last.
  const at = last ?? (first !== undefined && plain[first] !== FIRST_CAPTURED ? first : undefined);
  if (at !== undefined) places.set('captured_at', at);
  if (first !== undefined && first !== at) places.set('first_captured_at', first);
  return exact < 0 && addresses !== undefined && addresses.length > 1
    ? { places, rivals: addresses.map((place) => names[place]!) }
    : { places };
}

function firstOf(wanted: readonly string[], names: readonly string[]): number | undefined {
  const name = wanted.find((one) => names.includes(one));
  return name === undefined ? undefined : names.indexOf(name);
}

export const listHeader = (line: string): Header | undefined =>
  readHeader(line, (names) => namedFields(names).places.has('ip'));
