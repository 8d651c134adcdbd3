import type { RiskType } from '../../../contract/risk.ts';
import type { UnixMs } from '../../units.ts';

export interface LogEvent {
  /** In canonical form. */
  readonly ip: string;
  readonly riskType: Extract<RiskType, 'honeypot_scan' | 'honeypot_credential'>;
  readonly protocol: LogProtocol;
  /** Port that the client connected to; absent if the log does not say. */
  readonly port?: number;
  readonly at: UnixMs;
  /** Events that the line reports; one if absent. */
  readonly times?: number;
  /** Lines with the same value belong to one connection; without it each line is a connection of its own. */
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

/** Reads one kind of log line by line, with bounded memory of earlier lines. */
export interface LogReader {
  /** Whether a line has the form of this kind of log, evidence or not. */
  isOfFormat(line: string): boolean;
  /**
   * @param now completes times without a year @returns undefined for a line that is not evidence, or not of
   * this kind
   */
  read(line: string, now: UnixMs): LogEvent | undefined;
}
