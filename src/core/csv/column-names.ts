/**
 * Names of columns and members by what they mean, best first. `sameName` compares them, so that `IP Address`, `ipAddress` and `ip_address` are one name here.
 */

/** Groups of names for the address or prefix of a row. The first group found is its subject; two names of one group are equally good. */
export const ADDRESS_NAMES: readonly (readonly string[])[] = [
  ['ip', 'ipaddress', 'ipaddr', 'address', 'addr', 'ipv4', 'ipv6'],
  ['prefix', 'cidr', 'network', 'subnet', 'netblock', 'iprange', 'range'],
  ['srcip', 'sourceip', 'src', 'source', 'clientip', 'remoteip', 'remoteaddr', 'attackerip'],
  ['indicator', 'ioc', 'iocvalue'],
]; // biome-ignore format: one group a line

/** Names for the two ends of a range. */
export const FIRST_ADDRESS_NAMES = [
  'start',
  'startip',
  'ipstart',
  'iprangestart',
  'rangestart',
  'first',
  'ipfrom',
  'from',
];
export const LAST_ADDRESS_NAMES = ['end', 'endip', 'ipend', 'iprangeend', 'rangeend', 'last', 'ipto', 'to'];

/** Names for the last time of a sighting, most exact first. */
export const LAST_SEEN_NAMES = [
  ...['capturedat', 'lastcapturedat', 'lastseen', 'lastseenat', 'lastseenutc', 'lastsighting'],
  ...['seenat', 'seen', 'observedat', 'lastobserved', 'detectedat', 'lastonline', 'eventtime', 'timestamp'],
  ...['time', 'ts', 'datetime', 'date', 'reportedat', 'lastreportedat'],
];
/** The name of the intake for the first time of a row. */
export const FIRST_CAPTURED = 'firstcapturedat';
export const FIRST_SEEN_NAMES = [
  ...[FIRST_CAPTURED, 'firstseen', 'firstseenat', 'firstseenutc', 'firstobserved', 'firstsighting'],
];

/** A column or member with such a name holds a time. */
const TIME_NAME =
  /(?:^|_)(?:time|timestamp|date|datetime|seen|epoch|when|day|utc|observed|detected|reported|updated|modified|created|added)(?:_|$)|_(?:at|on|ts)$/;

export const isTimeName = (name: string): boolean => TIME_NAME.test(plainName(name));

/** Converts names such as `IP Address`, `sourceIp`, `@timestamp` and `"last-seen"` to lower-case words joined by `_`. */
export const plainName = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '');

/** Letters and digits of a name, in lower case. */
export const sameName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
