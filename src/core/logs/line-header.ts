/** The address in the header that syslog puts before a message is the sender's, never the client's. */
export interface LineHeader {
  readonly program: string;
  readonly end: number;
  readonly isCertain: boolean;
}

const PRIORITY = String.raw`(?:<\d{1,3}>)?`;
const ISO = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z| ?[+-]\d\d:?\d\d)?`;
const OLD = String.raw`(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} {1,2}\d{1,2}(?: \d{4})? \d\d:\d\d:\d\d(?:\.\d+)?(?: \d{4})?(?: (?:[A-Z]{3,4}|[+-]\d\d:?\d\d))?`;
const TIME = `(?:${ISO}|${OLD})`;
/** Matches `sshd[811]:`, `postfix/smtpd[1]:`, `%ASA-6-302013:` and `pam_unix(sshd:auth)[3]:`. */
const PROGRAM = String.raw`(?<program>%?[A-Za-z_][\w./@%-]*(?:\([^)\s]*\))?) ?(?:\[[\w .-]{1,40}\])?:(?= )`;

const HEADERS: readonly RegExp[] = [
  // RFC 5424, 6: version, time, host, program, process, kind, structured data.
  new RegExp(
    String.raw`^(?:\d{1,6} )?(?<priority><\d{1,3}>)\d{1,2} (?:${TIME}|\S+) \S+ (?<program>\S+) \S+ \S+ (?:-|(?:\[(?:"(?:[^"\\]|\\.)*"|[^\]"])*\])+)? ?(?:\uFEFF|BOM)?`,
  ),
  // RFC 3164, 4.1, and with other times: host and program, or the program alone.
  new RegExp(String.raw`^${PRIORITY}(?:\d+: )?\*?${TIME}:? (?:\S+ )??(?:\S+ )??${PROGRAM}`),
  new RegExp(String.raw`^(?<priority><\d{1,3}>)(?:\d{1,2} )?(?:${TIME}:? )?(?:(?!\S*[=|{])\S+ )?(?:${PROGRAM})?`),
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
    const { program = '', priority } = match.groups ?? {};
    return { program, end: match[0].length, isCertain: program !== '' || priority !== undefined };
  }
  return undefined;
}
