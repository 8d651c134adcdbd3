import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { unixMs } from '../../../core/units.ts';
import type { PhoneChange } from '../../../service/phone/phone-libraries.ts';
import { numberKey } from '../number-key.ts';
import { phoneDbContract } from '../phone-db.contract.ts';
import { FileLibraryWriter } from './file-library-writer.ts';
import { LibraryWatch } from './library-watch.ts';
import { SharedPhoneLibraries } from './shared-phone-libraries.ts';

const key = numberKey(new Uint8Array(32).fill(7));
const at = unixMs(Date.parse('2026-11-20T00:00:00Z'));
const row = (digits: string, risk = 5): PhoneChange => ({ digits, entry: { risk, tags: [101], lastActive: at } });
async function* one(...rows: readonly PhoneChange[]): AsyncGenerator<readonly PhoneChange[]> {
  yield rows;
}

for (const [name, options] of [
  ['files', {}],
  ['files folded at every increment', { foldBound: () => 0 }],
] as const)
  phoneDbContract(name, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pulse-phone-'));
    const watches: [LibraryWatch, SharedPhoneLibraries][] = [];
    return {
      writer: new FileLibraryWriter(folder, key, options),
      async reader() {
        const watch = new LibraryWatch(folder, key);
        await watch.poll();
        const libraries = new SharedPhoneLibraries(key);
        libraries.use(watch.shared());
        watches.push([watch, libraries]);
        return libraries;
      },
      async break() {
        rmSync(join(folder, 'cn'), { recursive: true });
        for (const [watch, libraries] of watches) {
          await watch.poll();
          libraries.use(watch.shared());
        }
      },
      async close() {
        rmSync(folder, { recursive: true, force: true });
      },
    };
  });

async function withLibrary(run: (folder: string, writer: FileLibraryWriter) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-phone-'));
  try {
    const writer = new FileLibraryWriter(folder, key);
    await writer.replace('cn', one(row('8613800138000')), { dataVersion: '1', at });
    await writer.replace('sg', one(row('6591234567')), { dataVersion: '1', at });
    await run(folder, writer);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
const open = async (folder: string, withKey = key) => {
  const watch = new LibraryWatch(folder, withKey);
  await watch.poll();
  const libraries = new SharedPhoneLibraries(withKey);
  libraries.use(watch.shared());
  return { watch, libraries };
};
const risk = (libraries: SharedPhoneLibraries, digits: string) =>
  libraries.lookup([digits]).findings[0]?.[0]?.entry.risk;

test('a running reader sees an import at its next poll, and an answer of an older view stays whole', () =>
  withLibrary(async (folder, writer) => {
    const { watch, libraries } = await open(folder);
    assert.equal(await watch.poll(), false);
    await writer.apply('cn', one(row('8613800138000', 9), row('8613800138001', 8)), {
      dataVersion: '202611200001',
      at,
    });
    assert.equal(await watch.poll(), true);
    // The view was not handed over yet: the reader is still wholly before the import, though the shared rows have it.
    assert.equal(risk(libraries, '8613800138000'), 5);
    assert.equal(risk(libraries, '8613800138001'), undefined);
    libraries.use(watch.shared());
    assert.equal(risk(libraries, '8613800138000'), 9);
    assert.equal(risk(libraries, '8613800138001'), 8);
    await writer.replace('cn', one(row('8613800138002', 3)), { dataVersion: '2', at });
    assert.equal(await watch.poll(), true);
    libraries.use(watch.shared());
    assert.deepEqual(
      ['8613800138000', '8613800138002'].map((digits) => risk(libraries, digits)),
      [undefined, 3],
    );
  }));

test('a table of increments that outgrows its memory keeps every increment', () =>
  withLibrary(async (folder, writer) => {
    const { watch, libraries } = await open(folder);
    for (let step = 0; step < 5; step += 1) {
      const rows = Array.from({ length: 1000 }, (_, index) =>
        row(`86139${String(index + step * 500).padStart(8, '0')}`, step),
      );
      await writer.apply('cn', one(...rows), { dataVersion: String(step), at });
      await watch.poll();
      libraries.use(watch.shared());
    }
    assert.deepEqual(
      [0, 499, 500, 2500, 2999].map((index) => risk(libraries, `86139${String(index).padStart(8, '0')}`)),
      [0, 0, 1, 4, 4],
    );
    assert.equal(libraries.state()[0]?.records, 3001);
    assert.deepEqual((await open(folder)).libraries.state(), libraries.state());
  }));

test('a torn frame at the end of the log is not read, and the next import cuts it off', () =>
  withLibrary(async (folder, writer) => {
    await writer.apply('cn', one(row('8613800138001', 1)), { dataVersion: 'a', at });
    const log = join(folder, 'cn', '1.log');
    const whole = readFileSync(log);
    appendFileSync(log, whole.subarray(0, whole.length - 5));
    const { watch, libraries } = await open(folder);
    assert.equal(risk(libraries, '8613800138001'), 1);
    await writer.apply('cn', one(row('8613800138001', 2)), { dataVersion: 'b', at });
    assert.equal(await watch.poll(), true);
    libraries.use(watch.shared());
    assert.equal(risk(libraries, '8613800138001'), 2);
  }));

test('a log that a power cut left with zeros at its end is read up to them, and the next import cuts them off', () =>
  withLibrary(async (folder, writer) => {
    await writer.apply('cn', one(row('8613800138001', 1)), { dataVersion: 'a', at });
    const log = join(folder, 'cn', '1.log');
    const whole = readFileSync(log);
    appendFileSync(log, Buffer.alloc(whole.length));
    assert.equal(risk((await open(folder)).libraries, '8613800138001'), 1);
    await writer.apply('cn', one(row('8613800138001', 2)), { dataVersion: 'b', at });
    assert.equal(readFileSync(log).length, 2 * whole.length);
    assert.equal(risk((await open(folder)).libraries, '8613800138001'), 2);
  }));

test('damage in front of sound imports makes the library unreachable, and the next import does not cut them off', () =>
  withLibrary(async (folder, writer) => {
    await writer.apply('cn', one(row('8613800138001', 1)), { dataVersion: 'a', at });
    await writer.apply('cn', one(row('8613800138002', 2)), { dataVersion: 'b', at });
    const log = join(folder, 'cn', '1.log');
    const whole = readFileSync(log);
    const bad = Buffer.from(whole);
    bad[30] = bad[30]! ^ 1;
    writeFileSync(log, bad);
    await assert.rejects(async () => (await open(folder)).libraries.lookup(['8613800138002']), /phone library cn/);
    await assert.rejects(
      writer.apply('cn', one(row('8613800138003', 3)), { dataVersion: 'c', at }),
      /log of increments is damaged/,
    );
    assert.deepEqual(readFileSync(log), bad);
    writeFileSync(log, whole);
    assert.equal(risk((await open(folder)).libraries, '8613800138002'), 2);
    writeFileSync(log, bad);
    await writer.replace('cn', one(row('8613800138002', 7)), { dataVersion: 'd', at });
    assert.equal(risk((await open(folder)).libraries, '8613800138002'), 7, 'a full load replaces what cannot be read');
  }));

test('a damaged, shortened or foreign generation makes the library unreachable, never half-read', () =>
  withLibrary(async (folder) => {
    const path = join(folder, 'cn', '1.gen');
    const whole = readFileSync(path);
    for (const at of [8, 70, 100, whole.length - 40, whole.length - 1]) {
      const bad = Buffer.from(whole);
      bad[at] = (bad[at] ?? 0) ^ 1;
      writeFileSync(path, bad);
      await assert.rejects(
        async () => (await open(folder)).libraries.lookup(['8613800138000']),
        /phone library cn/,
        `byte ${at}`,
      );
    }
    writeFileSync(path, whole);
    truncateSync(path, whole.length - 7);
    await assert.rejects(async () => (await open(folder)).libraries.lookup(['8613800138000']), /phone library cn/);
    writeFileSync(path, readFileSync(join(folder, 'sg', '1.gen')));
    await assert.rejects(async () => (await open(folder)).libraries.lookup(['8613800138000']), /holds library sg/);
    writeFileSync(path, whole);
    assert.equal(risk((await open(folder)).libraries, '8613800138000'), 5);
  }));

test('another secret cannot read the library and is refused as such', () =>
  withLibrary(async (folder) => {
    await assert.rejects(
      async () => (await open(folder, numberKey(new Uint8Array(32).fill(8)))).libraries.lookup(['8613800138000']),
      /another PULSE_SECRET/,
    );
  }));

test('no file of a library holds a number in any plain form', () =>
  withLibrary(async (folder, writer) => {
    await writer.apply('cn', one(row('8613912345678')), { dataVersion: 'x', at });
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.\w+$/.test(file),
    )) {
      const bytes = readFileSync(join(folder, name));
      for (const digits of ['13800138', '13912345', '91234567']) assert.equal(bytes.includes(digits), false, name);
      for (const value of [8613800138000n, 13800138000n, 8613912345678n]) {
        const binary = Buffer.alloc(8);
        binary.writeBigUInt64LE(value);
        assert.equal(bytes.includes(binary.subarray(0, 6)), false, name);
      }
    }
  }));

test('a second import into one library at the same time is refused, and a lock left by a dead process is taken over', () =>
  withLibrary(async (folder, writer) => {
    async function* waiting(): AsyncGenerator<readonly PhoneChange[]> {
      await assert.rejects(writer.apply('cn', one(row('8613800138001')), { dataVersion: 'y', at }), /another import/);
      yield [row('8613800138002')];
    }
    await writer.apply('cn', waiting(), { dataVersion: 'x', at });
    writeFileSync(join(folder, 'cn', 'import.lock'), '999999999');
    await writer.apply('cn', one(row('8613800138003')), { dataVersion: 'z', at });
    assert.equal(risk((await open(folder)).libraries, '8613800138003'), 5);
  }));

test('a reader that has been given nothing yet says it is loading', () => {
  assert.throws(() => new SharedPhoneLibraries(key).lookup(['8613800138000']), {
    name: 'LibraryUnavailable',
    loading: true,
  });
});
