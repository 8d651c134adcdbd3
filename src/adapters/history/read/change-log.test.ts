import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipv4Key, keyOfNetwork } from '../prefix-key.ts';
import { CHANGE, ChangeLog, readChanges } from './change-log.ts';

const KEY4 = ipv4Key(0xffff_ffff, 32);
const KEY6 = keyOfNetwork({ family: 6, w0: 0x2a00_0001, w1: 2, w2: 3, w3: 0xffff_ffff }, 128) as Uint8Array;
const AT = Date.UTC(2026, 10, 21, 9, 30, 0, 123);

function read(packed: Uint8Array, until = Number.POSITIVE_INFINITY): unknown[] {
  const readBack: unknown[] = [];
  readChanges(
    packed,
    (change, key, ...rest) => readBack.push([change, typeof key === 'number' ? key : [...key], ...rest]) < until,
  );
  return readBack;
}

test('a log returns its entries, in order, as often as it was', () => {
  const log = new ChangeLog(100_000);
  const expected: unknown[] = [];
  for (let n = 0; n < 5000; n++) {
    const key = n % 2 === 0 ? KEY4 : KEY6;
    const readBack = typeof key === 'number' ? key : [...key];
    log.captured(key, n, AT + n);
    log.ended(key, 0xffff_ffff, AT, AT + n);
    log.touched(key);
    log.began(key, 7, AT - n);
    expected.push(
      [CHANGE.captured, readBack, n, AT + n, 0],
      [CHANGE.ended, readBack, 0xffff_ffff, AT, AT + n],
      [CHANGE.touched, readBack, 0, 0, 0],
    );
    expected.push([CHANGE.began, readBack, 7, AT - n, 0]);
  }
  const packed = log.pack()!;
  assert.deepEqual(read(packed), expected);
  assert.deepEqual(read(packed, 3), expected.slice(0, 3), 'reading ends when the reader asks for it');
});

test('a log over its limit says nothing, one without changes says that there were none', () => {
  const log = new ChangeLog(2);
  assert.deepEqual(read(log.pack()!), []);
  log.touched(KEY4);
  log.began(KEY6, 1, AT);
  assert.equal(read(log.pack()!).length, 2);
  log.touched(KEY4);
  assert.equal(log.pack(), null);
});
