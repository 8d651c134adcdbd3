import type { ConnectionRefusal } from '../../core/collection/source-limits.ts';

/** Counts, since the sensor's start, of events that are not reported one by one. */
export interface SensorCounts {
  connections: number;
  /** Connections closed at once, by the limit that refused them. */
  readonly refused: Record<ConnectionRefusal | 'no_proxy_header', number>;
  /** Connections without data, which are not evidence. */
  silent: number;
  /** Connections from addresses that are not public or that the operator excluded; they are not evidence. */
  excluded: number;
  /** Connections with bytes that a page of another site may have made a browser send; they are not evidence. */
  driven: number;
  scans: number;
  /**
   * SSH clients without a key exchange, because the maximum of that second was reached; they count as scans.
   */
  keysNotExchanged: number;
  attempts: number;
  rows: number;
  /**
   * Captures lost because the interval was full while the previous one was still being written, or because
   * `handOn` failed.
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
