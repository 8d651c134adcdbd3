import assert from 'node:assert/strict';
import { type Accounts, openAccounts } from '../../../src/adapters/accounts/open-accounts.ts';
import { SqlBeaconStore } from '../../../src/adapters/beacons/sql-beacon-store.ts';
import { CATALOGUE } from '../../../src/adapters/feeds/catalogue.ts';
import { SqlListStore } from '../../../src/adapters/lists/sql-list-store.ts';
import { formatKey } from '../../../src/core/caller/sent-key.ts';
import { BOUNCER_DEFAULTS } from '../../../src/core/lists/bouncer-bounds.ts';
import { unixMs } from '../../../src/core/units.ts';
import { setAccount } from '../../../src/service/accounts/account.ts';
import { createKey, type KeyOptions, revokeKey } from '../../../src/service/accounts/keys.ts';
import { createBeacon } from '../../../src/service/beacons/beacons.ts';
import { saveList } from '../../../src/service/lists/save-list.ts';
import { BrowserJar } from '../browser-jar.ts';
import { eventually } from '../eventually.ts';
import { accountWithPassword, PASSWORD } from '../mcp-service.ts';
import { OAuthClient } from '../oauth-client.ts';
import type { ServeProcess } from '../serve-process.ts';
import { sessionOpener } from '../session-opener.ts';

export const EMAIL = 'fuzz@example.com';
/** As many browsers are of operators as of other account holders. */
const SIGNED_IN = 12;
const MOST = { perMin: 10_000_000, perDay: 100_000_000, phonePerMin: 10_000_000, phonePerDay: 100_000_000 };

export interface Caller {
  readonly name: string;
  headers: Readonly<Record<string, string>>;
}

export interface World {
  readonly base: string;
  readonly callers: readonly Caller[];
  /** Each browser is signed in to an account of its own: one account may ask for so much a minute. */
  readonly sessions: readonly Caller[];
  readonly operatorSessions: readonly Caller[];
  readonly operatorKey: Caller;
  readonly bouncerKey: Caller;
  readonly beacon: Caller;
  /** Route parameters and fields take these values, which name something that exists. */
  readonly ids: readonly string[];
  readonly clientId: string;
  /** Browsers before the page where an app asks for consent, by the route of its form. */
  readonly consents: readonly (Caller & { readonly pattern: string; readonly path: string; readonly csrf: string })[];
  readonly secrets: readonly string[];
  renew(): Promise<void>;
  close(): Promise<void>;
}

export async function makeWorld(server: ServeProcess): Promise<World> {
  const accounts: Accounts = await openAccounts({ dataDir: server.dataDir, databaseUrl: undefined, secret: undefined });
  const by = () => ({ actor: 'cli', at: unixMs(Date.now()) }) as const;
  const account = async (email: string, wish: object): Promise<string> => {
    const id = await accountWithPassword(accounts, { email, ...wish }, by());
    await setAccount(accounts.store, id, MOST, by());
    return id;
  };
  const keyOf = async (
    accountId: string,
    rights: Partial<KeyOptions> = {},
  ): Promise<{ id: string; secret: string }> => {
    const { key, secret } = await createKey(
      accounts.store,
      accounts.hasher,
      { accountId, name: 'fuzz', phone: true, ...rights },
      by(),
    );
    return { id: key.id, secret };
  };
  const free = await account('free@example.com', {});
  const users = await eachOf(SIGNED_IN, (n) =>
    account(n === 0 ? EMAIL : `fuzz-${n}@example.com`, { plan: 'enterprise', phone: true, dpa: true }),
  );
  const operators = await eachOf(SIGNED_IN, (n) =>
    account(`operator-${n}@example.com`, { plan: 'enterprise', phone: true, dpa: true, operator: true }),
  );
  const [user, operator] = [users[0]!, operators[0]!];
  const victims = [
    await account('victim-1@example.com', {}),
    await account('victim-2@example.com', { plan: 'professional' }),
  ];
  const [freeKey, userKey, operatorKey, revoked, bouncerKey] = [
    await keyOf(free),
    await keyOf(user),
    await keyOf(operator, { evidence: 'networks' }),
    await keyOf(user),
    await keyOf(user, { bouncer: BOUNCER_DEFAULTS }),
  ];
  await revokeKey(accounts.store, revoked.id, by());
  await saveList(new SqlListStore(accounts.db), { accountId: undefined, name: 'docs', settings: {} }, by());
  const { token } = await createBeacon(new SqlBeaconStore(accounts.db), accounts.hasher, { riskType: 'vpn' }, by());
  const beacon = { name: 'beacon', headers: { authorization: `Bearer ${token}` } };
  const app = new OAuthClient(server.base);
  const consent = await app.approve(new BrowserJar(server.base), EMAIL);
  const tokens = (await (await app.exchange(consent.searchParams.get('code') ?? '')).json()) as {
    readonly access_token: string;
  };
  const consents = await Promise.all(
    (['', '/en'] as const).map(async (prefix) => {
      const client = new OAuthClient(server.base, { prefix });
      await client.register();
      const browser = new BrowserJar(server.base);
      const { text } = await browser.go(client.authorizeUrl());
      const path = /<form method="post" action="([^"]+)"/.exec(text)![1]!;
      const csrf = /name="csrf" value="([^"]+)"/.exec(text)![1]!;
      const headers = { cookie: browser.cookieFor(path), origin: server.base };
      return { name: 'consent', headers, pattern: `${prefix}/console/oauth/:uid`, path, csrf };
    }),
  );
  const sessions = users.map((id, n) => ({ id, caller: { name: `session ${n}`, headers: {} } as Caller }));
  const operatorSessions = operators.map((id, n) => ({
    id,
    caller: { name: `operator session ${n}`, headers: {} } as Caller,
  }));
  const opener = sessionOpener(accounts, server);
  const renew = async (): Promise<void> => {
    for (const { id, caller } of [...sessions, ...operatorSessions])
      if (!(await opener.isOpen(caller.headers))) caller.headers = await opener.open(id);
  };
  await renew();
  await eventually(
    async () =>
      (await fetch(`${server.base}/v1/phone/meta/coverage`, { headers: { 'x-api-key': userKey.secret } })).status ===
      200,
  );
  for (const id of [...users, ...operators]) {
    const { secret } = await keyOf(id);
    const { ok } = await fetch(`${server.base}/v1/watchlists/watched`, {
      method: 'PUT',
      headers: { 'x-api-key': secret, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'x', entries: ['8.8.8.8'], webhook: { url: 'http://x.example:9/' } }),
    });
    assert.ok(ok);
  }
  const secrets = [freeKey, userKey, operatorKey, revoked, bouncerKey].map(({ secret }) => secret);
  const keys: readonly Caller[] = [...secrets, formatKey(new Uint8Array(20).fill(7)), 'hello'].map((secret, n) => ({
    name: `key ${n}`,
    headers: n % 2 === 0 ? { 'x-api-key': secret } : { authorization: `Bearer ${secret}` },
  }));
  return {
    base: server.base,
    operatorKey: keys[2]!,
    bouncerKey: keys[4]!,
    beacon,
    callers: [
      { name: 'nobody', headers: {} },
      ...keys,
      beacon,
      { name: 'app', headers: { authorization: `Bearer ${tokens.access_token}` } },
    ],
    sessions: sessions.map(({ caller }) => caller),
    operatorSessions: operatorSessions.map(({ caller }) => caller),
    ids: [...victims, freeKey.id, revoked.id, ...CATALOGUE.slice(0, 3).map(({ id }) => id)],
    clientId: app.clientId,
    consents,
    secrets: [...secrets, token, tokens.access_token, PASSWORD],
    renew,
    close: () => accounts.close(),
  };
}

async function eachOf<T>(count: number, make: (index: number) => Promise<T>): Promise<readonly T[]> {
  const made: T[] = [];
  for (let index = 0; index < count; index++) made.push(await make(index));
  return made;
}
