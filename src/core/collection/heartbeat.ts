import { MINUTE_MS, type UnixMs } from '../units.ts';

/** Facts a sensor gives of itself with each request that says when it was sent. */
export interface Heartbeat {
  readonly source: string;
  /** When the request came, by the service's clock. */
  readonly seenAt: UnixMs;
  /** The service's clock less the time of sending by the sensor's: its clock is behind where this is above 0. The way of the request is part of it. Milliseconds. */
  readonly clockOffsetMs: number;
}

/** A sensor without captures to send is heard this often. */
export const HEARTBEAT_EVERY_MS = MINUTE_MS;
/** So many heartbeats in a row that did not come are silence: one or two are a restart or a network that hung. */
const MISSED_MAX = 5;

/** Whether a sensor that sends heartbeats has stopped. */
export const isSilent = (seenAt: UnixMs, now: UnixMs): boolean => now - seenAt > MISSED_MAX * HEARTBEAT_EVERY_MS;
