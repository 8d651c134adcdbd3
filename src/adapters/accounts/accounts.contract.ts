/** Guarantees of every AccountStore and KeyDirectory. accounts.test.ts runs them over each real engine. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Kysely } from 'kysely';
import { covers } from '../../../test/spec/covers.ts';
import { ACCOUNT_CAPS } from '../../core/limits/account-caps.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type UnixMs, unixMs } from '../../core/units.ts';
import { createAccount, deleteAccount, setAccount } from '../../service/accounts/account.ts';
import type { AccountStore, By, CountedEvent } from '../../service/accounts/account-store.ts';
import { AUDIT_DAYS, pruneAudit } from '../../service/accounts/audit.ts';
import { ChangeFeed, type ChangeSource } from '../../service/accounts/change-feed.ts';
import { createKey, type KeyOptions, revokeKey, sendLimits } from '../../service/accounts/keys.ts';
import { type KeyHasher, keyHasher, verifyPassword } from '../../service/accounts/password.ts';
import { Problem } from '../../service/problem.ts';
import { pruneChanges } from '../database/record-change.ts';
import type { Database } from '../database/tables.ts';
import { KeyDirectoryCache, type KeySource } from './key-directory-cache.ts';
import { KyselyAccountStore } from './kysely-account-store.ts';

export interface Engine {
  readonly db: Kysely<Database>;
  /** Creates new readers, like those of another thread or node. */
  readers(): { readonly keys: KeySource; readonly changes: ChangeSource };
  close(): Promise<void>;
}

const T0 = unixMs(Date.UTC(2026, 10, 21, 12));
const by: By = { actor: 'cli', at: T0 };
const later = (ms: number): UnixMs => unixMs(T0 + ms);
const isProblem = (code: string, text: RegExp) => (error: unknown) =>
  error instanceof Problem && error.code === code && text.test(error.message);

/** @param open returns the reason to skip when the engine is not available here */
export function accountsContract(name: string, open: () => Promise<Engine | { readonly skip: string }>): void {
  describe(`accounts on ${name}`, () => {
    let engine: Engine;
    let skip: string | undefined;
    let store: AccountStore;
    let hasher: KeyHasher;
    let serial = 0;
    before(async () => {
      const opened = await open();
      if ('skip' in opened) {
        skip = opened.skip;
        return;
      }
      engine = opened;
      store = new KyselyAccountStore(engine.db);
      hasher = keyHasher(randomBytes(32));
    });
    after(async () => engine?.close());

    const guarantee = (title: string, body: () => Promise<void>): void => {
      test(title, async (t) => {
        if (skip !== undefined) return t.skip(skip);
        await body();
      });
    };
    const create = (wish: Parameters<typeof createAccount>[1], made = by) => createAccount(store, wish, made);
    const makeKey = (accountId: string, options: Omit<KeyOptions, 'accountId'> = {}, made = by) =>
      createKey(store, hasher, { accountId, ...options }, made);
    const stateOf = async (directory: KeyDirectoryCache, secret: string, at: UnixMs) =>
      (await directory.find(secret, at)).status;
    const account = (plan = 'enterprise', more: { readonly phone?: boolean; readonly password?: string } = {}) => {
      serial += 1;
      return create({ email: `someone${serial}@example.com`, plan, ...more });
    };
    const follower = async (maxKeys?: number) => {
      const { keys, changes } = engine.readers();
      const directory = await KeyDirectoryCache.open(keys, hasher, maxKeys === undefined ? {} : { maxKeys });
      const feed = new ChangeFeed(changes);
      feed.subscribe((seen) => directory.changed(seen));
      await feed.poll();
      return { directory, feed };
    };

    guarantee('a deployment starts with the four plans of the interface', async () => {
      covers('LIM-PLAN', 'LIM-FREE-DAY');
      const plans = new Map((await store.plans()).map((plan) => [plan.name, plan]));
      assert.deepEqual(plans.get('free'), {
        name: 'free',
        perMin: 60,
        perDay: 5000,
        overagePct: 0,
        dataTier: 'basic',
        phoneEligible: false,
        phonePerMin: 0,
        phonePerDay: 0,
      });
      assert.deepEqual(plans.get('professional'), {
        ...plans.get('free')!,
        name: 'professional',
        perMin: 600,
        perDay: 100_000,
        overagePct: 10,
        dataTier: 'professional',
      });
      assert.deepEqual(plans.get('enterprise'), {
        name: 'enterprise',
        perMin: 6000,
        perDay: 2_000_000,
        overagePct: 10,
        dataTier: 'professional',
        phoneEligible: true,
        phonePerMin: 10_000,
        phonePerDay: 100_000,
      });
      assert.deepEqual(plans.get('private'), { ...plans.get('enterprise')!, name: 'private' });
    });

    guarantee('an account is found by id, with its plan applied and its address in lower case', async () => {
      const made = await create({ email: '  Someone.Else@Example.com ', plan: 'professional', dpa: true });
      assert.match(made.id, /^acc_[0-9a-z]{16}$/);
      assert.equal(made.email, 'someone.else@example.com');
      assert.deepEqual(await store.account(made.id), made);
      assert.deepEqual(
        [made.perMin, made.perDay, made.dataTier, made.dpa, made.phoneEnabled, made.createdAt],
        [600, 100_000, 'professional', true, false, T0],
      );
      assert.equal(await store.account('acc_none'), undefined);
    });

    guarantee('an operator is found by the mark, and sees everything unless another plan is named', async () => {
      await create({ email: 'visitor@example.com' });
      const before = await store.hasOperator();
      const { plan, dpa, phone } = await create({ email: 'the-operator@example.com', operator: true });
      assert.deepEqual([before, await store.hasOperator(), plan, dpa, phone], [false, true, 'private', true, true]);
      const named = await create({ email: 'on-free@example.com', operator: true, plan: 'free', dpa: false });
      assert.deepEqual([named.plan, named.dpa], ['free', false]);
    });

    guarantee('an address has one account, also when two are made at once', async () => {
      const attempts = await Promise.allSettled(
        Array.from({ length: 4 }, (_, at) => create({ email: at % 2 ? 'Twice@example.com' : 'twice@example.com' })),
      );
      assert.equal(attempts.filter(({ status }) => status === 'fulfilled').length, 1);
      await assert.rejects(create({ email: 'twice@example.com' }), isProblem('bad_request', /already/));
    });

    guarantee('a broken address, an unknown plan and a weak password leave nothing behind', async () => {
      const before = (await store.accounts()).length;
      for (const email of [
        '',
        'nobody',
        '@example.com',
        'a@',
        'a b@example.com',
        'a@b@c',
        'a@example.com\n.x',
        `${'a'.repeat(250)}@example.com`,
      ])
        await assert.rejects(create({ email }), isProblem('bad_request', /address/), email);
      await assert.rejects(
        create({ email: 'x@example.com', plan: 'gold' }),
        isProblem('bad_request', /"gold".*enterprise/),
      );
      await assert.rejects(
        create({ email: 'x@example.com', password: 'short' }),
        isProblem('bad_request', /too short/),
      );
      assert.equal((await store.accounts()).length, before);
    });

    guarantee('a password is kept as argon2id and never comes along with an account', async () => {
      const made = await account('free', { password: 'correct horse battery' });
      const hash = await store.passwordHash(made.id);
      assert.match(hash ?? '', /^\$argon2id\$/);
      assert.equal(await verifyPassword('correct horse battery', hash), true);
      assert.doesNotMatch(JSON.stringify([made, await store.accounts()]), /argon2/);
      assert.equal(await store.setPasswordHash(made.id, 'other', by), true);
      assert.equal(await store.passwordHash(made.id), 'other');
      assert.equal(await store.setPasswordHash('acc_none', 'other', by), false);
      assert.equal(await store.passwordHash('acc_none'), undefined);
    });

    guarantee('overrides replace the plan and outlive it, zero counts, and null sets them back', async () => {
      const { id } = await account('free');
      const changed = await setAccount(
        store,
        id,
        { perMin: 7, perDay: 0, overagePct: 25, historyDays: 90, dpa: true },
        by,
      );
      assert.deepEqual(
        [changed.perMin, changed.perDay, changed.overagePct, changed.historyDays, changed.dpa],
        [7, 0, 25, 90, true],
      );
      const moved = await setAccount(store, id, { plan: 'enterprise', phone: true }, by);
      assert.deepEqual([moved.perMin, moved.perDay, moved.phonePerDay, moved.phoneEnabled], [7, 0, 100_000, true]);
      const back = await setAccount(
        store,
        id,
        { perMin: null, perDay: null, overagePct: null, historyDays: null, dpa: false, phone: false },
        by,
      );
      assert.deepEqual(
        [back.perMin, back.perDay, back.overagePct, back.dpa, back.phoneEnabled, 'historyDays' in back],
        [6000, 2_000_000, 10, false, false, false],
      );
      assert.deepEqual(back.overrides, {});
    });

    guarantee('a change of a missing row is refused', async () => {
      const { id } = await account('free');
      await assert.rejects(setAccount(store, 'acc_none', { perDay: 1 }, by), isProblem('not_found', /acc_none/));
      await assert.rejects(setAccount(store, 'acc_none', {}, by), isProblem('not_found', /acc_none/));
      await assert.rejects(setAccount(store, id, { plan: 'gold', perDay: 1 }, by), isProblem('bad_request', /gold/));
      assert.equal((await store.account(id))?.perDay, 5000);
      await assert.rejects(makeKey('acc_none'), isProblem('not_found', /acc_none/));
      await assert.rejects(revokeKey(store, 'key_none', by), isProblem('not_found', /key_none/));
    });

    guarantee('a key is shown once: the store holds its keyed hash and prefix, never its text', async () => {
      const { id } = await account();
      const { key, secret } = await makeKey(id, {
        name: ' import job ',
        perDay: 10,
        expiresAt: later(1000),
        phone: false,
      });
      assert.deepEqual(await store.keys(id), [key]);
      assert.deepEqual(key, {
        id: key.id,
        accountId: id,
        name: 'import job',
        prefix: secret.slice(0, 9),
        perDay: 10,
        expiresAt: later(1000),
        phone: false,
        createdAt: T0,
      });
      const rows = await engine.db.selectFrom('api_keys').selectAll().where('id', '=', key.id).execute();
      assert.doesNotMatch(JSON.stringify([rows, await store.audit({ limit: 1000 })]), new RegExp(secret.slice(9)));
      assert.equal(rows[0]?.hash, hasher.hash(secret));
    });

    guarantee('a send-only key has its limits and no phone capability; operators alone have one', async () => {
      const sends = sendLimits('sensor-1', () => undefined, ['proxy', 'honeypot_scan', 'proxy'], true);
      assert.deepEqual(sends, { source: 'sensor-1', kinds: ['proxy', 'honeypot_scan'], prefixes: true });
      const { id } = await account();
      await assert.rejects(makeKey(id, { sends }), isProblem('bad_request', /operator/));
      assert.deepEqual(await store.keys(id), []);
      const operator = await create({ email: 'sensors@example.com', operator: true });
      const { key, secret } = await makeKey(operator.id, { sends, phone: true });
      assert.deepEqual([key.sends, key.phone], [sends, false]);
      assert.deepEqual(await store.keys(operator.id), [key]);
      const { directory } = await follower();
      const verdict = await directory.find(secret, T0);
      assert.deepEqual(verdict.status === 'ok' && verdict.key.sends, sends);
      const { key: usual } = await makeKey(operator.id);
      assert.equal('sends' in usual, false);
    });

    guarantee('a key may write evidence when it was made so, and operators alone have one', async () => {
      const { id } = await account();
      await assert.rejects(makeKey(id, { evidence: 'addresses' }), isProblem('bad_request', /operator/));
      const operator = await create({ email: 'writers@example.com', operator: true });
      const { directory } = await follower();
      for (const evidence of ['addresses', 'networks'] as const) {
        const { key, secret } = await makeKey(operator.id, { evidence });
        const verdict = await directory.find(secret, T0);
        assert.deepEqual([key.evidence, verdict.status === 'ok' && verdict.key.evidence], [evidence, evidence]);
      }
      const { key: usual } = await makeKey(operator.id);
      assert.equal('evidence' in usual, false);
    });

    guarantee('a key whose name could act on a terminal is refused, and nothing is made', async () => {
      const { id } = await account();
      for (const name of ['\u001b[2J', 'a\nkey_1', '\u202egpj', '\u009b1m'])
        await assert.rejects(makeKey(id, { name }), isProblem('bad_request', /not seen/), JSON.stringify(name));
      assert.deepEqual(await store.keys(id), []);
      await assert.rejects(create({ email: 'a\u202eb@example.com' }), isProblem('bad_request', /address/));
    });

    guarantee('a user has 100 active keys, makes 20 an hour and 1,000 in all, also all at once', async () => {
      const { id } = await account();
      const make = (at: UnixMs) => makeKey(id, {}, { actor: `user:${id}`, at });
      const atOnce = await Promise.allSettled(Array.from({ length: 25 }, () => make(T0)));
      assert.equal(atOnce.filter(({ status }) => status === 'fulfilled').length, 20);
      assert.equal((await store.keys(id)).length, 20);
      await assert.rejects(
        make(later(HOUR_MS - 1)),
        (error) => isProblem('rate_limited', /20 keys an hour/)(error) && (error as Problem).extras.retry_after === 1,
      );
      for (let hour = 1; hour < 5; hour += 1) for (let n = 0; n < 20; n += 1) await make(later(hour * HOUR_MS));
      await assert.rejects(make(later(9 * HOUR_MS)), isProblem('bad_request', /100 active/));
      await makeKey(id, {}, { actor: 'cli', at: later(9 * HOUR_MS) });
      for (const { id: key } of await store.keys(id)) await revokeKey(store, key, by);
      await make(later(20 * HOUR_MS));
      const audited = await store.audit({ subject: id, limit: 1000 });
      assert.equal(
        audited.filter(({ action }) => action === 'key.create').length,
        102,
        'a refusal is not in the audit log',
      );
      const [row] = await engine.db.selectFrom('api_keys').selectAll().where('account_id', '=', id).limit(1).execute();
      const more = Array.from({ length: 898 }, (_, n) => ({
        ...row!,
        id: `${row!.id}${n}`,
        hash: `${row!.hash}${n}`,
      }));
      for (let at = 0; at < more.length; at += 400)
        await engine.db
          .insertInto('api_keys')
          .values(more.slice(at, at + 400))
          .execute();
      await assert.rejects(make(later(90 * HOUR_MS)), isProblem('bad_request', /1000 keys/));
    });

    guarantee('a key works at once in a directory that was there before it', async () => {
      const { directory } = await follower();
      const { id } = await account();
      const { key, secret } = await makeKey(id);
      const verdict = await directory.find(secret, T0);
      assert.equal(verdict.status, 'ok');
      assert.ok(
        verdict.status === 'ok' &&
          verdict.key.id === key.id &&
          verdict.account.id === id &&
          verdict.account.perMin === 6000,
      );
      assert.equal((await directory.account(id))?.id, id);
      assert.equal(await directory.account('acc_none'), undefined);
    });

    guarantee('a revoked key is refused after the next poll, and the other keys of its account stay', async () => {
      const { directory, feed } = await follower();
      const { id } = await account();
      const [first, second] = [await makeKey(id), await makeKey(id)];
      assert.equal(await stateOf(directory, first.secret, T0), 'ok');
      assert.equal(await stateOf(directory, second.secret, T0), 'ok');
      const revoked = await revokeKey(store, first.key.id, { actor: 'cli', at: later(10) });
      assert.equal(revoked.revokedAt, later(10));
      await feed.poll();
      assert.equal(await stateOf(directory, first.secret, later(20)), 'revoked');
      assert.equal(await stateOf(directory, second.secret, later(20)), 'ok');
      assert.equal(
        (await revokeKey(store, first.key.id, { actor: 'cli', at: later(99) })).revokedAt,
        later(10),
        'revoking again keeps the first moment',
      );
    });

    guarantee('a key of another account cannot be revoked by its id', async () => {
      const { key } = await makeKey((await account()).id);
      const stranger = await account();
      await assert.rejects(revokeKey(store, key.id, by, stranger.id), isProblem('not_found', /key_/));
      assert.equal((await store.keys(key.accountId))[0]?.revokedAt, undefined);
    });

    guarantee('a cached key expires at its moment without any poll', async () => {
      const { directory } = await follower();
      const { secret } = await makeKey((await account()).id, { expiresAt: later(1000) });
      assert.equal(await stateOf(directory, secret, later(999)), 'ok');
      assert.equal(await stateOf(directory, secret, later(1000)), 'expired');
    });

    guarantee('changed limits, a changed plan and a disabled account are seen after the next poll', async () => {
      const { directory, feed } = await follower();
      const { id } = await account();
      const { secret } = await makeKey(id);
      const perDay = async () => {
        await feed.poll();
        const verdict = await directory.find(secret, T0);
        return verdict.status === 'ok' ? verdict.account.perDay : verdict.status;
      };
      assert.equal(await perDay(), 2_000_000);
      await setAccount(store, id, { plan: 'professional' }, by);
      assert.equal(await perDay(), 100_000);
      const professional = (await store.plans()).find(({ name }) => name === 'professional')!;
      await store.putPlan({ ...professional, perDay: 123 }, by);
      assert.equal(await perDay(), 123);
      assert.equal(directory.plans().find(({ name }) => name === 'professional')?.perDay, 123);
      await store.putPlan(professional, by);
      await setAccount(store, id, { disabled: true }, by);
      assert.equal(await perDay(), 'revoked');
      await setAccount(store, id, { disabled: false }, by);
      assert.equal(await perDay(), 100_000);
    });

    guarantee('a plan of the operator can be added and used', async () => {
      await store.putPlan(
        {
          name: 'tiny',
          perMin: 1,
          perDay: 2,
          overagePct: 0,
          dataTier: 'basic',
          phoneEligible: false,
          phonePerMin: 0,
          phonePerDay: 0,
        },
        by,
      );
      assert.equal((await account('tiny')).perDay, 2);
    });

    guarantee('a follower that missed pruned changes forgets everything rather than something', async () => {
      const { directory, feed } = await follower();
      const { id } = await account();
      const { key, secret } = await makeKey(id);
      await feed.poll();
      assert.equal(await stateOf(directory, secret, T0), 'ok');
      await revokeKey(store, key.id, by);
      await setAccount(store, id, { dpa: true }, { actor: 'cli', at: later(5) });
      await pruneChanges(engine.db, later(5));
      await feed.poll();
      assert.equal(await stateOf(directory, secret, later(1)), 'revoked');
    });

    guarantee('a key stays revocable when its account was crowded out of the memory', async () => {
      const { directory, feed } = await follower(4);
      const made = [];
      for (let at = 0; at < 6; at += 1) made.push(await makeKey((await account()).id));
      for (const { secret } of made) {
        await directory.find(secret, T0);
        assert.equal(await stateOf(directory, made[0]!.secret, T0), 'ok');
      }
      await revokeKey(store, made[0]!.key.id, by);
      await feed.poll();
      assert.equal(await stateOf(directory, made[0]!.secret, later(1)), 'revoked');
    });

    guarantee('the log records actor, change and time, newest first', async () => {
      const { id } = await account('free');
      const { key } = await makeKey(id, {}, { actor: `user:${id}`, at: later(1) });
      await revokeKey(store, key.id, { actor: 'operator:acc_op', at: later(2) });
      await setAccount(store, id, { perDay: 9 }, { actor: 'cli', at: later(3) });
      const log = await store.audit({ subject: id, limit: 10 });
      assert.deepEqual(
        log.map(({ actor, action, at }) => [actor, action, at - T0]),
        [
          ['cli', 'account.set', 3],
          ['operator:acc_op', 'key.revoke', 2],
          [`user:${id}`, 'key.create', 1],
          ['cli', 'account.create', 0],
        ],
      );
      assert.deepEqual(log[0]?.detail, { perDay: 9 });
      assert.equal((await store.audit({ subject: id, limit: 2 })).length, 2);
    });

    guarantee('audit rows of one holder are bounded a day, those that take access away apart', async () => {
      const [busy, other] = [await account(), await account()];
      const as = (id: string, at: UnixMs): By => ({ actor: `user:${id}`, at });
      const change = (id: string, at: UnixMs) => store.note('factor.rename', id, {}, as(id, at));
      const revocable = [await makeKey(busy.id), await makeKey(busy.id)];
      // The write is dated ahead by a clock that was put back since. If it counted, the account would have to
      // wait for it.
      await change(busy.id, later(3 * DAY_MS));
      for (let n = 0; n < ACCOUNT_CAPS.changesADay; n += 1) await change(busy.id, later(n * MINUTE_MS));
      const full = later(ACCOUNT_CAPS.changesADay * MINUTE_MS);
      const rows = async () => (await store.audit({ limit: 100_000 })).length;
      const before = [await rows(), (await store.keys(busy.id)).length];
      const refused = isProblem('rate_limited', /Too many/);
      await assert.rejects(change(busy.id, full), refused);
      await assert.rejects(makeKey(busy.id, {}, as(busy.id, full)), (error: unknown) => {
        assert.ok(refused(error) && error instanceof Problem);
        return error.extras.retry_after === (DAY_MS - ACCOUNT_CAPS.changesADay * MINUTE_MS) / 1000;
      });
      assert.deepEqual([await rows(), (await store.keys(busy.id)).length], before);
      assert.notEqual((await revokeKey(store, revocable[0]!.key.id, as(busy.id, full))).revokedAt, undefined);
      await setAccount(store, busy.id, { perDay: 9 }, { actor: 'operator:acc_op', at: full });
      await change(other.id, full);
      await change(busy.id, later(DAY_MS));
      await assert.rejects(change(busy.id, later(DAY_MS)), refused, 'only the oldest row has left the 24 hours');
    });

    guarantee('many changes of one holder at once stop at the cap', async () => {
      const { id } = await account();
      for (let n = 0; n < ACCOUNT_CAPS.changesADay - 2; n += 1)
        await store.note('factor.rename', id, {}, { actor: `user:${id}`, at: T0 });
      const outcomes = await Promise.allSettled(
        Array.from({ length: 6 }, () => store.note('factor.rename', id, {}, { actor: `user:${id}`, at: T0 })),
      );
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 2);
    });

    guarantee('the log is read page by page, each row once', async () => {
      const { id } = await account();
      for (let n = 0; n < 5; n += 1) await store.note('page', id, { n }, by);
      const pages: number[][] = [];
      for (let before: number | undefined; pages.length < 4; ) {
        const rows = await store.audit({ subject: id, limit: 3, ...(before !== undefined && { before }) });
        pages.push(rows.map(({ detail }) => Number(detail['n'] ?? -1)));
        before = rows.at(-1)?.seq ?? 0;
      }
      assert.deepEqual(pages, [[4, 3, 2], [1, 0, -1], [], []]);
    });

    guarantee('a change of something that is kept elsewhere is noted in the log', async () => {
      await store.note('feed.accept', 'some-list', { rows: 3 }, { actor: 'operator:acc_op', at: later(4) });
      const [entry] = await store.audit({ subject: 'some-list', limit: 10 });
      assert.deepEqual([entry?.actor, entry?.action, entry?.detail], ['operator:acc_op', 'feed.accept', { rows: 3 }]);
    });

    guarantee(
      'counted events are one row an actor, subject, detail and hour, which moves to the end of the log',
      async () => {
        const { id } = await create({ email: 'counted@example.com' });
        const event = (at: UnixMs, reason = 'password', more: Partial<CountedEvent> = {}): CountedEvent => ({
          action: 'session.refuse',
          actor: 'anonymous',
          subject: id,
          detail: { reason },
          counts: { count: 2 },
          at,
          ...more,
        });
        await store.countEvents([event(T0), event(T0, 'factor'), event(later(1000))]);
        await Promise.all(Array.from({ length: 5 }, (_, n) => store.countEvents([event(later(2000 + n))])));
        const rows = await store.audit({ subject: id, limit: 10 });
        const details = rows.map(({ detail }) => detail);
        assert.deepEqual(details.slice(0, 2), [
          { reason: 'password', count: 14, since: T0 },
          { reason: 'factor', count: 2, since: T0 },
        ]);
        assert.equal(rows.length, 3, 'and the row of the account itself');
        assert.deepEqual(await store.auditAfter(rows[1]!.seq, 10), [rows[0]]);
        await store.countEvents([event(later(HOUR_MS)), event(later(HOUR_MS), 'password', { actor: `user:${id}` })]);
        assert.equal((await store.audit({ subject: id, limit: 10 })).length, 5);
        await deleteAccount(store, id, by);
        await store.countEvents([event(later(2 * HOUR_MS), 'password', { detail: { country: 'DE' } })]);
        const kept = JSON.stringify((await store.audit({ subject: id, limit: 10 })).map(({ detail }) => detail));
        assert.doesNotMatch(kept, /DE|password/, 'nothing but counts of an account that is gone');
      },
    );

    guarantee('a cursor of the audit log is moved by one of several followers', async () => {
      assert.equal(await store.auditCursor('one'), undefined);
      const begun = await Promise.all([1, 2, 3].map(() => store.moveAuditCursor('one', undefined, 5)));
      assert.deepEqual(begun.toSorted(), [false, false, true]);
      const moved = await Promise.all([1, 2, 3].map(() => store.moveAuditCursor('one', 5, 9)));
      assert.deepEqual(moved.toSorted(), [false, false, true]);
      assert.equal(await store.moveAuditCursor('one', 5, 10), false);
      assert.equal(await store.auditCursor('one'), 9);
    });

    guarantee('a deleted account is gone with all of it, and its audit rows name no person', async () => {
      const { directory, feed } = await follower();
      const [gone, stays] = [await account('enterprise', { password: 'a long enough one' }), await account()];
      const [key, other] = [await makeKey(gone.id, { name: 'checkout' }), await makeKey(stays.id)];
      assert.equal(await stateOf(directory, key.secret, T0), 'ok');
      const session = {
        account_id: gone.id,
        created_at: T0,
        expires_at: later(HOUR_MS),
        amr: 'pwd',
        seen_at: T0,
        agent: '',
        authenticated_at: T0,
      };
      await engine.db
        .insertInto('sessions')
        .values([{ ...session, id: `s-${gone.id}` }])
        .execute();
      const grant = {
        kind: 'Grant',
        payload: '{}',
        grant_id: null,
        client_id: 'c',
        uid: null,
        consumed_at: null,
        created_at: T0,
        expires_at: null,
        last_used_at: null,
      };
      await engine.db
        .insertInto('oauth_rows')
        .values({ ...grant, id: `g-${gone.id}`, account_id: gone.id })
        .execute();
      await engine.db
        .insertInto('mail_links')
        .values({
          id: `l-${gone.id}`,
          purpose: 'reset',
          email: gone.email,
          payload: '{}',
          created_at: T0,
          expires_at: later(HOUR_MS),
        })
        .execute();
      await deleteAccount(store, gone.id, by);
      await feed.poll();
      assert.equal(await stateOf(directory, key.secret, later(2000)), 'unknown');
      assert.equal(await stateOf(directory, other.secret, later(2000)), 'ok');
      assert.equal(await store.account(gone.id), undefined);
      for (const table of ['sessions', 'oauth_rows', 'api_keys'] as const)
        assert.deepEqual(
          await engine.db.selectFrom(table).select('id').where('account_id', '=', gone.id).execute(),
          [],
          table,
        );
      assert.deepEqual(
        await engine.db.selectFrom('mail_links').select('id').where('email', '=', gone.email).execute(),
        [],
      );
      const rows = await store.audit({ limit: 1000 });
      assert.doesNotMatch(JSON.stringify(rows), new RegExp(`${gone.email}"|${key.key.prefix}`));
      assert.deepEqual(
        rows.filter(({ subject }) => subject === gone.id).map(({ action }) => action),
        ['account.delete', 'key.create', 'account.create'],
      );
      assert.equal((await create({ email: gone.email })).email, gone.email, 'the address is free');
      await assert.rejects(deleteAccount(store, gone.id, by), isProblem('not_found', new RegExp(gone.id)));
    });

    guarantee('accounts are found by a part of their address or their id, page by page, each once', async () => {
      const made = [];
      // Two accounts of one moment lie on both sides of a page's end.
      for (const [n, at] of [later(1), later(2), later(2), later(3), later(4)].entries())
        made.push(await create({ email: `p${n}.50%_off\\@paged.example` }, { actor: 'cli', at }));
      const pages: string[][] = [];
      for (let after: string | undefined; pages.length < 9; ) {
        const page = await store.findAccounts({
          search: '@PAGED.example',
          limit: 2,
          ...(after === undefined ? {} : { after }),
        });
        pages.push(page.accounts.map(({ id }) => id));
        after = page.next;
        if (after === undefined) break;
      }
      const lengths = pages.map((page) => page.length);
      assert.deepEqual(lengths, [2, 2, 1]);
      const newestFirst = made
        .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
        .map(({ id }) => id);
      assert.deepEqual(pages.flat(), newestFirst);
      const found = async (search: string) => (await store.findAccounts({ search, limit: 10 })).accounts.length;
      assert.deepEqual(
        [
          await found(made[0]!.id),
          await found('50%_off\\@'),
          await found('5%paged'),
          await found('p_.50'),
          await found("' or 1=1"),
        ],
        [1, 5, 0, 0, 0],
      );
      assert.equal((await store.findAccounts({ limit: 3 })).accounts.length, 3);
      const paid = await create({ email: 'paid@paged.example', plan: 'enterprise' }, { actor: 'cli', at: later(5) });
      const ofPlan = async (plan: string) =>
        (await store.findAccounts({ search: '@paged.example', plan, limit: 10 })).accounts.map(({ id }) => id);
      assert.deepEqual(
        [await ofPlan('enterprise'), (await ofPlan('free')).length, await ofPlan('none')],
        [[paid.id], 5, []],
      );
      assert.deepEqual(await store.findAccounts({ after: 'not a place', limit: 3 }), { accounts: [] });
    });

    guarantee('audit rows go when they are older than they are kept, in slices, and no younger one does', async () => {
      const count = async () => (await store.audit({ limit: 100_000 })).length;
      const before = await count();
      const kept = unixMs(T0 + AUDIT_DAYS * DAY_MS);
      assert.equal(await pruneAudit(store, kept), 0);
      await store.note('feed.off', 'some-list', {}, { actor: 'cli', at: unixMs(T0 + DAY_MS) });
      const slices: number[] = [];
      const counting = {
        pruneAudit: async (until: UnixMs, limit: number) => {
          const gone = await store.pruneAudit(until, limit);
          slices.push(gone);
          return gone;
        },
      };
      const old = (await store.audit({ limit: 100_000 })).toReversed().findIndex(({ at }) => at > T0);
      assert.equal(await pruneAudit(counting, unixMs(kept + 1), 7), old);
      assert.ok(
        old > 14 && slices.every((gone) => gone <= 7) && slices.length === Math.floor(old / 7) + 1,
        `${old}: ${slices}`,
      );
      assert.equal(await count(), before + 1 - old);
    });

    guarantee('last use is noted at most once a minute and never moves back', async () => {
      const { directory } = await follower();
      const { key, secret } = await makeKey((await account()).id);
      await directory.find(secret, later(0));
      await directory.find(secret, later(59_999));
      assert.deepEqual([...directory.takeUsed()], [[key.id, T0]]);
      await directory.find(secret, later(60_000));
      const used = directory.takeUsed();
      assert.deepEqual([...used], [[key.id, later(60_000)]]);
      await store.markKeysUsed(used);
      await store.markKeysUsed(new Map([[key.id, T0]]));
      assert.equal((await store.keys(key.accountId))[0]?.lastUsedAt, later(60_000));
    });
  });
}
