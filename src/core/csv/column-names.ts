/**
 * Names of columns and members by meaning, best first. `sameName` compares them, so that `IP Address`,
 * `ipAddress` and `ip_address` are one name.
 */

/** The first group found in a row names its address or prefix; two names of one group are equally good. */
export const ADDRESS_NAMES: readonly (readonly string[])[] = [
  ['ip', 'ipaddress', 'ipaddr', 'address', 'addr', 'ipv4', 'ipv6'],
  ['prefix', 'cidr', 'network', 'subnet', 'netblock', 'iprange', 'range'],
  ['srcip', 'sourceip', 'src', 'source', 'clientip', 'remoteip', 'remoteaddr', 'attackerip'],
  ['indicator', 'ioc', 'iocvalue'],
]; // biome-ignore format: one group a line

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

export const LAST_SEEN_NAMES = [
  ...['capturedat', 'lastcapturedat', 'lastseen', 'lastseenat', 'lastseenutc', 'lastsighting'],
  ...['seenat', 'seen', 'observedat', 'lastobserved', 'detectedat', 'lastonline', 'eventtime', 'timestamp'],
  ...['time', 'ts', 'datetime', 'date', 'reportedat', 'lastreportedat'],
];
/** The intake uses this name for the first time of a row. */
export const FIRST_CAPTURED = 'firstcapturedat';
export const FIRST_SEEN_NAMES = [
  ...[FIRST_CAPTURED, 'firstseen', 'firstseenat', 'firstseenutc', 'firstobserved', 'firstsighting'],
];

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

export const sameName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
