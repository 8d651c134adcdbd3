/**
 * The entries of a map in the order in which they were put there, for maps with a bound that forget the oldest. Each call goes on where the last one stopped: a new
 * search from the start would pass the holes of all that were removed before, which in a map of tens of thousands takes longer than everything else.
 * Each entry that is given must be removed from the map, or put into it again behind the others.
 */
export class OldestEntries<Key, Value> {
  readonly #map: ReadonlyMap<Key, Value>;
  #order: Iterator<[Key, Value]>;

  constructor(map: ReadonlyMap<Key, Value>) {
    this.#map = map;
    this.#order = map.entries();
  }

  /** @returns undefined: the map is empty */
  next(): [Key, Value] | undefined {
    const { value, done } = this.#order.next();
    if (done !== true) return value;
    this.#order = this.#map.entries();
    return this.#order.next().value;
  }
}
