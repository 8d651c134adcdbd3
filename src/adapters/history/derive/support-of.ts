import type { RestingOn } from '../../../core/collection/derive/derivation-rules.ts';
import type { UnixMs } from '../../../core/units.ts';
import type { Catalogue } from '../read/catalogue.ts';
import type { RetractedTime } from '../write/retraction-table.ts';

export interface SupportColumns {
  /** A JSON array of the sorted ids of own sources; `spans` has [first moment, last moment, key] for each. */
  readonly sources: string;
  readonly spans: string;
}

export const packSupport = (restsOn: readonly RestingOn[]): SupportColumns => ({
  sources: JSON.stringify(restsOn.map(({ source }) => source)),
  spans: JSON.stringify(restsOn.map(({ first, last, sender }) => [first, last, sender])),
});

export function supportOf({ sources, spans }: SupportColumns): readonly RestingOn[] {
  const times = JSON.parse(spans) as readonly (readonly [first: UnixMs, last: UnixMs, sender: string])[];
  return (JSON.parse(sources) as readonly string[]).map((source, i) => ({
    source,
    first: times[i]![0],
    last: times[i]![1],
    sender: times[i]![2],
  }));
}

/** Looks up which captures were retracted, no matter when the retraction was made. */
export class TakenBack {
  readonly #catalogue: Pick<Catalogue, 'named' | 'retractions'>;
  readonly #times = new Map<string, readonly RetractedTime[]>();

  constructor(catalogue: Pick<Catalogue, 'named' | 'retractions'>) {
    this.#catalogue = catalogue;
  }

  from({ source, sender }: Pick<RestingOn, 'source' | 'sender'>, at: UnixMs): UnixMs | undefined {
    return this.#of(source, sender).find(({ from, to }) => from <= at && at < to)?.from;
  }

  coversAll(restsOn: readonly RestingOn[]): boolean {
    return restsOn.every(({ source, sender, first, last }) =>
      this.#of(source, sender).some(({ from, to }) => from <= first && last < to),
    );
  }

  #of(source: string, sender: string): readonly RetractedTime[] {
    const name = `${source} ${sender}`;
    const known = this.#times.get(name);
    if (known !== undefined) return known;
    const entry = this.#catalogue.named(source);
    const times = entry === undefined ? [] : unite(this.#catalogue.retractions.of(entry.id, sender));
    this.#times.set(name, times);
    return times;
  }
}

function unite(times: readonly RetractedTime[]): readonly RetractedTime[] {
  const united: RetractedTime[] = [];
  for (const time of [...times].sort((a, b) => a.from - b.from)) {
    const last = united.at(-1);
    if (last === undefined || time.from > last.to) united.push(time);
    else if (time.to > last.to) united[united.length - 1] = { ...last, to: time.to };
  }
  return united;
}
