import { randomBelow } from '../random.ts';

type Below = (bound: number) => number;

/** Lengths, offsets and counts go wrong at these numbers. */
const EDGES = [
  0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe,
  0xffff_ffff,
] as const;

/** Some pieces mean something to one of the parsers, and some to JavaScript. */
const WORDS = [
  '',
  ' ',
  '\t',
  '\n',
  '\r\n',
  '\0',
  '"',
  '""',
  ',',
  ';',
  '|',
  ':',
  '/',
  '//',
  '[',
  ']',
  '{',
  '}',
  '\\',
  '%',
  '%00',
  '%zz',
  '+',
  '-',
  '.',
  '..',
  '#',
  '*',
  '<',
  '&quot;',
  '-1',
  '-0',
  '0',
  '00',
  '1e999',
  'NaN',
  '99999999999999999999',
  '4294967296',
  '0x7f',
  '127.1',
  '0.0.0.0/0',
  '::/0',
  '::ffff:1.2.3.4',
  '1.2.3.4/33',
  'fe80::1%eth0',
  '::1]:99999',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'true',
  '{"toString":1}',
  '[[[[',
  'javascript:',
  'https://',
  '@',
  '\\\\',
  '\u202e',
  '\ufeff',
  '\ud800',
  '٣',
  '２０２６',
  'é',
  '2026-02-30T24:00:60Z',
  '+99:99',
  '9999-12-31T23:59:59.999999999Z',
  '0000-00-00',
  '<pre><code>',
  '</code></pre>',
  'localhost',
  '169.254.169.254',
  'xn--',
] as const;

/** Returns one broken input of a run: a seed with one to six changes, always the same for the same numbers. */
export function mutate(run: number, index: number, seeds: readonly Uint8Array[]): Buffer {
  const below = randomBelow(Math.imul(run ^ 0x9e37_79b1, 0x85eb_ca6b) ^ Math.imul(index + 1, 0xc2b2_ae35));
  let bytes: Buffer = Buffer.from(seeds[below(seeds.length)]!);
  // Half of them keep every offset where it was, for formats that are all offsets.
  const changes = below(2) === 0 ? CHANGES.length : IN_PLACE;
  for (let left = 1 + below(below(3) === 0 ? 6 : 2); left > 0; left--)
    bytes = CHANGES[below(changes)]!(bytes, below, seeds);
  return bytes.length > MOST_BYTES ? bytes.subarray(0, MOST_BYTES) : bytes;
}

const MOST_BYTES = 4 * 2 ** 20;

const place = (bytes: Buffer, below: Below): number => below(bytes.length + 1);
const splice = (bytes: Buffer, from: number, to: number, piece: Uint8Array): Buffer =>
  Buffer.concat([bytes.subarray(0, from), piece, bytes.subarray(to)]);

function piece(bytes: Uint8Array, below: Below): Uint8Array {
  const from = below(bytes.length + 1);
  return bytes.subarray(from, from + below(below(2) === 0 ? 16 : bytes.length + 1));
}

type Change = (bytes: Buffer, below: Below, seeds: readonly Uint8Array[]) => Buffer;

/** This many changes at the front of the list leave the length as it is. */
const IN_PLACE = 5;

const CHANGES: readonly Change[] = [
  (bytes, below) => written(bytes, below, 1, (at) => (bytes[at]! ^= 1 << below(8))),
  (bytes, below) => written(bytes, below, 1, (at) => (bytes[at] = below(256))),
  (bytes, below) =>
    written(bytes, below, 2, (at) =>
      bytes[below(2) === 0 ? 'writeUInt16LE' : 'writeUInt16BE'](edge(below) & 0xffff, at),
    ),
  (bytes, below) =>
    written(bytes, below, 4, (at) => bytes[below(2) === 0 ? 'writeUInt32LE' : 'writeUInt32BE'](edge(below), at)),
  (bytes, below) =>
    written(bytes, below, 4, (at) => bytes.writeUInt32LE((bytes.readUInt32LE(at) + below(64) - 32) >>> 0, at)),
  (bytes, below) => bytes.subarray(0, place(bytes, below)),
  (bytes, below) => bytes.subarray(below(Math.min(64, bytes.length + 1))),
  (bytes, below) => {
    const from = place(bytes, below);
    return splice(bytes, from, from + below(32), Buffer.alloc(0));
  },
  (bytes, below) => {
    const from = place(bytes, below);
    return splice(bytes, from, below(2) === 0 ? from : from + below(12), Buffer.from(WORDS[below(WORDS.length)]!));
  },
  (bytes, below) => {
    const from = place(bytes, below);
    return splice(bytes, from, from, Buffer.from(WORDS[below(WORDS.length)]!.repeat(1 + below(200))));
  },
  (bytes, below) => {
    const from = place(bytes, below);
    return splice(bytes, from, from, piece(bytes, below));
  },
  (bytes, below, seeds) => {
    const from = place(bytes, below);
    return splice(bytes, from, from + below(32), piece(seeds[below(seeds.length)]!, below));
  },
  (bytes, below) => {
    const numbers = [...bytes.subarray(0, 4096).toString('latin1').matchAll(/\d+/g)];
    const one = numbers[below(Math.max(1, numbers.length))];
    if (one === undefined) return bytes;
    return splice(
      bytes,
      one.index,
      one.index + one[0].length,
      Buffer.from(String(below(2) === 0 ? edge(below) : -edge(below))),
    );
  },
];

const edge = (below: Below): number => EDGES[below(EDGES.length)]!;

function written(bytes: Buffer, below: Below, size: number, write: (at: number) => unknown): Buffer {
  if (bytes.length >= size)
    write(below(below(3) === 0 ? Math.min(bytes.length - size + 1, 128) : bytes.length - size + 1));
  return bytes;
}
