import { MINUTE_MS, type UnixMs } from '../units.ts';

/** State that a sensor reports with each request that carries its time of sending. */
export interface Heartbeat {
  readonly source: string;
  readonly seenAt: UnixMs;
  /**
   * The service's clock minus the sensor's time of sending, including the transit time. A positive value
   * means that the sensor's clock is behind.
   */
  readonly clockOffsetMs: number;
}

/** Interval at which a sensor without captures reports. */
export const HEARTBEAT_EVERY_MS = MINUTE_MS;
/** Missed heartbeats before a sensor counts as silent. One or two can be a restart or a slow network. */
const MISSED_MAX = 5;

export const isSilent = (seenAt: UnixMs, now: UnixMs): boolean => now - seenAt > MISSED_MAX * HEARTBEAT_EVERY_MS;
