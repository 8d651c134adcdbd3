import assert from 'node:assert/strict';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '../../../test/support/test-folder.ts';
import { unixMs } from '../../core/units.ts';
import type { PhoneChange } from '../../service/phone/phone-libraries.ts';
import { DatabaseLibraryWriter } from './database-library-writer.ts';
import { DatabasePhoneLibraries } from './database-phone-libraries.ts';
import { numberKey } from './number-key.ts';
import { phoneDbContract } from './phone-db.contract.ts';
import { prepareLibraries } from './prepare-libraries.ts';
import { SqlitePhoneDatabase } from './sqlite-phone-database.ts';

const key = numberKey(new Uint8Array(32).fill(7));
const at = unixMs(Date.parse('2026-11-20T00:00:00Z'));
const row = (digits: string, risk = 5): PhoneChange => ({ digits, entry: { risk, tags: [101], lastActive: at } });
async function* one(...rows: readonly PhoneChange[]): AsyncGenerator<readonly PhoneChange[]> {
  yield rows;
}
const writerOf = (path: string, withKey = key) => new DatabaseLibraryWriter(new SqlitePhoneDatabase(path), withKey);
const readerOf = (path: string, withKey = key) =>
  new DatabasePhoneLibraries(new SqlitePhoneDatabase(path, { readOnly: true }), withKey);

phoneDbContract('sqlite', async () => {
  const folder = testFolder('phone');
  const path = join(folder, 'phone.db');
  const writer = writerOf(path);
  return {
    writer,
    reader: async () => readerOf(path),
    withKey: (other) => ({ reader: readerOf(path, other), writer: writerOf(path, other) }),
    break: async () => rmSync(path),
    async close() {
      await writer.close();
    },
  };
});

async function withLibrary(run: (path: string, writer: DatabaseLibraryWriter) => Promise<void>): Promise<void> {
  const folder = testFolder('phone');
  const path = join(folder, 'phone.db');
  const writer = writerOf(path);
  try {
    await writer.replace('cn', one(row('8613800138000')), { dataVersion: '1', at });
    await writer.replace('sg', one(row('6591234567')), { dataVersion: '1', at });
    await run(path, writer);
  } finally {
    await writer.close();
  }
}

test('a library that was never loaded is filled from the list of the package, and no other', async () => {
  const path = join(testFolder('phone'), 'phone.db');
  const [writer, reader] = [writerOf(path), readerOf(path)];
  await writer.replace('sg', one(row('6591234567')), { dataVersion: '1', at });
  assert.deepEqual(await prepareLibraries(writer, at), ['cn']);
  assert.equal(await writer.held('cn'), '20240605');
  assert.deepEqual(await prepareLibraries(writer, at), []);
  const { findings } = await reader.lookup(['6591234567']);
  assert.deepEqual(
    findings[0]?.map(({ library }) => library),
    ['sg'],
  );
  await reader.close();
  await writer.close();
});

test('no file of the libraries holds a number in any plain form', () =>
  withLibrary(async (path, writer) => {
    await writer.apply('cn', one(row('8613912345678')), { dataVersion: 'x', at });
    const folder = join(path, '..');
    const names = readdirSync(folder);
    assert.ok(names.includes('phone.db'));
    for (const name of names) {
      const bytes = readFileSync(join(folder, name));
      for (const digits of ['13800138', '13912345', '91234567']) assert.equal(bytes.includes(digits), false, name);
      for (const value of [8613800138000n, 13800138000n, 8613912345678n]) {
        const binary = Buffer.alloc(8);
        binary.writeBigUInt64LE(value);
        assert.equal(bytes.includes(binary.subarray(0, 6)), false, name);
        binary.writeBigUInt64BE(value);
        assert.equal(bytes.includes(binary.subarray(2)), false, name);
      }
    }
  }));

test('a second import waits for the first, by the same writer and by another process, and is refused when that lasts', () =>
  withLibrary(async (path, writer) => {
    const [other, hasty] = [
      writerOf(path),
      new DatabaseLibraryWriter(new SqlitePhoneDatabase(path, { waitMs: 0 }), key),
    ];
    const add = (by: DatabaseLibraryWriter, number: string) =>
      by.apply('sg', one(row(number)), { dataVersion: 'y', at });
    const waiting: Promise<unknown>[] = [];
    async function* first(): AsyncGenerator<readonly PhoneChange[]> {
      await assert.rejects(add(hasty, '8613800138001'), /another import/);
      waiting.push(add(writer, '8613800138004'), add(other, '8613800138005'));
      yield [row('8613800138002')];
    }
    await writer.apply('cn', first(), { dataVersion: 'x', at });
    await Promise.all(waiting);
    await other.close();
    await hasty.close();
    const asked = ['8613800138001', '8613800138002', '8613800138004', '8613800138005'];
    const { findings } = await readerOf(path).lookup(asked);
    const lengths = findings.map((found) => found.length);
    assert.deepEqual(lengths, [0, 1, 1, 1]);
  }));

test('a file that was taken away, damaged or put back is noticed at the next question, and no question makes one', () =>
  withLibrary(async (path, writer) => {
    const reader = readerOf(path);
    const found = async () => (await reader.lookup(['8613800138000'])).findings[0]?.length;
    assert.equal(await found(), 1);
    await writer.close();
    renameSync(path, `${path}.away`);
    await assert.rejects(found, { name: 'LibraryUnavailable' });
    assert.equal(await writer.held('cn'), undefined);
    assert.equal(statSync(path, { throwIfNoEntry: false }), undefined);
    writeFileSync(path, Buffer.alloc(8192, 0x5a));
    await assert.rejects(found, { name: 'LibraryUnavailable' });
    renameSync(`${path}.away`, path);
    assert.equal(await found(), 1);
    await reader.close();
  }));

test('a file that was cut or written over in its place fails the question alone, and answers when it is whole again', () =>
  withLibrary(async (path, writer) => {
    const rows = Array.from({ length: 20_000 }, (_, index) => row(`86139${String(index).padStart(8, '0')}`));
    await writer.replace('cn', one(...rows), { dataVersion: '2', at });
    const reader = readerOf(path);
    const found = async () => (await reader.lookup(['8613912345678', '8613900019999'])).findings[1]?.length;
    assert.equal(await found(), 1);
    const whole = readFileSync(path);
    for (const spoil of [
      () => truncateSync(path, 0),
      () => truncateSync(path, 4096),
      () => truncateSync(path, 100_000),
      () => writeFileSync(path, Buffer.alloc(whole.length, 0x5a)),
    ]) {
      spoil();
      await assert.rejects(found, { name: 'LibraryUnavailable' });
      writeFileSync(path, whole);
      assert.equal(await found(), 1);
    }
    await reader.close();
  }));

test('the log is cut after an import, and the space of the replaced library is used again', () =>
  withLibrary(async (path, writer) => {
    const rows = Array.from({ length: 2000 }, (_, index) => row(`86139${String(index).padStart(8, '0')}`));
    const sizes: number[] = [];
    for (let round = 0; round < 4; round++) {
      await writer.replace('cn', one(...rows), { dataVersion: String(round), at });
      sizes.push(statSync(path).size);
      assert.equal(statSync(`${path}-wal`).size, 0);
    }
    assert.equal(sizes[3], sizes[1]);
  }));
