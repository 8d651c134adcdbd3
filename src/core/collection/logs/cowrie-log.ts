import { parseRfc3339 } from '../../evidence/parse-rfc3339.ts';
import { parseRecord } from '../../kit/json.ts';
import { Recent } from '../../kit/recent.ts';
import { readOpening } from '../traps/read-opening.ts';
import { canonicalAddress, type LogEvent, type LogProtocol, type LogReader, portOf } from './log-event.ts';

const SESSIONS_MAX = 20_000;

interface Session {
  readonly protocol: LogProtocol;
  readonly port: number | undefined;
  /**
   * A page of another site may have made a browser send this: the prompt received the head of a request as
   * names and passwords.
   */
  readonly isDriven?: boolean;
}

/** These events prove that the client sent data; a connection alone does not. */
const SPOKE = new Set([
  'cowrie.client.version',
  'cowrie.client.kex',
  'cowrie.telnet.client.version',
  'cowrie.command.input',
  'cowrie.direct-tcpip.request',
]);
const OFFERED = new Set(['cowrie.login.failed', 'cowrie.login.success']);

/**
 * Reads the JSON log of Cowrie (`cowrie.json`, output plugin `jsonlog`;
 * https://docs.cowrie.org/en/latest/OUTPUT.html): one object per line with `eventid`, `timestamp` (UTC),
 * `src_ip` and `session`. Only `cowrie.session.connect` has port and protocol. Passwords and commands are not
 * read; a user name is only tested for being a line of a request.
 */
export function cowrieLog(): LogReader {
  const sessions = new Recent<string, Session>(SESSIONS_MAX);
  return {
    isOfFormat: (line) => typeof parseRecord(line)?.['eventid'] === 'string',
    read(line) {
      const row = parseRecord(line);
      if (row === undefined) return undefined;
      const { eventid, session } = row;
      if (typeof eventid !== 'string' || typeof session !== 'string') return undefined;
      if (eventid === 'cowrie.session.connect') sessions.set(session, sessionOf(row));
      if (eventid === 'cowrie.session.closed') sessions.delete(session);
      if (mayBeBrowser(eventid, row)) sessions.set(session, { ...sessionOf(row), isDriven: true });
      if (sessions.get(session)?.isDriven) return undefined;
      const riskType = OFFERED.has(eventid) ? 'honeypot_credential' : SPOKE.has(eventid) ? 'honeypot_scan' : undefined;
      return (
        riskType &&
        eventOf(
          row,
          riskType,
          sessions.get(session) ?? { protocol: eventid.includes('telnet') ? 'telnet' : 'ssh', port: undefined },
        )
      );
    },
  };
}

type Row = Readonly<Record<string, unknown>>;

/** Some versions of Cowrie write the identification as a Python bytes literal. */
const SSH_VERSION = /^(?:b?['"])?SSH-/;

/**
 * A page of another site can send HTTP and TLS to the ports of Cowrie. The log line does not show the
 * headers, so requests of programs are skipped too.
 */
function mayBeBrowser(eventid: string, { version, username }: Row): boolean {
  if (eventid === 'cowrie.client.version') return typeof version !== 'string' || !SSH_VERSION.test(version);
  return OFFERED.has(eventid) && typeof username === 'string' && readOpening(`${username}\r\n\r\n`) !== 'other';
}

function eventOf(row: Row, riskType: LogEvent['riskType'], { protocol, port }: Session): LogEvent | undefined {
  const ip = typeof row['src_ip'] === 'string' ? canonicalAddress(row['src_ip']) : undefined;
  const at = typeof row['timestamp'] === 'string' ? parseRfc3339(row['timestamp']) : undefined;
  if (ip === undefined || at === undefined) return undefined;
  return {
    ip,
    riskType,
    protocol,
    ...(port === undefined ? {} : { port }),
    at,
    connection: `${ip} ${String(row['session'])}`,
  };
}

function sessionOf({ protocol, dst_port }: Row): Session {
  return { protocol: protocol === 'telnet' ? 'telnet' : 'ssh', port: portOf(dst_port) };
}
