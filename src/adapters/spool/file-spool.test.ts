import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { testFolder } from '../../../test/support/test-folder.ts';
import type { PackedCaptures } from '../../service/intake/intake-ports.ts';
import { FileSpool, type SpoolFiles, type SpoolPlace, spoolFolder } from './file-spool.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (body: Uint8Array): string => new TextDecoder().decode(body);

/** The process has died: nothing after this point is done. */
class Crash extends Error {}

/** Files whose changes are durable step by step, and a process that dies before or after its nth step. */
class Disk {
  readonly content = { files: new Map<string, Uint8Array>(), refused: new Map<string, Uint8Array>() };
  stepsLeft = Number.POSITIVE_INFINITY;
  /** True if the step at which the process dies is still done. */
  isDone = false;

  get place(): SpoolPlace {
    return { files: this.#files(this.content.files), refused: this.#files(this.content.refused) };
  }

  #files(map: Map<string, Uint8Array>): SpoolFiles {
    return {
      list: () => Promise.resolve([...map].map(([name, body]) => ({ name, bytes: body.length })).reverse()),
      read: (name) =>
        map.has(name)
          ? Promise.resolve(map.get(name)!)
          : Promise.reject(Object.assign(new Error('gone'), { code: 'ENOENT' })),
      write: (name, body) => this.#step(() => map.set(name, body)),
      remove: (name) => this.#step(() => map.delete(name)),
    };
  }

  async #step(change: () => unknown): Promise<void> {
    this.stepsLeft -= 1;
    if (this.stepsLeft > 0) change();
    else {
      if (this.isDone) change();
      throw new Crash();
    }
  }
}

describe('a spool', () => {
  test('gives batches back in their order, over a restart too, and forgets removed ones', async () => {
    const folder = testFolder('spool');
    const first = await FileSpool.open(spoolFolder(folder), 1000);
    for (const body of ['a', 'b', 'c']) await first.put(bytes(body));
    const oldest = (await first.oldest())!;
    assert.equal(text(oldest.body), 'a');
    await first.remove(oldest.id);
    await first.remove(oldest.id);
    const second = await FileSpool.open(spoolFolder(folder), 1000);
    assert.deepEqual(second.state, { batches: 2, bytes: 2, dropped: 0 });
    await second.put(bytes('d'));
    const seen: string[] = [];
    for (let batch = await second.oldest(); batch !== undefined; batch = await second.oldest()) {
      seen.push(text(batch.body));
      await second.remove(batch.id);
    }
    assert.deepEqual([seen, second.state.bytes], [['b', 'c', 'd'], 0]);
  });

  test('keeps to its room: refused batches are dropped first, then the oldest', async () => {
    const disk = new Disk();
    const spool = await FileSpool.open(disk.place, 4);
    for (const body of ['a', 'b', 'c', 'd']) await spool.put(bytes(body));
    await spool.setAside((await spool.oldest())!.id);
    assert.deepEqual([spool.state, disk.content.refused.size], [{ batches: 3, bytes: 4, dropped: 0 }, 1]);
    await spool.put(bytes('e'));
    assert.deepEqual([spool.state, disk.content.refused.size], [{ batches: 4, bytes: 4, dropped: 0 }, 0]);
    await spool.put(bytes('ff'));
    assert.deepEqual(spool.state, { batches: 3, bytes: 4, dropped: 2 });
    assert.equal(text((await spool.oldest())!.body), 'd');
  });

  test('goes on behind a batch that was deleted by hand', async () => {
    const disk = new Disk();
    const spool = await FileSpool.open(disk.place, 1000);
    for (const body of ['a', 'b']) await spool.put(bytes(body));
    disk.content.files.delete([...disk.content.files.keys()][0]!);
    assert.equal(text((await spool.oldest())!.body), 'b');
  });

  test('leaves files of other names alone', async () => {
    const folder = testFolder('spool');
    const { files } = spoolFolder(folder);
    await files.list();
    await files.write('README', bytes('x'));
    await FileSpool.open(spoolFolder(folder), 0).then((spool) => spool.put(bytes('a')));
    assert.ok(readdirSync(folder).includes('README'));
  });
});

/** A receiver that accepts each batch id once, and rejects a second body under the same id. */
class Receiver {
  readonly taken = new Map<string, string>();
  take(id: string, body: Uint8Array): void {
    assert.equal(this.taken.get(id) ?? text(body), text(body), 'one id has two bodies');
    this.taken.set(id, text(body));
  }
}

let clock = 0;

/** Delivers a batch as `sendCaptures` does; its final body differs each time it is made. */
async function send(spool: FileSpool, receiver: Receiver, batch: PackedCaptures): Promise<void> {
  const body = batch.isFinal ? batch.body : bytes(`${text(batch.body)} at ${clock++}`);
  if (!batch.isFinal) await spool.finish(batch.id, body);
  receiver.take(batch.id, body);
  await spool.remove(batch.id);
}

test('whenever a process dies, each batch that was put is received, once, and none that was not', async () => {
  const plan = fc.record({
    batches: fc.integer({ min: 1, max: 6 }),
    deaths: fc.array(fc.record({ step: fc.integer({ min: 1, max: 16 }), isDone: fc.boolean() }), { maxLength: 8 }),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ batches, deaths }) => {
      const disk = new Disk();
      const receiver = new Receiver();
      const put: string[] = [];
      const begun: string[] = [];
      for (const death of [...deaths, { step: Number.POSITIVE_INFINITY, isDone: false }]) {
        disk.stepsLeft = death.step;
        disk.isDone = death.isDone;
        try {
          const spool = await FileSpool.open(disk.place, 10_000);
          while (put.length + 1 <= batches && begun.length < batches + deaths.length) {
            const body = `batch ${begun.length}`;
            begun.push(body);
            await spool.put(bytes(body));
            put.push(body);
            // The receiver is unavailable every other time.
            if (begun.length % 2 === 0) continue;
            await send(spool, receiver, (await spool.oldest())!);
          }
          for (let batch = await spool.oldest(); batch !== undefined; batch = await spool.oldest())
            await send(spool, receiver, batch);
        } catch (error) {
          if (!(error instanceof Crash)) throw error;
        }
      }
      const received = [...receiver.taken.values()].map((body) => body.replace(/ at .*/, ''));
      assert.equal(new Set(received).size, received.length, 'a batch was taken twice');
      for (const body of put) assert.ok(received.includes(body), `${body} is lost`);
      for (const body of received) assert.ok(begun.includes(body));
      assert.equal(disk.content.files.size, 0);
    }),
    { seed: 14, numRuns: 300 },
  );
});
