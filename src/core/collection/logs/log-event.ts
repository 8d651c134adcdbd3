import type { RiskType } from '../../../contract/risk.ts';
import type { UnixMs } from '../../units.ts';

export interface LogEvent {
  readonly ip: string;
  readonly riskType: Extract<RiskType, 'honeypot_scan' | 'honeypot_credential'>;
  readonly protocol: LogProtocol;
  readonly port?: number;
  readonly at: UnixMs;
  readonly times?: number;
  /** Lines with the same value belong to one connection; without it each line is a connection of its own. */
  readonly connection?: string;
}

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

export interface LogReader {
  isOfFormat(line: string): boolean;
  /**
   * @param now completes times without a year @returns undefined for a line that is not evidence, or not of
   * this kind
   */
  read(line: string, now: UnixMs): LogEvent | undefined;
}
