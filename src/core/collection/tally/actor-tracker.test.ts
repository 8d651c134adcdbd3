import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ActorTracker } from './actor-tracker.ts';

const WORDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

/** A tracker whose ids are consecutive numbers, and a function that offers credentials to it. */
function tracker() {
  let made = 0;
  let at = 0;
  const actors = new ActorTracker(() => String(made++));
  return {
    actors,
    /** @returns the actors of the attempts, one second apart */
    offer: (
      ip: string,
      credentials: readonly string[],
      { fingerprint = 'tool', stepMs = 1000 } = {},
    ): readonly string[] =>
      credentials.map((credential) => {
        at += stepMs;
        return actors.note({ ip, protocol: 'ssh', fingerprint, credential, at });
      }),
  };
}

describe('an actor', () => {
  test('is one address with one make of client', () => {
    const { offer } = tracker();
    assert.deepEqual(offer('1.1.1.1', ['a', 'b']), ['0', '0']);
    assert.deepEqual(offer('1.1.1.1', ['a'], { fingerprint: 'other' }), ['1']);
    assert.deepEqual(offer('1.1.1.2', ['a', 'b']), ['2', '2']);
  });

  test('that goes on with a known sequence from another address is the same', () => {
    const { offer } = tracker();
    offer('9.9.9.9', WORDS);
    assert.deepEqual(offer('1.1.1.1', ['a', 'b', 'c', 'd']).at(-1), '1');
    assert.deepEqual(offer('1.1.1.2', ['e', 'f']), ['1', '1']);
    assert.deepEqual(offer('1.1.1.3', ['g', 'h']), ['1', '1']);
  });

  test('that repeats the attempt which its old address cut off is the same', () => {
    const { offer } = tracker();
    offer('1.1.1.1', ['p', 'q', 'r']);
    assert.deepEqual(offer('1.1.1.2', ['r', 's']), ['0', '0']);
  });

  test('is not one that begins the sequence, has another tool, comes too late, or could be two', () => {
    const { offer } = tracker();
    offer('9.9.9.9', WORDS);
    offer('1.1.1.1', ['a', 'b', 'c', 'd']);
    assert.deepEqual(offer('2.2.2.2', ['a', 'b']), ['2', '2']);
    assert.deepEqual(offer('2.2.2.3', ['e'], { fingerprint: 'other' }), ['3']);
    const two = tracker();
    two.offer('1.1.1.1', ['x', 'b', 'c', 'd']);
    two.offer('1.1.1.2', ['y', 'b', 'c', 'd']);
    assert.deepEqual(two.offer('1.1.1.3', ['d']), ['2']);
    const late = tracker();
    late.offer('1.1.1.1', ['a', 'b', 'c', 'd']);
    assert.deepEqual(late.offer('1.1.1.2', ['d'], { stepMs: 16 * 60_000 }), ['1']);
  });

  test('that moved leaves its old address to another actor', () => {
    const { offer } = tracker();
    offer('1.1.1.1', ['p', 'q', 'r']);
    offer('1.1.1.2', ['r', 's']);
    assert.deepEqual(offer('1.1.1.1', ['z']), ['1']);
    assert.deepEqual(offer('1.1.1.2', ['t']), ['0']);
  });
});

test('bots that all begin with the same three credentials stay apart', () => {
  const { offer } = tracker();
  const ids = Array.from({ length: 50 }, (_, i) => offer(`1.1.1.${i}`, ['a', 'b', 'c'])[0]);
  assert.equal(new Set(ids).size, 50);
});

test('memory is bounded', () => {
  const { actors, offer } = tracker();
  for (let i = 0; i < 40_000; i++) offer(`10.0.${i >> 8}.${i & 255}`, [`c${i}`, 'x'], { stepMs: 1 });
  assert.ok(actors.size >= 8192 && actors.size <= 16_384, `${actors.size}`);
});

test('an attempt costs the same however many actors stand at its place of the sequence', () => {
  const { offer } = tracker();
  for (let i = 0; i < 200; i++) offer(`10.0.0.${i}`, ['p', 'q', 'r'], { stepMs: 1 });
  assert.deepEqual(offer('1.1.1.1', ['r'], { stepMs: 1 }), ['200']);
});
