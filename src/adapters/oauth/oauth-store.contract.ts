/** Guarantees of every OAuthStore. sql-oauth-store.test.ts runs them over SQLite and PostgreSQL. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unixMs } from '../../core/units.ts';
import type { OAuthStore } from '../../service/sign-in/oauth-store.ts';

export interface StoreUnderTest {
  readonly store: OAuthStore;
  /** Ids of two existing accounts. */
  readonly accounts: readonly [string, string];
  /** Returns the table's content as text, to search it for secrets. */
  dump(): Promise<string>;
}

const T0 = unixMs(1_790_000_000_000);
const HOUR = 3_600_000;
const BY = { actor: 'cli', at: T0 } as const;
const put = (store: OAuthStore, kind: string, id: string, content: object, hours = 1): Promise<void> =>
  store.upsert(kind, id, { ...content }, T0, unixMs(T0 + hours * HOUR));
let serial = 0;
const fresh = (name: string): string => `${name}-${++serial}`;

export function oauthStoreContract(name: string, open: () => Promise<StoreUnderTest | { readonly skip: string }>) {
  const check = (title: string, body: (at: StoreUnderTest) => Promise<void>) =>
    test(`${name}: ${title}`, async (t) => {
      const opened = await open();
      if ('skip' in opened) return t.skip(opened.skip);
      await body(opened);
    });

  const family = async ({ store, accounts }: StoreUnderTest, accountId = accounts[0]) => {
    const [clientId, grantId, access, refresh] = [fresh('client'), fresh('grant'), fresh('access'), fresh('refresh')];
    await store.upsert(
      'Client',
      clientId,
      { client_id: clientId, client_name: 'App', redirect_uris: ['https://app.example/cb', 'http://127.0.0.1/'] },
      T0,
      undefined,
    );
    await put(store, 'Grant', grantId, { accountId, clientId, jti: grantId }, 3);
    await put(store, 'AccessToken', access, {
      accountId,
      clientId,
      grantId,
      jti: access,
      aud: 'https://p/mcp/account',
      scope: 'ip:lookup',
    });
    await put(store, 'RefreshToken', refresh, { accountId, clientId, grantId, jti: refresh }, 2);
    return { clientId, grantId, access, refresh };
  };

  check('a stored row is found with its id again, until the millisecond it expires', async ({ store }) => {
    const id = fresh('refresh');
    await store.upsert(
      'RefreshToken',
      id,
      { jti: id, clientId: 'c', rotations: 2, nested: { a: [1, 'x'] } },
      T0,
      unixMs(T0 + 1000),
    );
    assert.deepEqual(await store.find('RefreshToken', id, unixMs(T0 + 999)), {
      jti: id,
      clientId: 'c',
      rotations: 2,
      nested: { a: [1, 'x'] },
    });
    assert.equal(await store.find('RefreshToken', id, unixMs(T0 + 1000)), undefined);
    assert.equal(await store.find('AccessToken', id, T0), undefined, 'a token of one kind is not one of another');
    assert.equal(await store.find('RefreshToken', `${id}x`, T0), undefined);
  });

  check('an update replaces the content and keeps the mark of use', async ({ store }) => {
    const id = fresh('code');
    await put(store, 'AuthorizationCode', id, { jti: id, clientId: 'a' });
    assert.equal(await store.consume('AuthorizationCode', id, unixMs(T0 + 1500)), true);
    await put(store, 'AuthorizationCode', id, { jti: id, clientId: 'b' });
    assert.deepEqual(await store.find('AuthorizationCode', id, T0), {
      jti: id,
      clientId: 'b',
      consumed: Math.floor((T0 + 1500) / 1000),
    });
  });

  check('of many who use a code at once exactly one succeeds', async ({ store }) => {
    const id = fresh('code');
    await put(store, 'AuthorizationCode', id, { jti: id });
    const won = await Promise.all(Array.from({ length: 12 }, () => store.consume('AuthorizationCode', id, T0)));
    assert.equal(won.filter(Boolean).length, 1);
    assert.equal(await store.consume('AuthorizationCode', fresh('gone'), T0), false);
  });

  check('a refresh token works again for a minute, until a later one of its family is used', async (at) => {
    const { store } = at;
    const { refresh, grantId } = await family(at);
    const works = (id: string, ms: number) => store.consume('RefreshToken', id, unixMs(T0 + ms));
    const spent = async (id: string, ms: number) =>
      (await store.find('RefreshToken', id, unixMs(T0 + ms)))?.['consumed'] !== undefined;
    const many = await Promise.all(Array.from({ length: 12 }, () => works(refresh, 0)));
    assert.deepEqual([...new Set(many)], [true], 'windows at once');
    assert.equal(await works(refresh, 59_999), true, 'the minute begins with the first use, not with the last');
    assert.deepEqual([await spent(refresh, 59_999), await spent(refresh, 60_000)], [false, true]);
    assert.equal(await works(refresh, 60_000), false);
    const [one, two] = [fresh('refresh'), fresh('refresh')];
    for (const id of [one, two]) await put(store, 'RefreshToken', id, { jti: id, grantId, rotations: 1 });
    assert.equal(await spent(refresh, 1), false);
    assert.equal(await works(one, 2), true);
    assert.deepEqual([await works(refresh, 3), await spent(refresh, 3)], [false, true], 'an older generation');
    assert.deepEqual([await works(two, 4), await works(one, 5)], [true, true], 'one generation, two windows');
  });

  check("of an account's grants those used last stay, with their tokens", async (at) => {
    const { store, accounts } = at;
    const made = [await family(at), await family(at), await family(at), await family(at)];
    const others = await family(at, accounts[1]);
    for (const [place, { grantId }] of made.entries())
      await store.touchGrant(grantId, unixMs(T0 + HOUR / 2 + (place === 0 ? 9 : place)));
    assert.ok((await store.keepNewestGrants(accounts[0], 2)) >= 2);
    const alive = async ({ access }: { readonly access: string }) =>
      (await store.accessToken(access, T0)) !== undefined;
    assert.deepEqual(await Promise.all([...made, others].map(alive)), [true, false, false, true, true]);
    assert.equal(await store.find('RefreshToken', made[1]!.refresh, T0), undefined);
    assert.equal(await store.keepNewestGrants(accounts[0], 2), 0);
    for (const account of accounts) await store.disconnect(account, undefined, BY);
  });

  check('no bearer value is readable in the table', async (at) => {
    const made = await family(at);
    const [code, session] = [fresh('code'), fresh('session')];
    await put(at.store, 'AuthorizationCode', code, { jti: code, grantId: made.grantId });
    await put(at.store, 'Session', session, { jti: session, uid: fresh('uid') });
    const text = await at.dump();
    for (const secret of [made.access, made.refresh, code, session]) assert.equal(text.includes(secret), false, secret);
    assert.equal(text.includes(made.clientId), true);
  });

  check('a row is found by its uid', async ({ store }) => {
    const [id, uid] = [fresh('session'), fresh('uid')];
    await put(store, 'Session', id, { jti: id, uid, accountId: undefined });
    assert.deepEqual(await store.findByUid('Session', uid, T0), { uid });
    assert.equal(await store.findByUid('Session', uid, unixMs(T0 + HOUR)), undefined);
    await store.destroy('Session', id);
    assert.equal(await store.findByUid('Session', uid, T0), undefined);
  });

  check('an access token answers while it and its grant are alive, and says whose it is', async (at) => {
    const { store, accounts } = at;
    const made = await family(at);
    assert.deepEqual(await store.accessToken(made.access, unixMs(T0 + HOUR - 1)), {
      accountId: accounts[0],
      clientId: made.clientId,
      grantId: made.grantId,
      audience: 'https://p/mcp/account',
      scope: 'ip:lookup',
      lastUsedAt: undefined,
    });
    assert.equal(await store.accessToken(made.access, unixMs(T0 + HOUR)), undefined, 'expired');
    assert.equal(await store.accessToken(made.refresh, T0), undefined, 'a refresh token is not an access token');
    await store.touchGrant(made.grantId, unixMs(T0 + 5));
    await store.touchGrant(made.grantId, unixMs(T0 + 4));
    assert.equal((await store.accessToken(made.access, T0))?.lastUsedAt, T0 + 5, 'the last use never moves back');
    await store.destroy('Grant', made.grantId);
    assert.equal(await store.accessToken(made.access, T0), undefined, 'no grant, no access');
  });

  check('revoking a grant ends its tokens of that kind and no others', async (at) => {
    const [mine, other] = [await family(at), await family(at)];
    await at.store.revokeByGrant('AccessToken', mine.grantId);
    assert.equal(await at.store.accessToken(mine.access, T0), undefined);
    assert.notEqual(await at.store.find('RefreshToken', mine.refresh, T0), undefined);
    assert.notEqual(await at.store.accessToken(other.access, T0), undefined);
  });

  check('apps are listed per account, once per client, while a token is alive', async (at) => {
    const { store, accounts } = at;
    const account = accounts[1];
    assert.deepEqual(await store.apps(account, T0), []);
    const one = await family(at, account);
    await family(at, accounts[0]);
    const second = fresh('grant');
    await store.upsert(
      'Grant',
      second,
      { accountId: account, clientId: one.clientId, jti: second },
      unixMs(T0 + 10),
      unixMs(T0 + 3 * HOUR),
    );
    const refresh = fresh('refresh');
    await put(store, 'RefreshToken', refresh, { accountId: account, clientId: one.clientId, grantId: second }, 2);
    await store.touchGrant(one.grantId, unixMs(T0 + 70));
    assert.deepEqual(await store.apps(account, T0), [
      {
        clientId: one.clientId,
        name: 'App',
        redirectHosts: ['app.example', '127.0.0.1'],
        firstAuthorisedAt: T0,
        lastUsedAt: T0 + 70,
      },
    ]);
    assert.deepEqual(await store.apps(account, unixMs(T0 + 2 * HOUR)), [], 'no live token, no app');
    assert.equal(await store.disconnect(account, one.clientId, BY), 2);
    assert.deepEqual(await store.apps(account, T0), []);
    assert.equal(await store.accessToken(one.access, T0), undefined);
    assert.equal(await store.find('RefreshToken', one.refresh, T0), undefined);
    assert.equal(await store.disconnect(account, one.clientId, BY), 0);
  });

  check('disconnecting ends only that account and client; without a client, all of the account', async (at) => {
    const { store, accounts } = at;
    const [a, b, c] = [await family(at, accounts[0]), await family(at, accounts[0]), await family(at, accounts[1])];
    assert.equal(await store.disconnect(accounts[1], a.clientId, BY), 0);
    assert.equal(await store.disconnect(accounts[0], a.clientId, BY), 1);
    assert.equal(await store.accessToken(a.access, T0), undefined);
    assert.notEqual(await store.accessToken(b.access, T0), undefined);
    assert.ok((await store.disconnect(accounts[0], undefined, BY)) >= 1);
    assert.equal(await store.accessToken(b.access, T0), undefined);
    assert.notEqual(await store.accessToken(c.access, T0), undefined);
    await store.disconnect(accounts[1], undefined, BY);
  });

  check('purging drops expired rows and unapproved clients, and keeps rotated refresh tokens', async (at) => {
    const { store } = at;
    const made = await family(at);
    const unused = fresh('client');
    await store.upsert('Client', unused, { client_id: unused }, T0, undefined);
    await store.consume('RefreshToken', made.refresh, T0);
    await store.purge(unixMs(T0 + HOUR), T0);
    assert.notEqual(await store.find('Client', unused, T0), undefined, 'not old enough');
    assert.notEqual(await store.find('RefreshToken', made.refresh, T0), undefined, 'within its 30 days');
    assert.equal(await store.find('AccessToken', made.access, T0), undefined);
    assert.ok((await store.purge(unixMs(T0 + HOUR), unixMs(T0 + 1))) >= 1);
    assert.equal(await store.find('Client', unused, T0), undefined);
    assert.notEqual(await store.find('Client', made.clientId, T0), undefined, 'a client with a grant stays');
    await store.purge(unixMs(T0 + 400 * 24 * HOUR), unixMs(T0 + 300 * 24 * HOUR));
    assert.notEqual(await store.find('Client', made.clientId, T0), undefined, 'one that was approved keeps its id');
  });

  check('where there is no room the oldest unused clients make way, and clients in use never do', async (at) => {
    const { store } = at;
    const { clientId: used } = await family(at);
    const unused = [fresh('client'), fresh('client'), fresh('client')];
    for (const [age, id] of [3, 2, 1].entries())
      await store.upsert('Client', unused[age]!, { client_id: unused[age] }, unixMs(T0 - id * HOUR), undefined);
    const here = async () => Promise.all(unused.map(async (id) => (await store.find('Client', id, T0)) !== undefined));
    let most = 50;
    assert.equal(await store.makeRoomForClient(most), true);
    assert.deepEqual(await here(), [true, true, true], 'there is room');
    while ((await here())[0]!) assert.equal(await store.makeRoomForClient(--most), true);
    assert.deepEqual(await here(), [false, true, true], 'one too many: the oldest goes');
    assert.equal(await store.makeRoomForClient(most - 1), true);
    assert.deepEqual(await here(), [false, false, true]);
    while (await store.makeRoomForClient(1));
    assert.notEqual(await store.find('Client', used, T0), undefined);
    assert.deepEqual(await here(), [false, false, false]);
  });
}
