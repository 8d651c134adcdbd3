import { splitRow } from '../csv/split-row.ts';

export type NamedField = 'ip' | 'captured_at' | 'first_captured_at';

/**
 * Groups of names with one meaning. The first group found is the subject of a row. Names within a group are
 * equivalent, so two of them are ambiguous.
 */
const ADDRESS_GROUPS: readonly (readonly string[])[] = [
  ['ip', 'ip_address', 'ipaddress', 'ip_addr', 'ipaddr', 'address', 'addr', 'ipv4', 'ipv6'],
  ['prefix', 'cidr', 'network', 'subnet', 'netblock', 'ip_range', 'range'],
  ['src_ip', 'source_ip', 'srcip', 'sourceip', 'src', 'source', 'client_ip', 'clientip', 'remote_ip', 'remote_addr', 'attacker_ip'],
  ['indicator', 'ioc', 'ioc_value'],
]; // biome-ignore format: one group a line

/** Names of the last time of a sighting, most exact first. */
const LAST_NAMES = [
  ...['captured_at', 'last_captured_at', 'last_seen', 'lastseen', 'last_seen_at', 'last_seen_utc', 'last_sighting'],
  ...['seen_at', 'seen', 'observed_at', 'last_observed', 'detected_at', 'last_online', 'event_time', 'timestamp'],
  ...['time', 'ts', 'datetime', 'date_time', 'date', 'reported_at', 'last_reported_at'],
];
const FIRST_NAMES = [
  ...['first_captured_at', 'first_seen', 'firstseen', 'first_seen_at', 'first_seen_utc', 'first_observed'],
  ...['first_sighting'],
];
/** A column or member with such a name holds a time. */
const TIME_NAME =
  /(?:^|_)(?:time|timestamp|date|datetime|seen|epoch|when|day|utc|observed|detected|reported|updated|modified|created|added)(?:_|$)|_(?:at|on|ts)$/;

export const isTimeName = (name: string): boolean => TIME_NAME.test(plainName(name));

/**
 * Converts names such as `IP Address`, `sourceIp`, `@timestamp` and `"last-seen"` to lower-case words joined
 * by `_`.
 */
export const plainName = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '');

/** Positions of the fields among names. `rivals` are equally good names for the address. */
export interface NamedFields {
  readonly places: ReadonlyMap<NamedField, number>;
  readonly rivals?: readonly string[];
}

export function namedFields(names: readonly string[]): NamedFields {
  const plain = names.map(plainName);
  const places = new Map<NamedField, number>();
  const addresses = ADDRESS_GROUPS.map((group) => plain.flatMap((name, at) => (group.includes(name) ? [at] : []))).find(
    (group) => group.length > 0,
  );
  const exact = plain.indexOf('ip');
  const address = exact >= 0 ? exact : addresses?.[0];
  if (address !== undefined) places.set('ip', address);
  const last = firstOf(LAST_NAMES, plain);
  const first = firstOf(FIRST_NAMES, plain);
  // In a foreign list the first time alone is the time of the sighting; a row of the intake has both or the
  // last.
  const at = last ?? (first !== undefined && plain[first] !== 'first_captured_at' ? first : undefined);
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

const SEPARATORS = [',', ';', '\t', '|'];

export interface ListHeader {
  readonly separator: string;
  readonly names: readonly string[];
}

/** Reads a line as a header, with the separator that gives the most cells. One cell must name an address. */
export function listHeader(line: string): ListHeader | undefined {
  return SEPARATORS.map((separator) => ({ separator, names: splitRow(line, separator) }))
    .filter(({ names }) => namedFields(names).places.has('ip'))
    .toSorted((a, b) => b.names.length - a.names.length)[0];
}
