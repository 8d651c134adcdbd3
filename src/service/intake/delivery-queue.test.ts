import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CaptureBatchBuilder } from '../../core/evidence/capture-batch-builder.ts';
import { unixMs } from '../../core/units.ts';
import type { DeliveryOutcome, SentDelivery } from '../ports.ts';
import { DeliveryQueue } from './delivery-queue.ts';

const NOW = unixMs(1_800_000_000_000);

const capturesOf = (name: string, rows = 1) => {
  const builder = new CaptureBatchBuilder(1);
  for (let n = 0; n < rows; n++) builder.addIpv4(n, 32);
  return [{ source: { id: name, family: name, mode: 'events' as const }, defaultAt: NOW, batch: builder.build() }];
};
const nameOf = ({ captures }: SentDelivery): string => captures[0]!.source.id;

/** A store that records its transactions; each one lasts until the next turn of the event loop. */
function storeOf(fault: (names: readonly string[]) => string | undefined = () => undefined) {
  const transactions: { readonly names: readonly string[]; readonly at: number }[] = [];
  let underWay = 0;
  return {
    transactions,
    async recordDeliveries(deliveries: readonly SentDelivery[], at: number): Promise<readonly DeliveryOutcome[]> {
      assert.equal(underWay++, 0, 'one transaction at a time');
      await new Promise(setImmediate);
      underWay--;
      const names = deliveries.map(nameOf);
      transactions.push({ names, at });
      const reason = fault(names);
      if (reason !== undefined) throw new Error(reason);
      return names.map((answer) => ({ status: 'replayed', answer }));
    },
  };
}

const settled = async (all: readonly Promise<DeliveryOutcome>[]): Promise<string[]> =>
  (await Promise.allSettled(all)).map((one) =>
    one.status === 'fulfilled'
      ? one.value.status === 'replayed'
        ? one.value.answer
        : one.value.status
      : `! ${one.reason.message}`,
  );

test('batches that come while a transaction is under way share the next one, in its order, and each gets its own outcome after it', async () => {
  const store = storeOf();
  const grouped = new DeliveryQueue(store);
  const send = (name: string, after = 0) => grouped.recordDelivery(capturesOf(name), unixMs(NOW + after));
  const first = [send('a'), send('b', 2), send('c', 1)];
  await new Promise(setImmediate);
  const later = [send('d'), send('e')];
  assert.deepEqual(await settled([...first, ...later]), ['a', 'b', 'c', 'd', 'e']);
  await grouped.settled();
  assert.deepEqual(store.transactions, [
    { names: ['a', 'b', 'c'], at: NOW + 2 },
    { names: ['d', 'e'], at: NOW },
  ]);
  assert.deepEqual(await settled([send('f')]), ['f']);
});

test('a transaction holds 20,000 rows or 200 deliveries, or one delivery of more', async () => {
  const store = storeOf();
  const grouped = new DeliveryQueue(store);
  const many = Array.from({ length: 250 }, (_, n) => `many-${n}`);
  const large = [12_000, 8_000, 1, 100_000, 1];
  const all = [
    ...large.map((rows, n) => grouped.recordDelivery(capturesOf(`large-${n}`, rows), NOW)),
    ...many.map((name) => grouped.recordDelivery(capturesOf(name), NOW)),
  ];
  await settled(all);
  const lengths = store.transactions.map(({ names }) => names.length);
  assert.deepEqual(lengths, [2, 1, 1, 200, 51]);
});

test('a delivery at fault fails alone; where the store fails, none is tried for long', async () => {
  const poisoned = storeOf((names) => (names.includes('bad') ? 'bad is bad' : undefined));
  const send = (to: DeliveryQueue, names: readonly string[]) =>
    settled(names.map((name) => to.recordDelivery(capturesOf(name), NOW)));
  assert.deepEqual(await send(new DeliveryQueue(poisoned), ['a', 'bad', 'c']), ['a', '! bad is bad', 'c']);
  const away = storeOf(() => 'away');
  const names = ['a', 'b', 'c', 'd'];
  const rest = '! the store could not be written for the deliveries before this one';
  assert.deepEqual(await send(new DeliveryQueue(away), names), ['! away', '! away', rest, rest]);
  const nameses = away.transactions.map((one) => one.names);
  assert.deepEqual(nameses, [names, ['a'], ['b']]);
});
