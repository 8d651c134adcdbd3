import type { LogEvent, LogReader } from '../../core/collection/logs/log-event.ts';
import { CaptureFold, type FoldedCapture } from '../../core/collection/tally/collection-tally.ts';
import type { Prefix } from '../../core/ip/address.ts';
import { parseAnyAddress } from '../../core/ip/parse-address.ts';
import { contains } from '../../core/ip/prefix.ts';
import { Recent } from '../../core/kit/recent.ts';
import { HOUR_MS, type UnixMs } from '../../core/units.ts';
import { every } from '../every.ts';

/**
 * - `chunks`: it may throw after the signal.
 * - `keep`: stores captures and resolves when they would survive a crash. Until the signal it waits for room and for
 *   the disk; it throws only after the signal.
 */
export interface FollowLogOptions {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly reader: LogReader;
  readonly ignored: readonly Prefix[];
  readonly keep: (rows: readonly FoldedCapture[]) => Promise<void>;
  readonly now: () => UnixMs;
  readonly intervalMs: number;
  readonly signal: AbortSignal;
  readonly log: Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;
}

export interface FollowCounts {
  lines: number;
  events: number;
  isOfFormat: boolean;
}

const LINE_MAX = 64 * 1024;
const FOREIGN_LINES = 1000;
const CONNECTIONS_MAX = 50_000;

/** Turns a log into captures, folded like those of a sensor. Reading a line again gives the same time. */
export async function followLog(options: FollowLogOptions): Promise<FollowCounts> {
  const { chunks, signal, intervalMs, log } = options;
  const follower = new Follower(options);
  const keeping = every('keeping captures', intervalMs, () => follower.keep(), { log, meanwhile: 'reading goes on' });
  try {
    for await (const lines of linesIn(chunks)) await follower.take(lines);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await keeping.stop();
    await follower.keep().catch((error: unknown) => log.warn({ error }, 'the last captures cannot be kept'));
  }
  return follower.counts;
}

/**
 * Yields complete lines. A last line without its end does not count: cut off, it could name another address.
 */
async function* linesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!.slice(0, LINE_MAX + 1);
    yield lines
      .filter((line) => line.length <= LINE_MAX)
      .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  }
}

class Follower {
  readonly counts: FollowCounts = { lines: 0, events: 0, isOfFormat: false };
  readonly #options: FollowLogOptions;
  readonly #fold = new CaptureFold();
  /** Each fold covers one hour, because it keeps only first and last times. */
  #hour = Number.NaN;
  readonly #connections = new Recent<string, true>(CONNECTIONS_MAX);

  constructor(options: FollowLogOptions) {
    this.#options = options;
  }

  async take(lines: readonly string[]): Promise<void> {
    const { reader, now } = this.#options;
    for (const line of lines) {
      this.counts.lines += 1;
      this.#look(line);
      const event = reader.read(line, now());
      if (event === undefined || this.#isIgnored(event)) continue;
      this.counts.events += event.times ?? 1;
      await this.#add(event);
    }
  }

  async keep(): Promise<void> {
    const rows = this.#fold.take();
    if (rows.length > 0) await this.#options.keep(rows);
  }

  async #add(event: LogEvent): Promise<void> {
    const hour = Math.floor(event.at / HOUR_MS);
    if (hour !== this.#hour) await this.keep();
    this.#hour = hour;
    const { connection, port = 0, times: _, ...rest } = event;
    const seen = { ...rest, port, isFirstOfConnection: this.#isFirst(event, connection) };
    if (this.#fold.add(seen)) return;
    await this.keep();
    this.#fold.add(seen);
  }

  #look(line: string): void {
    this.counts.isOfFormat ||= this.#options.reader.isOfFormat(line);
    if (!this.counts.isOfFormat && this.counts.lines === FOREIGN_LINES)
      this.#options.log.warn({ lines: FOREIGN_LINES }, 'no line so far has the form of this format');
  }

  #isFirst({ riskType }: LogEvent, connection: string | undefined): boolean {
    if (connection === undefined) return true;
    const key = `${connection} ${riskType}`;
    const isFirst = this.#connections.get(key) === undefined;
    this.#connections.set(key, true);
    return isFirst;
  }

  #isIgnored({ ip }: LogEvent): boolean {
    const address = parseAnyAddress(ip);
    return address !== undefined && this.#options.ignored.some((prefix) => contains(prefix, address));
  }
}
