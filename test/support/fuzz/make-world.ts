import { CATALOGUE } from '../../../src/adapters/feeds/catalogue.ts';
import { spellKey } from '../../../src/core/caller/key-text.ts';
import { unixMs } from '../../../src/core/units.ts';
import { type Accounts, openAccounts } from '../../../src/main/accounts/open-accounts.ts';
import { createAccount } from '../../../src/service/create-account.ts';
import { createKey } from '../../../src/service/create-key.ts';
import { revokeKey } from '../../../src/service/revoke-key.ts';
import { setAccount } from '../../../src/service/set-account.ts';
import { BrowserJar } from '../browser-jar.ts';
import { eventually } from '../eventually.ts';
import { PASSWORD } from '../mcp-service.ts';
import { OAuthClient } from '../oauth-client.ts';
import type { ServeProcess } from '../serve-process.ts';

/** The account of the session. */
export const EMAIL = 'fuzz@example.com';
const OPERATOR = 'operator@example.com';
const MOST = { perMin: 10_000_000, perDay: 100_000_000, phonePerMin: 10_000_000, phonePerDay: 100_000_000 };

export interface Caller {
  readonly name: string;
  headers: Readonly<Record<string, string>>;
}

export interface World {
  readonly base: string;
  readonly callers: readonly Caller[];
  /** Of the callers the one that may send captures. */
  readonly operatorKey: Caller;
  /** Values of route parameters and fields that name something that is there. */
  readonly ids: readonly string[];
  readonly clientId: string;
  /** Texts that no answer may repeat. */
  readonly secrets: readonly string[];
  renew(): Promise<void>;
  close(): Promise<void>;
}

/** Accounts, keys, sessions and an app on the server. */
export async function makeWorld(server: ServeProcess): Promise<World> {
  const accounts: Accounts = await openAccounts({ dataDir: server.dataDir, databaseUrl: undefined, secret: undefined });
  const by = () => ({ actor: 'cli', at: unixMs(Date.now()) }) as const;
  const account = async (email: string, wish: object): Promise<string> => {
    const { id } = await createAccount(accounts.store, { email, password: PASSWORD, ...wish }, by());
    await setAccount(accounts.store, id, MOST, by());
    return id;
  };
  const keyOf = async (accountId: string): Promise<{ id: string; secret: string }> => {
    const { key, secret } = await createKey(accounts.store, accounts.hasher, { accountId, name: 'fuzz', phone: true }, by());
    return { id: key.id, secret };
  };
  const free = await account('free@example.com', {});
  const user = await account(EMAIL, { plan: 'enterprise', phone: true, dpa: true });
  const operator = await account(OPERATOR, { plan: 'enterprise', phone: true, dpa: true, operator: true });
  const victims = [await account('victim-1@example.com', {}), await account('victim-2@example.com', { plan: 'professional' })];
  const [freeKey, userKey, operatorKey, revoked] = [await keyOf(free), await keyOf(user), await keyOf(operator), await keyOf(user)];
  await revokeKey(accounts.store, revoked.id, by());
  const app = new OAuthClient(server.base);
  const consent = await app.approve(new BrowserJar(server.base), EMAIL);
  const tokens = (await (await app.exchange(consent.searchParams.get('code') ?? '')).json()) as { readonly access_token: string };
  const session: Caller = { name: 'session', headers: {} };
  const operatorSession: Caller = { name: 'operator session', headers: {} };
  const renew = async (): Promise<void> => {
    for (const [caller, email] of [[session, EMAIL], [operatorSession, OPERATOR]] as const) if (!(await isSignedIn(server.base, caller))) caller.headers = await signIn(server.base, email);
  }; // biome-ignore format: pairs
  await renew();
  await eventually(async () => (await fetch(`${server.base}/v1/phone/meta/coverage`, { headers: { 'x-api-key': userKey.secret } })).status === 200);
  const secrets = [freeKey, userKey, operatorKey, revoked].map(({ secret }) => secret);
  const keys: readonly Caller[] = [...secrets, spellKey(new Uint8Array(20).fill(7)), 'hello'].map((secret, n) => ({
    name: `key ${n}`,
    headers: n % 2 === 0 ? { 'x-api-key': secret } : { authorization: `Bearer ${secret}` },
  }));
  return {
    base: server.base,
    operatorKey: keys[2]!,
    callers: [{ name: 'nobody', headers: {} }, ...keys, { name: 'app', headers: { authorization: `Bearer ${tokens.access_token}` } }, session, operatorSession],
    ids: [...victims, freeKey.id, revoked.id, ...CATALOGUE.slice(0, 3).map(({ id }) => id)],
    clientId: app.clientId,
    secrets: [...secrets, tokens.access_token, PASSWORD],
    renew,
    close: () => accounts.close(),
  };
}

const isSignedIn = async (base: string, { headers }: Caller): Promise<boolean> =>
  headers['cookie'] !== undefined && (await fetch(`${base}/console/api/session`, { headers })).status === 200;

async function signIn(base: string, email: string): Promise<Record<string, string>> {
  const response = await fetch(`${base}/console/api/session/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: base, 'x-forwarded-for': `203.0.${Math.floor(Math.random() * 100)}.9` },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  if (response.status !== 200) throw new Error(`sign-in is answered ${response.status}: ${await response.text()}`);
  const { csrf } = (await response.json()) as { readonly csrf: string };
  return { cookie: response.headers.getSetCookie()[0]!.split(';')[0]!, 'x-csrf-token': csrf, origin: base };
}
