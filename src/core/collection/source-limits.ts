import { MINUTE_MS } from '../units.ts';

/** Why a connection is closed as soon as it comes. */
export type ConnectionRefusal = 'open' | 'rate' | 'open_of_source' | 'rate_of_source';

export interface SourceLimitsOptions {
  /** Connections open at once, of all sources and of one. */
  readonly openMax: number;
  readonly openOfSourceMax: number;
  /** New connections in a minute, of all sources and of one. */
  readonly perMinuteMax: number;
  readonly perMinuteOfSourceMax: number;
}

/** What holds without further settings: documented in docs/sensor.md. */
export const SENSOR_LIMITS: SourceLimitsOptions = {
  openMax: 2000,
  openOfSourceMax: 16,
  perMinuteMax: 300_000,
  perMinuteOfSourceMax: 120,
};

/** Sources that are remembered; beyond it one that came long ago and has nothing open is forgotten. */
const SOURCES_MAX = 65_536;

interface Source {
  open: number;
  minute: number;
  inMinute: number;
}

/** Bounds connections of each source and of all, in memory that does not grow with their number. */
export class SourceLimits {
  readonly #limits: SourceLimitsOptions;
  readonly #sources = new Map<string, Source>();
  /** Where the search for one to forget goes on. */
  #oldest = this.#sources.entries();
  #open = 0;
  #minute = 0;
  #inMinute = 0;

  constructor(limits: SourceLimitsOptions = SENSOR_LIMITS) {
    this.#limits = limits;
  }

  /** Connections that are open, and sources that are remembered. */
  get held(): { readonly open: number; readonly sources: number } {
    return { open: this.#open, sources: this.#sources.size };
  }

  /**
   * Counts a new connection.
   * @param source as `countedClient` writes it
   * @param at milliseconds of a clock that does not go back
   * @returns undefined when it may stay; then `release` follows when it closes
   */
  admit(source: string, at: number): ConnectionRefusal | undefined {
    const minute = Math.floor(at / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#inMinute = 0;
    }
    const limits = this.#limits;
    if (this.#open >= limits.openMax) return 'open';
    if (this.#inMinute >= limits.perMinuteMax) return 'rate';
    const entry = this.#touch(source, minute);
    if (entry.inMinute >= limits.perMinuteOfSourceMax) return 'rate_of_source';
    entry.inMinute += 1;
    if (entry.open >= limits.openOfSourceMax) return 'open_of_source';
    entry.open += 1;
    this.#open += 1;
    this.#inMinute += 1;
    return undefined;
  }

  release(source: string): void {
    const entry = this.#sources.get(source);
    if (entry === undefined) throw new Error('a connection that was not admitted is released');
    entry.open -= 1;
    this.#open -= 1;
  }

  #touch(source: string, minute: number): Source {
    const known = this.#sources.get(source);
    if (known !== undefined) this.#sources.delete(source);
    const entry = known ?? { open: 0, minute, inMinute: 0 };
    if (entry.minute !== minute) {
      entry.minute = minute;
      entry.inMinute = 0;
    }
    this.#sources.set(source, entry);
    if (this.#sources.size > SOURCES_MAX) this.#forgetOldest(entry);
    return entry;
  }

  /**
   * Goes on where it last forgot a source: a search from the start would pass the holes of all that were forgotten. Sources with open connections are met again in
   * the next round.
   * @param kept the source that just came
   */
  #forgetOldest(kept: Source): void {
    for (let rounds = 0; rounds < 2; ) {
      const { value, done } = this.#oldest.next();
      if (done === true) {
        this.#oldest = this.#sources.entries();
        rounds++;
      } else if (value[1] !== kept && value[1].open === 0) {
        this.#sources.delete(value[0]);
        return;
      }
    }
  }
}
