/** Two real nodes on one PostgreSQL and one Redis: promises to a caller when the service is more than one machine. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from 'pg';
import { type Accounts, openAccounts } from '../../src/adapters/accounts/open-accounts.ts';
import { DAY_MS, unixMs } from '../../src/core/units.ts';
import { createAccount, setAccount } from '../../src/service/accounts/account.ts';
import type { AccountChanges, By } from '../../src/service/accounts/account-store.ts';
import { createKey, type KeyOptions, revokeKey } from '../../src/service/accounts/keys.ts';
import { eventually } from '../support/eventually.ts';
import { MANY_ANONYMOUS } from '../support/pulse-environment.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { type Stores, sharedStores } from '../support/stores.ts';

const SECRET = 'one-secret-for-every-node-of-the-test';

let why: string | undefined;
let stores: Stores | undefined;
let accounts: Accounts | undefined;
const nodes: ServeProcess[] = [];

const start = (): Promise<ServeProcess> =>
  serveProcess({
    env: {
      ...stores!.env,
      ...MANY_ANONYMOUS,
      PULSE_SECRET: SECRET,
      PULSE_PHONE: 'on',
      PULSE_QUOTA_TZ: 'Etc/UTC',
    },
    clockAt: Date.now(),
  });

before(async () => {
  const started = await sharedStores();
  if ('skip' in started) {
    why = started.skip;
    return;
  }
  stores = started;
  // Both start on an empty database: their migrations meet.
  nodes.push(...(await Promise.all([start(), start()])));
  accounts = await openAccounts({ dataDir: '/nonexistent', databaseUrl: stores.databaseUrl, secret: SECRET });
});
after(async () => {
  for (const node of nodes) await node.dispose();
  await accounts?.close();
});

const by = (): By => ({ actor: 'cli', at: unixMs(Date.now()) });
let serial = 0;
async function newKey(changes: AccountChanges = {}, rights: Partial<Pick<KeyOptions, 'evidence'>> = {}) {
  const { store, hasher } = accounts!;
  serial += 1;
  const { id } = await createAccount(store, { email: `n${serial}@example.com`, plan: 'enterprise' }, by());
  await setAccount(store, id, changes, by());
  const { key, secret } = await createKey(store, hasher, { accountId: id, ...rights }, by());
  return { accountId: id, keyId: key.id, secret };
}

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly remaining: number;
}
async function lookup(node: ServeProcess, secret: string): Promise<Answer> {
  const response = await fetch(`${node.base}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': secret } });
  const body = (await response.json()) as { error?: { code: string } };
  return {
    status: response.status,
    code: body.error?.code,
    remaining: Number(response.headers.get('X-Daily-Remaining') ?? Number.NaN),
  };
}
/** A batch of `count` numbers. */
async function phone(node: ServeProcess, secret: string, count: number) {
  const numbers = Array.from({ length: count }, (_, at) => `+861380013800${at}`);
  const headers = { 'X-API-Key': secret, 'Content-Type': 'application/json' };
  const response = await fetch(`${node.base}/v1/phone/batch`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ numbers }),
  });
  const body = (await response.json()) as { error?: { code: string } };
  return { status: response.status, code: body.error?.code };
}
async function me(node: ServeProcess, secret: string): Promise<{ readonly used_today: number }> {
  return (await (await fetch(`${node.base}/v1/me`, { headers: { 'X-API-Key': secret } })).json()) as {
    used_today: number;
  };
}

describe('two nodes', () => {
  const guarantee = (title: string, body: (a: ServeProcess, b: ServeProcess) => Promise<void>): void => {
    test(title, async (t) => {
      if (why !== undefined) return t.skip(why);
      await body(nodes[0]!, nodes[1]!);
    });
  };

  guarantee('the day is one for both: never one lookup more than allowed, and not one less', async (a, b) => {
    const { secret } = await newKey({ perDay: 50, overagePct: 0, perMin: 100_000 });
    const answers = await Promise.all(Array.from({ length: 100 }, (_, at) => lookup(at % 2 ? a : b, secret)));
    const answered = answers.filter(({ status }) => status === 200);
    assert.equal(answered.length, 50);
    assert.deepEqual(
      answered.map(({ remaining }) => remaining).sort((x, y) => x - y),
      Array.from({ length: 50 }, (_, remaining) => remaining),
    );
    assert.deepEqual(
      new Set(answers.filter(({ status }) => status !== 200).map(({ code }) => code)),
      new Set(['quota_exceeded']),
    );
    assert.deepEqual([(await me(a, secret)).used_today, (await me(b, secret)).used_today], [50, 50]);
  });

  guarantee('a key made anywhere works everywhere, and its revocation within two seconds', async (a, b) => {
    const { keyId, secret } = await newKey();
    assert.deepEqual([(await lookup(a, secret)).status, (await lookup(b, secret)).status], [200, 200]);
    await revokeKey(accounts!.store, keyId, by());
    for (const node of [a, b]) await eventually(async () => (await lookup(node, secret)).code === 'revoked_key');
  });

  guarantee('changed limits hold on both within two seconds', async (a, b) => {
    const { store } = accounts!;
    const { accountId, secret } = await newKey();
    for (const node of [a, b]) assert.equal((await lookup(node, secret)).status, 200);
    await setAccount(store, accountId, { perDay: 0, overagePct: 0 }, by());
    for (const node of [a, b]) await eventually(async () => (await lookup(node, secret)).code === 'quota_exceeded');
  });

  for (const empty of [false, true])
    guarantee(
      `with Redis gone both nodes go on from the count they know, and when it is back ${empty ? 'empty' : 'as it was'} all of it counts`,
      async (a, b) => {
        const { secret } = await newKey({ perMin: 100_000, perDay: 60, overagePct: 0 });
        const answered = async (node: ServeProcess, times: number): Promise<number> => {
          let [count, n] = [0, 0];
          for (; n < times; n += 1) if ((await lookup(node, secret)).status === 200) count += 1;
          return count;
        };
        assert.deepEqual([await answered(a, 1), await answered(b, 25), await answered(a, 25)], [1, 25, 25]);
        await stores!.redis.stop();
        assert.equal(await answered(a, 5), 5);
        assert.equal(await answered(b, 50), 34, 'of the 60 it knows 26 to be used');
        await stores!.redis.start(empty);
        await eventually(
          async () => (await me(a, secret)).used_today === 90 && (await me(b, secret)).used_today === 90,
        );
        assert.deepEqual([await answered(a, 3), await answered(b, 3)], [0, 0]);
      },
    );

  guarantee('with Redis gone phone lookups are refused and free; numbers are one count for both', async (a, b) => {
    const { secret } = await newKey({ phone: true, phonePerDay: 5, perMin: 100_000 });
    assert.deepEqual([(await phone(a, secret, 2)).status, (await phone(b, secret, 3)).status], [200, 200]);
    assert.deepEqual(
      [(await phone(a, secret, 1)).code, (await phone(b, secret, 1)).code],
      ['quota_exceeded', 'quota_exceeded'],
    );
    await stores!.redis.stop();
    for (const node of [a, b])
      assert.deepEqual(await phone(node, secret, 1), { status: 503, code: 'quota_unavailable' });
    await stores!.redis.start();
    for (const node of [a, b]) await eventually(async () => (await phone(node, secret, 1)).code === 'quota_exceeded');
    const body = (await (await fetch(`${b.base}/v1/me`, { headers: { 'X-API-Key': secret } })).json()) as {
      capabilities: { phone: unknown };
    };
    assert.deepEqual(body.capabilities.phone, { used_today: 5, refunded_today: 0, remaining: 0 });
  });

  guarantee('with PostgreSQL gone known keys are served, unknown ones come back, and both recover', async (a, b) => {
    const known = await newKey();
    const fresh = await newKey();
    await setAccount(accounts!.store, known.accountId, { perDay: 77 }, by());
    // A node may read the new plan before it receives the change itself, and forgets the key once more then:
    // that try is made again.
    await eventually(async () => {
      for (const node of [a, b]) await eventually(async () => (await lookup(node, known.secret)).remaining < 77);
      await stores!.postgres.stop();
      const statuses = [(await lookup(a, known.secret)).status, (await lookup(b, known.secret)).status];
      if (statuses.every((status) => status === 200)) return true;
      await stores!.postgres.start();
      return false;
    });
    for (const node of [a, b])
      assert.deepEqual((({ status, code }) => [status, code])(await lookup(node, fresh.secret)), [503, 'not_ready']);
    await stores!.postgres.start();
    for (const node of [a, b]) await eventually(async () => (await lookup(node, fresh.secret)).status === 200);
    await revokeKey(accounts!.store, known.keyId, by());
    for (const node of [a, b]) await eventually(async () => (await lookup(node, known.secret)).code === 'revoked_key');
  });

  guarantee(
    'a clock 90 s ahead is in log, metrics and status, and 60 a minute stay 60 over both nodes',
    async (a, b) => {
      await b.moveClock(90_000);
      const status = async (): Promise<unknown> =>
        ((await (await fetch(`${b.base}/console/api/status`)).json()) as { clocks: unknown }).clocks;
      const offset = async (store: string): Promise<number> =>
        Number(new RegExp(`^pulse_clock_offset_seconds\\{store="${store}"\\} (.*)$`, 'm').exec(await b.metrics())?.[1]);
      for (let begun = -1; begun !== Math.floor(Date.now() / 60_000); ) {
        const { secret } = await newKey({ perMin: 60 });
        begun = Math.floor(Date.now() / 60_000);
        const answers = await Promise.all(Array.from({ length: 140 }, (_, n) => lookup(n % 2 ? a : b, secret)));
        if (begun !== Math.floor(Date.now() / 60_000)) continue;
        assert.equal(answers.filter((answer) => answer.status === 200).length, 60);
        assert.ok(answers.every(({ status, code }) => status === 200 || code === 'rate_limited'));
      }
      for (const [name, store] of [
        ['PostgreSQL', 'postgresql'],
        ['Redis', 'redis'],
      ] as const) {
        await eventually(() => new RegExp(`this clock is (8\\d|90) s ahead of ${name}:`).test(b.output()), {
          withinMs: 30_000,
          hint: b.output,
        });
        await eventually(async () => Math.abs((await offset(store)) + 85) <= 5);
        assert.match(JSON.stringify(await eventually(status)), new RegExp(`"store":"${name}","offset_sec":-(8\\d|90)`));
        assert.equal(b.output().split(`ahead of ${name}`).length, 2, 'one line a change');
      }
      assert.doesNotMatch(a.output(), /this clock/);
      await b.moveClock(-90_000);
      await eventually(async () => Math.abs(await offset('redis')) < 1 && JSON.stringify(await status()) === '[]', {
        withinMs: 30_000,
      });
    },
  );

  guarantee('at midnight of the quota zone both begin a new day at once, with nothing carried over', async (a, b) => {
    const { secret } = await newKey({ perDay: 10, overagePct: 0 });
    const pair = [a, b];
    const midnight = (Math.floor(a.now() / DAY_MS) + 1) * DAY_MS;
    for (const node of pair) await node.moveClock(midnight - 60_000 - node.now());
    for (let n = 9; n >= 0; n -= 1) {
      const { status, remaining } = await lookup(pair[n % 2]!, secret);
      assert.deepEqual([status, remaining], [200, n]);
    }
    for (const node of pair) assert.equal((await lookup(node, secret)).code, 'quota_exceeded');
    assert.ok(
      pair.every((node) => node.now() < midnight),
      'it was before midnight',
    );
    for (const node of pair) await node.moveClock(midnight + 100 - node.now());
    assert.deepEqual([(await lookup(a, secret)).remaining, (await lookup(b, secret)).remaining], [9, 8]);
  });

  guarantee('a killed node loses no answered charge and no batch of a sensor; none is taken in twice', async (a, b) => {
    const { secret } = await newKey({ perMin: 100_000 });
    const sensor = await newKey({ operator: true, perMin: 100_000 }, { evidence: 'networks' });
    const capturedAt = new Date(a.now() - 60_000).toISOString();
    const statuses = new Set<number>();
    const captures = Array.from({ length: 20 }, (_, n) =>
      Array.from({ length: 25 }, (_, i) => `45.${60 + (n % 4)}.${n}.${i}`),
    );
    const send = async (node: ServeProcess, n: number) => {
      const lines = captures[n]!.map(
        (ip) => `${JSON.stringify({ ip, risk_type: 'honeypot_scan', captured_at: capturedAt })}\n`,
      );
      const response = await fetch(`${node.base}/v1/evidence?source=sensor-${n % 4}`, {
        method: 'POST',
        headers: {
          'X-API-Key': sensor.secret,
          'Content-Type': 'application/x-ndjson',
          'Idempotency-Key': `batch-${n}`,
        },
        body: lines.join(''),
      });
      statuses.add(response.status);
      return response.status === 202 ? ((await response.json()) as { added: number; replayed?: true }) : undefined;
    };
    /** How often a batch was answered as a new one. */
    const fresh = captures.map(() => 0);
    const taken = new Set<number>();
    const sendOnce = async (node: ServeProcess, n: number): Promise<boolean> => {
      const answer = await send(node, n);
      if (answer === undefined) return false;
      if (answer.replayed !== true) fresh[n]! += 1;
      assert.equal(answer.added, 25, 'every answer is that of the first time');
      if (node === b) taken.add(n);
      return true;
    };
    // A sensor without an answer sends again, here from two places at once.
    let isDead = false;
    const settled = (node: ServeProcess, n: number) =>
      eventually(() => (isDead && node === b) || sendOnce(node, n), { withinMs: 60_000, everyMs: 100 });
    const dying = captures.map((_, n) => settled(b, n));
    await eventually(() => taken.size > 3, { hint: () => `${[...statuses]}` });
    const living = captures.map((_, n) => settled(a, n));
    let answered = 0;
    const asked = Array.from({ length: 150 }, () =>
      lookup(b, secret).then(
        ({ status }) => {
          if (status === 200) answered += 1;
        },
        () => {},
      ),
    );
    await eventually(() => answered > 20);
    await b.kill();
    isDead = true;
    await Promise.all([...asked, ...dying, ...living]);
    await Promise.all(captures.map((_, n) => settled(a, n)));

    const { used_today: used } = await me(a, secret);
    assert.ok(used >= answered && used <= 150, `${used} counted, ${answered} answered`);
    assert.equal((await lookup(a, secret)).status, 200);
    assert.ok(
      fresh.every((times) => times <= 1),
      `taken in: ${fresh}`,
    );
    const unexpected = [...statuses].filter((status) => status !== 202 && status !== 429);
    assert.deepEqual(unexpected, [], 'a charge without room now gets a time to come back');
    const client = new Client({ connectionString: stores!.databaseUrl });
    await client.connect();
    const held = await client.query(
      `select count(*)::int as n from evidence_events e join evidence_tracks t on t.id = e.track join evidence_sources s on s.id = t.source where s.name like 'sensor-%'`,
    );
    const rows = await client.query(
      `select sum(rows)::int as n from evidence_budgets where name like 'key_%' and window_ms = 86400000`,
    );
    await client.end();
    assert.deepEqual([held.rows[0].n, rows.rows[0].n], [500, 500]);
    await eventually(
      async () =>
        ((await (await fetch(`${a.base}/v1/ip/45.63.19.24`)).json()) as { evidence_state: string }).evidence_state ===
        'active',
    );
  });
});
