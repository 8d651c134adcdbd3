import { CaptureFold, type FoldedCapture } from '../core/collection/capture-fold.ts';
import type { LogEvent, LogReader } from '../core/collection/logs/log-event.ts';
import type { Prefix } from '../core/ip/address.ts';
import { parseAnyAddress } from '../core/ip/parse-address.ts';
import { contains } from '../core/ip/prefix.ts';
import { HOUR_MS, type UnixMs } from '../core/units.ts';
import type { LogPosition, LogPositionStore, LogSource } from './log-source.ts';

export interface FollowLogOptions {
  readonly source: LogSource;
  readonly reader: LogReader;
  readonly positions: Pick<LogPositionStore, 'save'>;
  /** Clients that are not evidence. */
  readonly ignored: readonly Prefix[];
  /** Takes captures and returns when they survive a crash; waits for room and for the disk until the signal is given. @throws only after the signal */
  readonly keep: (rows: readonly FoldedCapture[]) => Promise<void>;
  readonly now: () => UnixMs;
  /** Captures are folded and kept this often, milliseconds. */
  readonly intervalMs: number;
  /** Resolves after so many milliseconds, and at once when the signal is given. */
  readonly pause: (ms: number) => Promise<void>;
  readonly signal: AbortSignal;
  readonly log: { warn(fields: object, message: string): void };
}

/** What was read since the start. */
export interface FollowCounts {
  lines: number;
  /** Lines that were evidence. */
  events: number;
}

/** How long a log without new lines is left alone. */
const LOOK_MS = 500;
/** How long after a fault of the disk it is tried again. */
const RETRY_MS = 5000;
/** Connections remembered, so that several lines of one are counted once. */
const CONNECTIONS_MAX = 50_000;

/**
 * Reads a log until the signal is given, and turns it into captures: lines of one client within an hour and an interval are folded as a sensor's are. The position is
 * kept after the captures before it: a crash reads some lines twice and none never, and a line read twice gives the time it gave before.
 */
export async function followLog(options: FollowLogOptions, counts: FollowCounts): Promise<void> {
  const { source, signal, pause, now, intervalMs, log } = options;
  const follower = new Follower(options, counts);
  let keptAt: number = now();
  while (!signal.aborted) {
    try {
      const chunk = await source.read();
      if (chunk !== undefined) await follower.take(chunk.lines, chunk.position);
      if (Math.abs(now() - keptAt) >= intervalMs) {
        await follower.keep();
        keptAt = now();
      }
      if (chunk === undefined) await pause(LOOK_MS);
    } catch (error) {
      log.warn({ error }, 'the log cannot be read, or its position cannot be saved; it is tried again');
      await pause(RETRY_MS);
    }
  }
  await follower
    .keep()
    .catch((error: unknown) =>
      log.warn({ error }, 'the last captures cannot be kept; their lines are read again at the next start'),
    );
}

/** The captures that were read and not kept yet, and the position behind them. */
class Follower {
  readonly #options: FollowLogOptions;
  readonly #counts: FollowCounts;
  readonly #fold = new CaptureFold();
  /** The hour of the rows in the fold: a fold knows first and last time alone. */
  #hour = Number.NaN;
  readonly #connections = new Set<string>();
  #position: LogPosition | undefined;

  constructor(options: FollowLogOptions, counts: FollowCounts) {
    this.#options = options;
    this.#counts = counts;
  }

  async take(lines: readonly string[], position: LogPosition): Promise<void> {
    const { reader, now } = this.#options;
    for (const line of lines) {
      this.#counts.lines += 1;
      const event = reader.read(line, now());
      if (event === undefined || this.#isIgnored(event)) continue;
      this.#counts.events += 1;
      await this.#add(event);
    }
    this.#position = position;
  }

  /** Keeps captures, and then the position behind them. @throws what saving the position throws; a later call saves it again */
  async keep(): Promise<void> {
    await this.#keepRows();
    if (this.#position !== undefined) await this.#options.positions.save(this.#position);
    this.#position = undefined;
  }

  async #add(event: LogEvent): Promise<void> {
    const hour = Math.floor(event.at / HOUR_MS);
    if (hour !== this.#hour) await this.#keepRows();
    this.#hour = hour;
    const { connection, port = 0, ...rest } = event;
    const seen = { ...rest, port, isFirstOfConnection: this.#isFirst(event, connection) };
    if (this.#fold.add(seen)) return;
    await this.#keepRows();
    this.#fold.add(seen);
  }

  async #keepRows(): Promise<void> {
    const rows = this.#fold.take();
    if (rows.length > 0) await this.#options.keep(rows);
  }

  #isFirst({ riskType }: LogEvent, connection: string | undefined): boolean {
    if (connection === undefined) return true;
    const key = `${connection} ${riskType}`;
    if (this.#connections.has(key)) return false;
    this.#connections.add(key);
    if (this.#connections.size > CONNECTIONS_MAX) this.#connections.delete(this.#connections.values().next().value!);
    return true;
  }

  #isIgnored({ ip }: LogEvent): boolean {
    const address = parseAnyAddress(ip);
    return address !== undefined && this.#options.ignored.some((prefix) => contains(prefix, address));
  }
}
