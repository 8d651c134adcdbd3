/** Up to this many entries an insertion sort is fastest; its cost grows with the square. */
const INSERTION_MAX = 24;

/**
 * Sorts adjacent entries in place, ascending by their first `keyWords` words; entries of one key keep their
 * order. The cost is n log n for every input.
 * @param from, to numbers of the first entry and the one past the last
 */
export function sortEntries(words: Uint32Array, from: number, to: number, width: number, keyWords: number): void {
  if (to - from <= INSERTION_MAX) insertionSort(words, from, to, width, keyWords);
  else sortByPlaces(words, from, to, width, keyWords);
}

export function compareEntries(a: Uint32Array, atA: number, b: Uint32Array, atB: number, keyWords: number): number {
  for (let w = 0; w < keyWords; w++) {
    const order = a[atA + w]! - b[atB + w]!;
    if (order !== 0) return order;
  }
  return 0;
}

function insertionSort(words: Uint32Array, from: number, to: number, width: number, keyWords: number): void {
  for (let i = from + 1; i < to; i++) {
    for (
      let at = i * width;
      at > from * width && compareEntries(words, at - width, words, at, keyWords) > 0;
      at -= width
    ) {
      for (let w = at; w < at + width; w++) {
        const moved = words[w]!;
        words[w] = words[w - width]!;
        words[w - width] = moved;
      }
    }
  }
}

function sortByPlaces(words: Uint32Array, from: number, to: number, width: number, keyWords: number): void {
  const copy = words.slice(from * width, to * width);
  const places = Array.from({ length: to - from }, (_, i) => i * width);
  places.sort((a, b) => compareEntries(copy, a, copy, b, keyWords));
  for (let i = 0; i < places.length; i++) words.set(copy.subarray(places[i]!, places[i]! + width), (from + i) * width);
}
