import type { RestingOn } from '../../core/collection/derive/derived-capture.ts';
import type { UnixMs } from '../../core/units.ts';
import type { Catalogue } from './catalogue.ts';
import type { RetractedTime } from './retractions.ts';

/** Entry of the table of derivations about the captures behind a derived one. */
export interface SupportColumns {
  /** JSON array of the ids of own sources, sorted. */
  readonly sources: string;
  /** JSON array of first and last moment, in the order of `sources`. */
  readonly spans: string;
}

export const packSupport = (restsOn: readonly RestingOn[]): SupportColumns => ({
  sources: JSON.stringify(restsOn.map(({ source }) => source)),
  spans: JSON.stringify(restsOn.map(({ first, last }) => [first, last])),
});

/** Support of a derived capture. */
export function supportOf({ sources, spans }: SupportColumns): readonly RestingOn[] {
  const times = JSON.parse(spans) as readonly (readonly [UnixMs, UnixMs])[];
  return (JSON.parse(sources) as readonly string[]).map((source, i) => ({
    source,
    first: times[i]![0],
    last: times[i]![1],
  }));
}

/** Which captures an operator took back. */
export class TakenBack {
  readonly #times = new Map<string, readonly RetractedTime[]>();

  constructor({ sources, retractions }: Pick<Catalogue, 'sources' | 'retractions'>) {
    for (const { id, name } of sources.values()) this.#times.set(name, unite(retractions.of(id)));
  }

  /** Start of the stretch in which a capture was taken back; undefined: it counts. */
  from(source: string, at: UnixMs): UnixMs | undefined {
    return this.#times.get(source)?.find(({ from, to }) => from <= at && at < to)?.from;
  }

  /** Whether nothing that counts is left of the support of a derived capture. */
  coversAll(restsOn: readonly RestingOn[]): boolean {
    return restsOn.every(
      ({ source, first, last }) => this.#times.get(source)?.some(({ from, to }) => from <= first && last < to) ?? false,
    );
  }
}

/** Times that overlap or meet, as one. */
function unite(times: readonly RetractedTime[]): readonly RetractedTime[] {
  const united: RetractedTime[] = [];
  for (const time of [...times].sort((a, b) => a.from - b.from)) {
    const last = united.at(-1);
    if (last === undefined || time.from > last.to) united.push(time);
    else if (time.to > last.to) united[united.length - 1] = { ...last, to: time.to };
  }
  return united;
}
