import type { RiskType } from '../../../contract/risk.ts';
import type { UnixMs } from '../../units.ts';

/** Statement of a log line about one client. */
export interface LogEvent {
  /** In its canonical form. */
  readonly ip: string;
  readonly riskType: Extract<RiskType, 'honeypot_scan' | 'honeypot_credential'>;
  readonly protocol: LogProtocol;
  /** The port the client connected to; undefined: the log does not say. */
  readonly port?: number;
  readonly at: UnixMs;
  /** Lines with the same one speak of one connection; undefined: each line is a connection. */
  readonly connection?: string;
}

/** Protocols that logs name; every other one is tcp. */
export type LogProtocol =
  | 'ssh'
  | 'telnet'
  | 'http'
  | 'smtp'
  | 'ftp'
  | 'redis'
  | 'mysql'
  | 'postgresql'
  | 'rdp'
  | 'vnc'
  | 'smb'
  | 'tcp';

/** Reads one kind of log, line by line, with a bounded memory for later lines. */
export interface LogReader {
  /** @param now the clock, for times without a year @returns undefined for a line that is not evidence, or not of this kind */
  read(line: string, now: UnixMs): LogEvent | undefined;
}
