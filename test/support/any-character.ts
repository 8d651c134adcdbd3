import fc from 'fast-check';

/**
 * Yields any code point, lone surrogates too. Making it costs nothing; fast-check's own unit 'binary' first
 * lists all 1,114,112 of them, which takes a second.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: 0x10_ffff })
  .map((point) => String.fromCodePoint(point));
