/** Returns the middle value, of an even number the upper one of two. @param values at least one */
export const upperMedian = (values: Iterable<number>): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1]!;
};
