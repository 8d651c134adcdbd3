import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OldestEntries } from './oldest-entries.ts';

test('it gives what a search from the start would give, whatever is put in, put in again and removed in between', () => {
  const step = fc.record({
    do: fc.constantFrom('put' as const, 'renew' as const, 'remove' as const, 'forget' as const),
    key: fc.nat(12),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const map = new Map<number, string>();
      const oldest = new OldestEntries(map);
      for (const { do: action, key } of steps) {
        if (action === 'renew' || action === 'remove') map.delete(key);
        if (action === 'put' || action === 'renew') map.set(key, `${key}`);
        if (action !== 'forget') continue;
        const first = map.entries().next().value;
        assert.deepEqual(oldest.next(), first);
        if (first !== undefined) map.delete(first[0]);
      }
    }),
  );
});
