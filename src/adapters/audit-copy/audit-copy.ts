import { createSocket } from 'node:dgram';
import { appendFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import type { AuditCopyTarget } from '../../config.ts';
import { printable } from '../../core/texts/printable.ts';
import type { AuditEntry } from '../../service/accounts/account-store.ts';
import { within } from '../http-client/within.ts';

/** A collector that takes a call's rows for so long has failed. */
const PATIENCE_MS = 5000;

/**
 * Copies rows to a file or a syslog collector. Opened for each call, so that a file may be rotated and a
 * collector restarted.
 */
export function auditCopy(target: AuditCopyTarget): (rows: readonly AuditEntry[]) => Promise<void> {
  if ('file' in target)
    return (rows) => appendFile(target.file, rows.map((row) => `${auditLine(row)}\n`).join(''), { mode: 0o600 });
  const from = { host: hostname(), process: process.pid };
  const send = target.over === 'udp' ? sendDatagrams : sendStream;
  return (rows) => {
    const lines = rows.map((row) => syslogLine(row, from));
    return within(PATIENCE_MS, (signal) => send(target, lines, signal));
  };
}

interface Place {
  readonly host: string;
  readonly port: number;
}

/** One message a datagram (RFC 5426). There is no answer to it. */
async function sendDatagrams({ host, port }: Place, messages: readonly string[]): Promise<void> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  try {
    await new Promise<void>((resolve, reject) =>
      socket.once('error', reject).connect(port, host, (error?: Error) => (error ? reject(error) : resolve())),
    );
    for (const message of messages)
      await new Promise<void>((resolve, reject) =>
        socket.send(message, (error) => (error === null ? resolve() : reject(error))),
      );
  } finally {
    socket.close();
  }
}

/**
 * Messages with their length in bytes before them (RFC 6587, 3.4.1). Resolves when the collector has taken
 * all and closed its end.
 */
function sendStream({ host, port }: Place, messages: readonly string[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal });
    socket.on('error', reject);
    socket.once('close', () => resolve());
    socket.resume();
    socket.end(messages.map((message) => `${Buffer.byteLength(message)} ${message}`).join(''));
  });
}

/** Facility 13 (log audit) with the severities 6 (informational) and 4 (warning) of RFC 5424, 6.2.1. */
const INFORMATION = 13 * 8 + 6;
const WARNING = 13 * 8 + 4;
const REFUSALS = /\.(?:refuse|lock)$/;

/** A row as a syslog message (RFC 5424); its text is the JSON of `auditLine`. */
function syslogLine(row: AuditEntry, from: { readonly host: string; readonly process: number }): string {
  const priority = REFUSALS.test(row.action) ? WARNING : INFORMATION;
  const time = new Date(row.at).toISOString();
  return `<${priority}>1 ${time} ${headerText(from.host, 255)} pulse ${from.process} ${headerText(row.action, 32)} - ${auditLine(row)}`;
}

/** Printable ASCII without blanks; `-` where there is none. */
const headerText = (text: string, lengthMax: number): string => text.replace(/[^!-~]/g, '').slice(0, lengthMax) || '-';

/** The line has no characters that act on a terminal. */
const auditLine = ({ seq, at, actor, action, subject, detail }: AuditEntry): string =>
  printable(JSON.stringify({ seq, at: new Date(at).toISOString(), actor, action, subject, detail }));
