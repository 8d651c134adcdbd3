import { MINUTE_MS, type UnixMs } from '../units.ts';

export interface Heartbeat {
  readonly source: string;
  readonly seenAt: UnixMs;
  /**
   * The service's clock minus the sensor's time of sending, including the transit time. It is positive when
   * the sensor's clock is behind.
   */
  readonly clockOffsetMs: number;
}

export const HEARTBEAT_EVERY_MS = MINUTE_MS;
/**
 * One or two missed heartbeats can be a restart or a slow network; after this many a sensor counts as silent.
 */
const MISSED_MAX = 5;

export const isSilent = (seenAt: UnixMs, now: UnixMs): boolean => now - seenAt > MISSED_MAX * HEARTBEAT_EVERY_MS;
