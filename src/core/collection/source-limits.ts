import { Recent } from '../kit/recent.ts';
import { WindowCount } from '../kit/window-count.ts';
import { MINUTE_MS } from '../units.ts';

export type ConnectionRefusal = 'open' | 'rate' | 'open_of_source' | 'rate_of_source';

export interface SourceLimitsOptions {
  readonly openMax: number;
  readonly openOfSourceMax: number;
  readonly perMinuteMax: number;
  readonly perMinuteOfSourceMax: number;
}

export const SENSOR_LIMITS: SourceLimitsOptions = {
  openMax: 2000,
  openOfSourceMax: 16,
  perMinuteMax: 300_000,
  perMinuteOfSourceMax: 120,
};

const SOURCES_MAX = 65_536;

interface Source {
  open: number;
  readonly minute: WindowCount;
}

export class SourceLimits {
  readonly #limits: SourceLimitsOptions;
  readonly #sources = new Recent<string, Source>(SOURCES_MAX, (entry, source) => {
    if (entry.open > 0) this.#sources.set(source, entry);
  });
  readonly #minute: WindowCount;
  #open = 0;

  constructor(limits: SourceLimitsOptions = SENSOR_LIMITS) {
    this.#limits = limits;
    this.#minute = new WindowCount(MINUTE_MS, limits.perMinuteMax);
  }

  get held(): { readonly open: number; readonly sources: number } {
    return { open: this.#open, sources: this.#sources.size };
  }

  /** Counts a new connection. @returns undefined if it is admitted; call `release` when it closes */
  admit(source: string, at: number): ConnectionRefusal | undefined {
    const limits = this.#limits;
    if (this.#open >= limits.openMax) return 'open';
    if (this.#minute.isFull(at)) return 'rate';
    const entry = this.#entry(source);
    if (!entry.minute.take(at)) return 'rate_of_source';
    if (entry.open >= limits.openOfSourceMax) return 'open_of_source';
    entry.open += 1;
    this.#open += 1;
    this.#minute.take(at);
    return undefined;
  }

  release(source: string): void {
    const entry = this.#sources.get(source);
    if (entry === undefined) throw new Error('a connection that was not admitted is released');
    entry.open -= 1;
    this.#open -= 1;
  }

  #entry(source: string): Source {
    const known = this.#sources.get(source);
    if (known !== undefined) return known;
    const made = { open: 0, minute: new WindowCount(MINUTE_MS, this.#limits.perMinuteOfSourceMax) };
    this.#sources.set(source, made);
    return made;
  }
}
