import { RISK_TYPES, type RiskType } from '../../../contract/risk.ts';
import { SOURCE_TYPE } from '../../evidence/capture-batch-builder.ts';
import { batchAddress } from '../../evidence/drop-duplicates.ts';
import type { CaptureBatch } from '../../evidence/observation.ts';
import { PROTOCOLS, type Protocol } from '../../evidence/protocols.ts';
import { formatPrefix } from '../../ip/format-address.ts';
import { familyBits } from '../../ip/prefix.ts';
import { HOUR_MS, MINUTE_MS, type UnixMs, unixMs } from '../../units.ts';
import type { SensorProtocol } from '../traps/trap.ts';

interface HourTally {
  readonly source: string;
  readonly hour: number;
  captures: number;
  /** Sensors fold connections into captures; a capture of another source counts as one. */
  connections: number;
}

interface SourceTally {
  readonly source: string;
  readonly acceptedAt: UnixMs;
  readonly capturedAt: UnixMs;
  accepted: number;
  refused: number;
}

interface PortTally {
  readonly day: number;
  readonly protocol: Protocol;
  readonly port: number;
  connections: number;
}

export interface NewestCapture {
  readonly at: UnixMs;
  readonly ip: string;
  readonly source: string;
  readonly riskType: RiskType;
  readonly protocol?: Protocol;
  readonly port?: number;
}

export interface CollectionCounts {
  readonly hours: readonly HourTally[];
  readonly sources: readonly SourceTally[];
  readonly ports: readonly PortTally[];
  readonly newest: readonly NewestCapture[];
  readonly heartbeats: readonly Heartbeat[];
}

/** Anything beyond these bounds is not counted. Counts are shown only and never decide anything. */
const HOURS_MAX = 4096;
const PORTS_MAX = 1024;
const NEWEST_MAX = 200;
const HEARTBEATS_MAX = 1024;
/** Captures with older times of their own are not counted by hour. */
export const HOUR_BUCKETS = 8 * 24;

export class CollectionTally {
  #hours = new Map<string, Map<number, HourTally>>();
  #hourCount = 0;
  #sources = new Map<string, SourceTally>();
  #ports = new Map<number, PortTally>();
  #newest: NewestCapture[] = [];
  #heartbeats = new Map<string, Heartbeat>();

  get isEmpty(): boolean {
    return this.#sources.size === 0 && this.#heartbeats.size === 0;
  }

  addHeartbeat(heartbeat: Heartbeat): void {
    if (this.#heartbeats.size < HEARTBEATS_MAX || this.#heartbeats.has(heartbeat.source))
      this.#heartbeats.set(heartbeat.source, heartbeat);
  }

  add(source: string, batch: CaptureBatch, defaultAt: UnixMs, acceptedAt: UnixMs, refused: number): void {
    const oldestHour = hourOf(acceptedAt) - HOUR_BUCKETS;
    let capturedAt: number = this.#sources.get(source)?.capturedAt ?? Number.NEGATIVE_INFINITY;
    const hours = this.#hours.get(source) ?? new Map<number, HourTally>();
    this.#hours.set(source, hours);
    for (let row = 0; row < batch.length; row++) {
      const own = batch.capturedAt[row]!;
      const at = Number.isNaN(own) ? defaultAt : own;
      capturedAt = Math.max(capturedAt, at);
      const hour = hourOf(at);
      if (hour > oldestHour) this.#countHour(hours, source, hour, batch.sensor?.count[row] ?? 1);
      this.#countPort(batch, row, at);
    }
    this.#countSource(source, acceptedAt, capturedAt, batch.length, refused);
    this.#keepNewest(source, batch, defaultAt);
  }

  take(): CollectionCounts {
    const counts = {
      hours: [...this.#hours.values()].flatMap((hours) => [...hours.values()]),
      sources: [...this.#sources.values()],
      ports: [...this.#ports.values()],
      newest: this.#newest,
      heartbeats: [...this.#heartbeats.values()],
    };
    this.#hours = new Map();
    this.#hourCount = 0;
    this.#sources = new Map();
    this.#ports = new Map();
    this.#newest = [];
    this.#heartbeats = new Map();
    return counts;
  }

  #countHour(hours: Map<number, HourTally>, source: string, hour: number, connections: number): void {
    const known = hours.get(hour);
    if (known !== undefined) {
      known.captures += 1;
      known.connections += connections;
    } else if (this.#hourCount < HOURS_MAX) {
      hours.set(hour, { source, hour, captures: 1, connections });
      this.#hourCount += 1;
    }
  }

  #countPort({ sensor }: CaptureBatch, row: number, at: number): void {
    if (sensor === undefined) return;
    const [port, protocol, count] = [sensor.port[row]!, PROTOCOLS[sensor.protocol[row]!], sensor.count[row]!];
    if (port < 0 || protocol === undefined || count === 0) return;
    const day = Math.floor(hourOf(at) / 24);
    const key = (day * PROTOCOLS.length + sensor.protocol[row]!) * 65_536 + port;
    const known = this.#ports.get(key);
    if (known !== undefined) known.connections += count;
    else if (this.#ports.size < PORTS_MAX) this.#ports.set(key, { day, protocol, port, connections: count });
  }

  #countSource(source: string, acceptedAt: UnixMs, capturedAt: number, accepted: number, refused: number): void {
    const known = this.#sources.get(source);
    const newest = unixMs(Number.isFinite(capturedAt) ? Math.min(capturedAt, acceptedAt) : acceptedAt);
    this.#sources.set(source, {
      source,
      acceptedAt,
      capturedAt: newest,
      accepted: (known?.accepted ?? 0) + accepted,
      refused: (known?.refused ?? 0) + refused,
    });
  }

  /** The first time of a folded row is not shown as a capture. */
  #keepNewest(source: string, batch: CaptureBatch, defaultAt: UnixMs): void {
    for (let row = Math.max(0, batch.length - NEWEST_MAX); row < batch.length; row++) {
      if (batch.sensor?.count[row] === 0 || batch.type[row] === SOURCE_TYPE) continue;
      this.#newest.push(captureOf(source, batch, row, defaultAt));
    }
    this.#newest = this.#newest.slice(-NEWEST_MAX);
  }
}

const hourOf = (at: number): number => Math.floor(at / HOUR_MS);

function captureOf(source: string, batch: CaptureBatch, row: number, defaultAt: UnixMs): NewestCapture {
  const address = batchAddress(batch, row);
  const text = formatPrefix({ ...address, bits: batch.bits[row]! });
  const own = batch.capturedAt[row]!;
  const [port, protocol] = [batch.sensor?.port[row] ?? -1, PROTOCOLS[batch.sensor?.protocol[row] ?? -1]];
  return {
    at: Number.isNaN(own) ? defaultAt : unixMs(own),
    ip: batch.bits[row] === familyBits(address.family) ? text.slice(0, text.indexOf('/')) : text,
    source,
    riskType: RISK_TYPES[batch.type[row]!]!,
    ...(protocol === undefined ? {} : { protocol }),
    ...(port < 0 ? {} : { port }),
  };
}

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

interface ClockReading {
  readonly askedAt: number;
  readonly answeredAt: number;
  readonly saidAt: number;
  /** 1 for milliseconds, 1000 for the seconds of an HTTP Date. */
  readonly resolutionMs: number;
}

/**
 * Returns the milliseconds by which the other clock is ahead; 0 if the difference is within the error of the
 * reading.
 */
export function clockSkew({ askedAt, answeredAt, saidAt, resolutionMs }: ClockReading): number {
  const skew = saidAt + resolutionMs / 2 - (askedAt + answeredAt) / 2;
  const doubt = (answeredAt - askedAt) / 2 + resolutionMs / 2;
  return Math.abs(skew) <= doubt ? 0 : Math.round(skew);
}

export interface SensorEvent {
  readonly ip: string;
  readonly riskType: Extract<RiskType, 'honeypot_scan' | 'honeypot_credential'>;
  readonly protocol: SensorProtocol;
  readonly port: number;
  readonly actor?: string;
  readonly at: number;
  readonly isFirstOfConnection: boolean;
}

export interface FoldedCapture extends Omit<SensorEvent, 'at' | 'isFirstOfConnection'> {
  readonly firstAt: number;
  readonly lastAt: number;
  readonly count: number;
}

/**
 * A batch of the intake is below 100,000 rows and 8 MiB (docs/evidence-intake.md), and each row has some 200
 * bytes.
 */
const FOLD_ROWS_MAX = 20_000;

/**
 * Folds the events of one interval into one row for each address, risk type, protocol, port and actor, with
 * its first and last time.
 */
export class CaptureFold {
  #rows = new Map<string, { -readonly [Key in keyof FoldedCapture]: FoldedCapture[Key] }>();

  get rows(): number {
    return this.#rows.size;
  }

  add({ at, isFirstOfConnection, ...event }: SensorEvent): boolean {
    const key = `${event.ip} ${event.riskType} ${event.protocol} ${event.port} ${event.actor ?? ''}`;
    const row = this.#rows.get(key);
    if (row === undefined) {
      if (this.#rows.size >= FOLD_ROWS_MAX) return false;
      this.#rows.set(key, { ...event, firstAt: at, lastAt: at, count: 1 });
      return true;
    }
    row.firstAt = Math.min(row.firstAt, at);
    row.lastAt = Math.max(row.lastAt, at);
    if (isFirstOfConnection) row.count += 1;
    return true;
  }

  take(): readonly FoldedCapture[] {
    const rows = [...this.#rows.values()];
    this.#rows = new Map();
    return rows;
  }
}
