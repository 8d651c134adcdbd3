import fc from 'fast-check';

/** Lengths, offsets and counts go wrong at these numbers. */
const EDGE = fc.constantFrom(
  ...[0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x1_0000],
  ...[0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff],
);

/** Some pieces mean something to one of the parsers, and some to JavaScript. */
const WORD = fc.constantFrom(
  ...['', ' ', '\t', '\n', '\r\n', '\0', '\u202e', '\ufeff', '\ud800', '"', '""', "'"],
  ...', ; | : / // [ ] { } \\ \\\\ % %00 %zz + - . .. # * < @ &quot; <pre><code> </code></pre> javascript: https://'.split(
    ' ',
  ),
  ...'-1 -0 0 00 1e999 NaN 99999999999999999999 4294967296 0x7f ٣ ２０２６ é null true __proto__ constructor'.split(
    ' ',
  ),
  ...'toString {"toString":1} [[[[ 127.1 0.0.0.0/0 ::/0 ::ffff:1.2.3.4 1.2.3.4/33 fe80::1%eth0 ::1]:99999'.split(' '),
  ...'localhost 169.254.169.254 xn-- 2026-02-30T24:00:60Z +99:99 9999-12-31T23:59:59.999999999Z 0000-00-00'.split(' '),
);

type Change = (bytes: Buffer) => Buffer;

const MOST_BYTES = 4 * 2 ** 20;
/** A place is drawn without knowing the length: it is counted round. */
const PLACE = fc.oneof(fc.nat(128), fc.nat(MOST_BYTES));

const write = (size: number, write: (bytes: Buffer, at: number) => unknown) => (place: number) => (bytes: Buffer) => {
  if (bytes.length >= size) write(bytes, place % (bytes.length - size + 1));
  return bytes;
};
const splice = (bytes: Buffer, place: number, length: number, piece: Uint8Array | string): Buffer => {
  const from = place % (bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, from), Buffer.from(piece), bytes.subarray(from + length)]);
};

/** These leave every offset where it was, for formats that are all offsets. */
const inPlace: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(PLACE, fc.nat(7)).map(([place, bit]) => write(1, (bytes, at) => (bytes[at]! ^= 1 << bit))(place)),
  fc.tuple(PLACE, fc.nat(255)).map(([place, value]) => write(1, (bytes, at) => (bytes[at] = value))(place)),
  fc
    .tuple(PLACE, EDGE, fc.constantFrom('writeUInt16LE' as const, 'writeUInt16BE' as const))
    .map(([place, value, call]) => write(2, (bytes, at) => bytes[call](value & 0xffff, at))(place)),
  fc
    .tuple(PLACE, EDGE, fc.constantFrom('writeUInt32LE' as const, 'writeUInt32BE' as const))
    .map(([place, value, call]) => write(4, (bytes, at) => bytes[call](value, at))(place)),
  fc
    .tuple(PLACE, fc.integer({ min: -32, max: 31 }))
    .map(([place, by]) => write(4, (bytes, at) => bytes.writeUInt32LE((bytes.readUInt32LE(at) + by) >>> 0, at))(place)),
);

const resizing = (seeds: readonly Uint8Array[]): fc.Arbitrary<Change> =>
  fc.oneof(
    PLACE.map((place) => (bytes: Buffer) => bytes.subarray(0, place % (bytes.length + 1))),
    fc.nat(63).map((length) => (bytes: Buffer) => bytes.subarray(length)),
    fc.tuple(PLACE, fc.nat(31)).map(
      ([place, length]) =>
        (bytes: Buffer) =>
          splice(bytes, place, length, ''),
    ),
    fc
      .tuple(
        PLACE,
        fc.oneof(fc.constant(0), fc.nat(11)),
        WORD,
        fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 200 })),
      )
      .map(
        ([place, length, word, times]) =>
          (bytes: Buffer) =>
            splice(bytes, place, length, word.repeat(times)),
      ),
    fc
      .tuple(PLACE, fc.nat(31), fc.constantFrom(...seeds), PLACE, fc.oneof(fc.nat(15), PLACE))
      .map(([place, length, seed, from, size]) => (bytes: Buffer) => {
        const start = from % (seed.length + 1);
        return splice(bytes, place, length, seed.subarray(start, start + size));
      }),
    fc.tuple(fc.nat(4096), EDGE, fc.boolean()).map(([nth, edge, negative]) => (bytes: Buffer) => {
      const numbers = [...bytes.subarray(0, 4096).toString('latin1').matchAll(/\d+/g)];
      const number = numbers[nth % Math.max(1, numbers.length)];
      if (number === undefined) return bytes;
      return splice(bytes, number.index, number[0].length, String(negative ? -edge : edge));
    }),
  );

/** A sound input with one to six changes; half of them keep its length. */
export function brokenInput(seeds: readonly Uint8Array[]): fc.Arbitrary<Buffer> {
  const several = (change: fc.Arbitrary<Change>) => fc.array(change, { minLength: 1, maxLength: 6 });
  const changes = fc.oneof(several(inPlace), several(fc.oneof(inPlace, resizing(seeds))));
  return fc
    .tuple(fc.constantFrom(...seeds), changes)
    .map(([seed, all]) =>
      all.reduce<Buffer>((bytes, change) => change(bytes), Buffer.from(seed)).subarray(0, MOST_BYTES),
    );
}
