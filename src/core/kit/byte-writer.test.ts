import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatAddress } from '../ip/format-address.ts';
import { ByteWriter } from './byte-writer.ts';

const SOURCE = Uint8Array.from({ length: 300 }, (_, i) => (7 * i + 128) & 255);
/** The whole source, and its last bytes with nothing after them. */
const view = new DataView(SOURCE.buffer);

type Write =
  | { readonly of: 'copy'; readonly start: number; readonly length: number }
  | { readonly of: 'text'; readonly text: string }
  | { readonly of: 'ipv4'; readonly word: number };
const writes = fc.array(
  fc.oneof(
    fc.record({ of: fc.constant('copy' as const), start: fc.nat(300), length: fc.nat(300) }),
    fc.record({ of: fc.constant('text' as const), text: fc.string({ unit: 'grapheme' }) }),
    fc.record({ of: fc.constant('ipv4' as const), word: fc.nat(0xffff_ffff) }),
  ),
  { maxLength: 40 },
);

function expected(write: Write): Uint8Array {
  if (write.of === 'text') return Buffer.from(write.text);
  if (write.of === 'ipv4') return Buffer.from(formatAddress({ family: 4, w0: write.word, w1: 0, w2: 0, w3: 0 }));
  return SOURCE.subarray(write.start, write.start + write.length);
}

test('written text stands there byte after byte, whatever came before and however the memory grew', () => {
  fc.assert(
    fc.property(writes, fc.nat(64), (all, capacity) => {
      const writer = new ByteWriter(capacity);
      for (const write of all) {
        if (write.of === 'text') writer.text(write.text);
        else if (write.of === 'ipv4') {
          writer.room(15);
          writer.ipv4(write.word);
        } else {
          const { length } = expected(write);
          writer.room(length);
          writer.copy(view, write.start, length);
        }
      }
      assert.deepEqual(Buffer.from(writer.since(0)), Buffer.concat(all.map(expected)));
    }),
    { numRuns: 500 },
  );
});

test('a writer goes on from any place, and its memory serves again', () => {
  const writer = new ByteWriter(4);
  writer.text('0123456789');
  writer.moveTo(2);
  writer.room(1);
  writer.byte(45);
  assert.equal(Buffer.from(writer.since(0)).toString(), '01-');
  const { capacity } = writer;
  writer.moveTo(0);
  writer.room(capacity);
  assert.deepEqual([writer.at, writer.capacity], [0, capacity]);
  writer.room(capacity + 1);
  assert.ok(writer.capacity > capacity);
});
