import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildImage, checksum, Image, ImageError, jsonSection, verifyChecksums } from './image.ts';

const sections = [
  jsonSection('META', { version: 1 }),
  { id: 'WORD', data: Uint32Array.of(1, 2, 0xffff_ffff) },
  { id: 'HALF', data: Uint16Array.of(7, 8, 9) },
  { id: 'NONE', data: new Uint8Array(0) },
  { id: 'BYTE', data: Uint8Array.from({ length: 131 }, (_, i) => i) },
];
const file = (): Uint8Array<ArrayBuffer> => buildImage('geo', sections);
const faultOf = (bytes: Uint8Array<ArrayBuffer>, kind: 'geo' | 'evidence' = 'geo'): string => {
  try {
    return verifyChecksums(new Image(bytes.buffer, kind)).join();
  } catch (error) {
    assert.ok(error instanceof ImageError);
    return error.message;
  }
};

test('sections come back as they went in', () => {
  const image = new Image(file().buffer, 'geo');
  assert.deepEqual(image.json('META'), { version: 1 });
  assert.deepEqual([...image.words32('WORD')], [1, 2, 0xffff_ffff]);
  assert.deepEqual([...image.bytes('HALF')], [7, 0, 8, 0, 9, 0]);
  assert.equal(image.bytes('NONE').length, 0);
  assert.equal(image.bytes('BYTE')[130], 130);
  assert.deepEqual(verifyChecksums(image), []);
  assert.throws(() => image.bytes('ZZZZ'), /section ZZZZ is missing/);
  assert.throws(() => image.words32('BYTE'), /not a multiple of 4/);
  assert.throws(() => image.json('BYTE'), /does not hold JSON/);
});

test('a file cut off at any length is refused', () => {
  const bytes = file();
  for (let length = 0; length < bytes.length; length++)
    assert.match(faultOf(bytes.slice(0, length)), /not a usable image/, `${length} bytes`);
  const longer = new Uint8Array(bytes.length + 64);
  longer.set(bytes);
  assert.match(faultOf(longer), /where the header says/);
});

test('every flipped bit of header, directory and sections is found', () => {
  const bytes = file();
  const image = new Image(bytes.buffer, 'geo');
  const covered = [{ offset: 0, length: 64 + 32 * sections.length }, ...image.entries];
  for (const { offset, length } of covered) {
    for (let at = offset; at < offset + length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const broken = bytes.slice();
        broken[at]! ^= 1 << bit;
        assert.notEqual(faultOf(broken), '', `byte ${at} bit ${bit}`);
      }
    }
  }
});

test('the fault is named', () => {
  const change = (edit: (view: DataView<ArrayBuffer>) => void): string => {
    const bytes = file();
    edit(new DataView(bytes.buffer));
    return faultOf(bytes);
  };
  assert.match(
    change((view) => view.setUint8(0, 0)),
    /magic number/,
  );
  assert.match(
    change((view) => view.setUint32(8, 1, true)),
    /format version 1, this program reads 2/,
  );
  assert.match(
    change((view) => view.setUint32(16, 0xffff_ffff, true)),
    /does not fit/,
  );
  assert.match(
    change((view) => view.setUint8(70, 1)),
    /header is damaged/,
  );
  assert.match(faultOf(file(), 'evidence'), /does not hold evidence data/);
});

test('the checksum depends on the place, the value and the number of bytes', () => {
  const seen = new Set<string>();
  const note = (bytes: Uint8Array): void => {
    const { low, high } = checksum(bytes);
    seen.add(`${low} ${high}`);
  };
  for (let length = 0; length < 70; length++) note(new Uint8Array(length));
  for (let at = 0; at < 69; at++) for (const value of [1, 128]) note(new Uint8Array(69).fill(value, at, at + 1));
  assert.equal(seen.size, 70 + 138);
});
