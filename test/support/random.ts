/** Returns repeatable 32-bit numbers (mulberry32), so that a failure can be run again. */
export function randomWords(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
}

export function randomBelow(seed: number): (below: number) => number {
  const next = randomWords(seed);
  return (below) => next() % below;
}
