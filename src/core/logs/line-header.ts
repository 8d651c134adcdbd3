/** The address in the header that syslog puts before a message is the sender's, never the client's. */
export interface LineHeader {
  readonly program: string;
  readonly end: number;
  /** Structured data of RFC 5424, where some devices write the whole event. */
  readonly data: string;
  readonly isCertain: boolean;
}

const PRIORITY = String.raw`(?:<\d{1,3}>:? {0,3})?`;
const ISO = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z| ?[+-]\d\d:?\d\dZ?)?`;
const OLD = String.raw`(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} {1,2}\d{1,2}(?: \d{4})? \d\d:\d\d:\d\d(?:\.\d+)?(?: \d{4})?(?: (?:[A-Z]{3,4}|[+-]\d\d:?\d\d))?`;
const TIME = `(?:${ISO}|${OLD})`;
/** NetScaler and Meraki write such times behind a priority. */
const DEVICE_TIME = String.raw`(?:${TIME}|\d\d/\d\d/\d{4}:\d\d:\d\d:\d\d(?: [A-Z]{3,4})?|1\d{9}(?:\.\d{1,9})?)`;
/** A host or process is never a pair, a cell or an object. */
const NAME = String.raw`[^\s|={,]+`;
/** With a port it is a client's, as OpenVPN writes it. */
const HOST = String.raw`(?!\S*\d\.\d{1,3}:\d{1,5}\s)[^\s([]+`;
/** Matches `sshd[811]:`, `postfix/smtpd[1]:`, `%ASA-6-302013:` and `pam_unix(sshd:auth)[3]:`. */
const PROCESS = String.raw`%?[A-Za-z_][\w./@%-]*(?:\([^)\s]*\))?`;
const COLON = String.raw` ?(?:\[[\w .-]{1,40}\])?:(?= )`;
const PROGRAM = `(?<program>${PROCESS})${COLON}`;

const HEADERS: readonly RegExp[] = [
  // Containers' logs by Kubernetes.
  new RegExp(`^${ISO} std(?:out|err) [FP] `),
  // RFC 5424, 6: version, time, host, program, process, kind, structured data.
  new RegExp(
    String.raw`^(?:\d{1,6} )?(?<priority><\d{1,3}>)\d{1,2} (?:${TIME}|\S+) ${NAME} (?<program>${NAME}) ${NAME} ${NAME} (?:-|(?<data>(?:\[(?:"(?:[^"\\]|\\.)*"|[^\]"])*\])+))? ?(?:\uFEFF|BOM)?`,
  ),
  // RFC 3164, 4.1, and with other times: host and program, or the program alone. Cisco numbers its lines.
  new RegExp(
    String.raw`^${PRIORITY}(?:[\w./-]{1,64}: ?){0,3}\*?${TIME}:? {1,2}(?:${HOST} +)??(?:${HOST} +)??(?:: )?${PROGRAM}`,
  ),
  new RegExp(
    String.raw`^(?<priority><\d{1,3}>):? {0,3}(?:\d{1,2} )?(?:${DEVICE_TIME}:? +(?:${NAME} +)?(?:: )?|${NAME} (?=${PROCESS}${COLON}))?(?:${PROGRAM})?`,
  ),
  // Some collectors cut off the time and leave host and program.
  /^[\w.:-]+ (?<program>[A-Za-z_][\w./-]*)\[\d{1,10}\]:(?= )/,
  /^(?<program>[A-Za-z_][\w./-]*)\[\d{1,10}\]:(?= )/,
  new RegExp(`^${OLD}:? [\\w.:-]+(?= )`),
];

export function lineHeader(line: string): LineHeader | undefined {
  if (!/^(?:\d{1,6} )?<|^[\dA-Z*]|^[\w.:-]+ \w+\[|^\w+\[/.test(line)) return undefined;
  for (const header of HEADERS) {
    const match = header.exec(line);
    if (match === null) continue;
    const { program = '', priority, data = '' } = match.groups ?? {};
    return { program, data, end: match[0].length, isCertain: program !== '' || priority !== undefined };
  }
  return undefined;
}
