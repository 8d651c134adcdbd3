import type { ConnectionRefusal } from '../../core/collection/source-limits.ts';

export interface SensorCounts {
  connections: number;
  /** Connections closed at once count here by the limit that refused them. */
  readonly refused: Record<ConnectionRefusal | 'no_proxy_header', number>;
  /** Connections without data are not evidence. */
  silent: number;
  /** Connections from addresses that are not public or that the operator excluded are not evidence. */
  excluded: number;
  /** Bytes that a page of another site may have made a browser send are not evidence. */
  driven: number;
  scans: number;
  /** SSH clients beyond the key exchanges of a second count as scans. */
  keysNotExchanged: number;
  attempts: number;
  rows: number;
  /**
   * Captures are lost when the interval is full while the previous one is still being written, or when
   * `handOn` fails.
   */
  lost: number;
}

export const sensorCounts = (): SensorCounts => ({
  connections: 0,
  refused: { open: 0, rate: 0, open_of_source: 0, rate_of_source: 0, no_proxy_header: 0 },
  silent: 0,
  excluded: 0,
  driven: 0,
  scans: 0,
  keysNotExchanged: 0,
  attempts: 0,
  rows: 0,
  lost: 0,
});
