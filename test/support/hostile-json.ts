import fc from 'fast-check';
import { anyCharacter } from './any-character.ts';

/**
 * Names that mean something to JavaScript itself: a program that turns a foreign object into a text or a key
 * trips over them.
 */
const TELLING_KEYS = [
  'toString',
  'valueOf',
  'toJSON',
  '__proto__',
  'constructor',
  'prototype',
  'length',
  'then',
  'hasOwnProperty',
];

const texts = fc.constantFrom(
  '',
  ' ',
  'null',
  'NaN',
  '-0',
  '1e999',
  '0x10',
  'toString',
  '__proto__',
  'constructor',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udc00x',
  '\u202e\u200b\ufeff',
  "'; --",
  '%00%ff%',
  '\r\nX: y',
  '9'.repeat(400),
  'x'.repeat(20_000),
  '２０２６',
);

const numbers = fc.constantFrom(
  0,
  -0,
  -1,
  0.5,
  1e21,
  1e308,
  -1e308,
  5e-324,
  Number.MAX_SAFE_INTEGER,
  2 ** 53 + 2,
  2 ** 31,
  2 ** 32,
);

const leaf = fc.oneof(
  texts,
  numbers,
  fc.constantFrom<unknown>(null, true, false),
  fc.string({ unit: anyCharacter, maxLength: 30 }),
);

/**
 * A value JSON.parse can make, chosen to break readers that trust its type: objects with telling names, lone
 * surrogates, huge numbers, deep nesting.
 */
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 2, arbitrary: leaf },
  {
    weight: 2,
    arbitrary: fc
      .uniqueArray(fc.constantFrom(...TELLING_KEYS), { minLength: 1, maxLength: 3 })
      .chain((keys) => telling(keys)),
  },
  fc.array(leaf, { maxLength: 4 }),
  fc.array(fc.array(leaf, { maxLength: 2 }), { minLength: 1, maxLength: 2 }),
  fc.nat({ max: 400 }).map((depth) => nested(depth)),
);

const telling = (keys: readonly string[]): fc.Arbitrary<unknown> =>
  fc.array(leaf, { minLength: keys.length, maxLength: keys.length }).map((values) => {
    // JSON.parse also makes `__proto__` a member of its own.
    const object: object = {};
    for (const [index, key] of keys.entries())
      Object.defineProperty(object, key, {
        value: values[index],
        enumerable: true,
        configurable: true,
        writable: true,
      });
    return object;
  });

function nested(depth: number): unknown {
  let value: unknown = 'x';
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { toString: value };
  return value;
}
