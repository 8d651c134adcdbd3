import type { ConnectionRefusal } from '../../core/collection/source-limits.ts';

/** Counts of a sensor since its start, of events not reported one by one. */
export interface SensorCounts {
  connections: number;
  /** Closed as soon as they came, by limit. */
  readonly refused: Record<ConnectionRefusal | 'no_proxy_header', number>;
  /** Said nothing: not evidence. */
  silent: number;
  /** From addresses that are not public or that the operator excluded: not evidence. */
  excluded: number;
  /** Bytes that a page of another site may have made a browser send: not evidence. */
  driven: number;
  scans: number;
  /** SSH clients whose keys were not exchanged, because as many were in this second: scans. */
  keysNotExchanged: number;
  attempts: number;
  /** Rows handed on. */
  rows: number;
  /** Events that found the interval full while the one before was still being written. */
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
