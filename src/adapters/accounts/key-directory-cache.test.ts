import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account, ApiKey } from '../../core/caller/caller.ts';
import { formatKey, KEY_RANDOM_BYTES } from '../../core/caller/sent-key.ts';
import { type UnixMs, unixMs } from '../../core/units.ts';
import { keyHasher } from '../../service/accounts/password.ts';
import type { KeyVerdict } from '../../service/ports.ts';
import { Problem } from '../../service/problem.ts';
import { type FoundKey, KeyDirectoryCache, type KeySource } from './key-directory-cache.ts';

const NOW = unixMs(1_000_000);
const later = (ms: number): UnixMs => unixMs(NOW + ms);
const hasher = keyHasher(Buffer.alloc(32, 1));
const secretOf = (n: number) =>
  formatKey(Uint8Array.from({ length: KEY_RANDOM_BYTES }, (_, at) => (at === 0 ? n : at)));
const ACCOUNT: Account = {
  id: 'acc_1',
  email: 'a@example.com',
  plan: 'free',
  perMin: 60,
  perDay: 5000,
  overagePct: 0,
  dataTier: 'basic',
  dpa: false,
  phoneEligible: false,
  phoneEnabled: false,
  phonePerMin: 0,
  phonePerDay: 0,
  operator: false,
  disabled: false,
  createdAt: unixMs(0),
};
const keyOf = (n: number): ApiKey => ({
  id: `key_${n}`,
  accountId: 'acc_1',
  name: '',
  prefix: 'pk_',
  phone: true,
  createdAt: unixMs(0),
});

/** A store that counts its questions; `gate` delays its answers. */
function source(held: Map<string, FoundKey>) {
  const state = { asked: 0, gate: undefined as Promise<void> | undefined };
  const keys: KeySource = {
    keyByHash(hash) {
      state.asked += 1;
      const found = held.get(hash);
      return state.gate === undefined ? found : state.gate.then(() => found);
    },
    account: (id) => (id === 'acc_1' ? ACCOUNT : undefined),
    plans: () => [],
    close: () => {},
  };
  return { keys, state };
}
const holding = (...numbers: number[]): Map<string, FoundKey> =>
  new Map(
    numbers.map((n) => [hasher.hash(secretOf(n)), { hash: hasher.hash(secretOf(n)), key: keyOf(n), account: ACCOUNT }]),
  );

test('a store that answers at once is answered for at once, and asked once a key', async () => {
  const { keys, state } = source(holding(1));
  const directory = await KeyDirectoryCache.open(keys, hasher);
  for (let n = 0; n < 5; n += 1) {
    const verdict = directory.find(secretOf(1), NOW);
    assert.ok(!(verdict instanceof Promise) && verdict.status === 'ok');
  }
  assert.equal(state.asked, 1);
});

test('a key with a wrong checksum never reaches the store', async () => {
  const { keys, state } = source(holding(1));
  const directory = await KeyDirectoryCache.open(keys, hasher);
  for (const text of ['', 'pk_', 'x'.repeat(10_000), `${secretOf(1)} `, secretOf(1).replace(/.$/, '!')])
    assert.deepEqual(await directory.find(text, NOW), { status: 'unknown' });
  assert.equal(state.asked, 0);
});

test('a well-formed key that does not exist is asked for once a second, not once a request', async () => {
  const { keys, state } = source(new Map());
  const directory = await KeyDirectoryCache.open(keys, hasher);
  for (const ms of [0, 1, 500, 999])
    assert.deepEqual(await directory.find(secretOf(1), later(ms)), { status: 'unknown' });
  assert.equal(state.asked, 1);
  await directory.find(secretOf(1), later(1000));
  assert.equal(state.asked, 2);
});

test('a key that was asked for before it was made works as soon as its making is known', async () => {
  const held = holding();
  const { keys } = source(held);
  const directory = await KeyDirectoryCache.open(keys, hasher);
  await directory.find(secretOf(1), NOW);
  for (const [hash, found] of holding(1)) held.set(hash, found);
  await directory.changed([{ seq: 1, topic: 'account', subject: 'acc_1' }]);
  assert.equal((await directory.find(secretOf(1), later(1))).status, 'ok');
});

test('many requests with one unknown key wait for one answer of the store', async () => {
  const { keys, state } = source(holding(1));
  let open = (): void => {};
  state.gate = new Promise((resolve) => {
    open = resolve;
  });
  const directory = await KeyDirectoryCache.open(keys, hasher);
  const verdicts = Array.from({ length: 20 }, () => directory.find(secretOf(1), NOW));
  open();
  for (const verdict of await Promise.all(verdicts)) assert.equal(verdict.status, 'ok');
  assert.equal(state.asked, 1);
});

test('an answer that was on its way while something changed is used once and not remembered', async () => {
  const held = holding(1);
  const { keys, state } = source(held);
  let open = (): void => {};
  state.gate = new Promise((resolve) => {
    open = resolve;
  });
  const directory = await KeyDirectoryCache.open(keys, hasher);
  const verdict = directory.find(secretOf(1), NOW);
  const [[hash, found]] = [...held] as [[string, FoundKey]];
  held.set(hash, { ...found, key: { ...found.key, revokedAt: NOW } });
  await directory.changed([{ seq: 1, topic: 'account', subject: 'acc_1' }]);
  open();
  assert.equal((await verdict).status, 'ok');
  assert.equal((await directory.find(secretOf(1), later(1))).status, 'revoked');
});

test('a store that cannot be reached is not an unknown key', async () => {
  const { keys } = source(new Map());
  const directory = await KeyDirectoryCache.open(
    { ...keys, keyByHash: () => Promise.reject(new Error('connection refused')) },
    hasher,
  );
  await assert.rejects(
    async () => directory.find(secretOf(1), NOW),
    (error) => error instanceof Problem && error.code === 'not_ready',
  );
});

test('memory stays bounded under a flood of unknown keys and under more keys than it holds', async () => {
  const numbers = Array.from({ length: 200 }, (_, n) => n);
  const { keys, state } = source(holding(...numbers));
  const directory = await KeyDirectoryCache.open(keys, hasher, { maxKeys: 16 });
  for (const n of numbers) assert.equal((await directory.find(secretOf(n), NOW)).status, 'ok');
  assert.equal((await directory.find(secretOf(0), NOW)).status, 'ok');
  assert.equal(state.asked, 201, 'the first key had been crowded out');
});

test('a key in steady use is not hashed again, and a change of it counts all the same', async () => {
  const held = holding(1);
  const { keys, state } = source(held);
  let hashed = 0;
  const counting = {
    hash(key: string) {
      hashed += 1;
      return hasher.hash(key);
    },
  };
  const directory = await KeyDirectoryCache.open(keys, counting);
  const find = () => directory.find(secretOf(1), NOW) as Exclude<ReturnType<typeof directory.find>, Promise<unknown>>;
  for (let n = 0; n < 5; n += 1) assert.equal(find().status, 'ok');
  assert.equal(hashed, 1);
  assert.equal((directory.find(`${secretOf(1)} `, NOW) as { status: string }).status, 'unknown', 'another key');

  const hash = hasher.hash(secretOf(1));
  held.set(hash, { ...held.get(hash)!, key: { ...keyOf(1), revokedAt: NOW } });
  await directory.changed([{ seq: 1, topic: 'account', subject: 'acc_1' }]);
  assert.equal(find().status, 'revoked');
  held.set(hash, { ...held.get(hash)!, key: keyOf(1) });
  await directory.changed('everything');
  assert.equal(find().status, 'ok');
  held.delete(hash);
  await directory.changed('everything');
  assert.equal(find().status, 'unknown');
  assert.equal(state.asked, 4);
});

test('a key is remembered once it was found and while its question is under way, and not before', async () => {
  const { keys, state } = source(holding(1));
  let open = (): void => {};
  state.gate = new Promise((resolve) => (open = resolve));
  const directory = await KeyDirectoryCache.open(keys, hasher);
  assert.equal(directory.remembered(secretOf(1), NOW), undefined);
  const finding = directory.find(secretOf(1), NOW);
  const joined = directory.remembered(secretOf(1), NOW);
  assert.ok(joined instanceof Promise);
  open();
  assert.deepEqual([((await finding) as KeyVerdict).status, (await joined).status, state.asked], ['ok', 'ok', 1]);
  const known = directory.remembered(secretOf(1), NOW);
  assert.ok(known !== undefined && !(known instanceof Promise) && known.status === 'ok');
});
