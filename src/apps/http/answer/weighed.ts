/**
 * Lists the lower-case entries of an Accept header, the heaviest first (RFC 9110, 12.4.2), without those of
 * weight 0.
 */
export const weighed = (header: string): readonly (readonly [name: string, weight: number])[] =>
  header
    .toLowerCase()
    .split(',', 32)
    .map((entry) => {
      const [name = '', ...parameters] = entry.split(';').map((part) => part.trim());
      const weight = parameters.find((part) => part.startsWith('q='));
      return [name, weight === undefined ? 1 : Number(weight.slice(2))] as const;
    })
    .filter(([name, weight]) => name !== '' && weight > 0)
    .toSorted(([, a], [, b]) => b - a);
