import { createHash, createHmac, randomBytes } from 'node:crypto';
import { readdirSync, utimesSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { Accounts } from '../../src/adapters/accounts/open-accounts.ts';
import { SqlBeaconStore } from '../../src/adapters/beacons/sql-beacon-store.ts';
import { CATALOGUE } from '../../src/adapters/feeds/catalogue.ts';
import { SqlSignInStore } from '../../src/adapters/sign-in/sql-sign-in-store.ts';
import { ROUTES, type Route } from '../../src/apps/http/routes.ts';
import { hotp } from '../../src/core/sign-in/match-totp.ts';
import { HOUR_MS, unixMs } from '../../src/core/units.ts';
import { hashPassword } from '../../src/service/accounts/password.ts';
import { createBeacon } from '../../src/service/beacons/create-beacon.ts';
import { type FilledAccount, WAITING_DIGEST } from './fill-data-folder.ts';
import { sessionOpener } from './session-opener.ts';
import { SoftPasskey } from './soft-passkey.ts';

/** The target: a server over a folder of `fillDataFolder`, which believes X-Forwarded-For of this machine. */
export interface AskedServer {
  readonly base: string;
  readonly dataDir: string;
  readonly accounts: Accounts;
  /** Asks on the pages of the console; stays. */
  readonly owner: FilledAccount;
  /** Changes its password and deletes itself; another one for each round. */
  readonly leaver: FilledAccount;
  readonly password: string;
}

/** Answer to one request of a route. */
export interface RouteAnswer {
  readonly route: string;
  readonly status: number;
}

/** Method and path of every route that is not a look-up. */
export const OTHER_ROUTES: readonly string[] = ROUTES.filter(([, , , , cost]) => cost !== 'lookup').flatMap(
  ([methods, path]: Route) => methods.split(', ').map((method) => `${method} ${path}`),
);

/**
 * Asks for every route that is not a look-up, as a caller with the right to it, one request after another. Each request carries its round and route in
 * `x-asked-route`, and comes from a client of its own.
 * @throws Error when a route of the table is not asked for here: add it
 */
export async function askOtherRoutes(server: AskedServer, round: number): Promise<readonly RouteAnswer[]> {
  const asking = new Asking(server, round);
  await asking.all();
  const left = OTHER_ROUTES.filter((route) => !asking.answers.some((answer) => answer.route === route));
  if (left.length > 0) throw new Error(`routes that are not asked for: ${left.join(', ')}`);
  return asking.answers;
}

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

type Headers = Readonly<Record<string, string>>;

const FORM: Headers = { 'content-type': 'application/x-www-form-urlencoded' };
const form = (fields: Readonly<Record<string, string>>): string => new URLSearchParams(fields).toString();
const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');
const NEXT_PASSWORD = 'another correct horse';
const REDIRECT = 'http://127.0.0.1:3999/callback';

class Asking {
  readonly answers: RouteAnswer[] = [];
  readonly #server: AskedServer;
  readonly #round: number;
  #clients = 0;

  constructor(server: AskedServer, round: number) {
    this.#server = server;
    this.#round = round;
  }

  async all(): Promise<void> {
    await this.#withoutAccount();
    await this.#withKey();
    await this.#beacon();
    await this.#signingIn();
    const session = await this.#session(this.#server.owner);
    await this.#ownPages(session);
    await this.#factors(session);
    await this.#operatorPages(session);
    for (const prefix of ['', '/en']) await this.#app(prefix, session);
    await this.#leaving();
  }

  /** @param route as in OTHER_ROUTES @param filled its parameters, or the whole path with a query */
  async #ask(route: string, headers: Headers = {}, body?: string, filled?: string): Promise<Answered> {
    const [method = '', pattern = ''] = route.split(' ');
    const path = filled ?? pattern.replace(/:\w+/g, 'nothing');
    const client = `45.${2 + this.#round}.${this.#clients >> 8}.${this.#clients++ & 255}`;
    const labels = { 'x-asked-route': `${this.#round} ${route}`, 'x-forwarded-for': client };
    const answer = await send(method, new URL(path, this.#server.base), { ...labels, ...headers }, body);
    this.answers.push({ route, status: answer.status });
    return answer;
  }

  #json(route: string, headers: Headers, body: object, filled?: string): Promise<Answered> {
    return this.#ask(
      route,
      { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      JSON.stringify(body),
      filled,
    );
  }

  #session({ id }: FilledAccount): Promise<Headers> {
    return sessionOpener(this.#server.accounts, this.#server).open(id);
  }

  async #withoutAccount(): Promise<void> {
    const plain = ROUTES.filter(
      ([methods, , column, , cost]) => methods === 'GET' && column === undefined && cost === 'fixed',
    );
    for (const [, path] of plain) await this.#ask(`GET ${path}`);
    await this.#ask('GET /console/api/status');
    for (const path of ['/sandbox/v1/ip', '/sandbox/pulse/v1/ip'])
      await this.#ask(`GET ${path}/:ip`, {}, undefined, `${path}/192.0.2.6`);
    await this.#messages('/mcp', {});
  }

  async #withKey(): Promise<void> {
    const key = { 'x-api-key': this.#server.owner.key };
    for (const path of ['/v1/me', '/v1/phone/meta/tags', '/v1/phone/meta/coverage'])
      await this.#ask(`GET ${path}`, key);
    const captures = Array.from({ length: 1000 }, (_, n) => ({
      ip: `45.1.${n >> 8}.${n & 255}`,
      risk_type: 'proxy',
      captured_at: '2026-11-20T00:00:00Z',
    }));
    const lines = captures.map((capture) => `${JSON.stringify(capture)}\n`).join('');
    await this.#ask(
      'POST /v1/evidence',
      { ...key, 'content-type': 'application/x-ndjson' },
      lines,
      '/v1/evidence?source=sensor',
    );
  }

  async #beacon(): Promise<void> {
    const { db, hasher } = this.#server.accounts;
    const { token } = await createBeacon(
      new SqlBeaconStore(db),
      hasher,
      { riskType: 'proxy', pool: 'vendor' },
      { actor: 'cli', at: unixMs(Date.now()) },
    );
    await this.#ask('POST /v1/beacon', { authorization: `Bearer ${token}` });
  }

  async #messages(path: string, headers: Headers): Promise<void> {
    const calls: readonly (readonly [string, object])[] = [
      ['initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }],
      ['tools/list', {}],
      ['ping', {}],
    ];
    for (const [method, params] of calls)
      await this.#json(`POST ${path}`, headers, { jsonrpc: '2.0', id: 1, method, params });
  }

  async #signingIn(): Promise<void> {
    const { base, owner, password } = this.#server;
    const origin = { origin: base };
    const api = 'POST /console/api/session';
    await this.#json(`${api}/sign-up`, origin, { email: `new-${this.#round}@example.com`, password, language: 'en' });
    await this.#json(`${api}/verify`, origin, {
      token: await this.#mailed('verify', `verified-${this.#round}@example.com`),
      password,
    });
    await this.#json(`${api}/sign-in`, origin, { email: owner.email, password: 'not the password' });
    const { headers } = await this.#json(`${api}/sign-in`, origin, { email: owner.email, password });
    await this.#json(`${api}/sign-out`, { ...origin, cookie: cookiesOf(headers) }, {});
    await this.#json(`${api}/forgot`, origin, { email: owner.email, language: 'en' });
  }

  /** Text of a link as a mail carries it. */
  async #mailed(purpose: 'verify' | 'reset', email: string, accountId = ''): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    const { accounts, password } = this.#server;
    const at = unixMs(Date.now());
    const payload = purpose === 'verify' ? { passwordHash: await hashPassword(password) } : { accountId };
    await new SqlSignInStore(accounts.db).addLink(
      { id: digest(`${purpose}:${token}`), purpose, email, payload, expiresAt: unixMs(at + HOUR_MS) },
      at,
    );
    return token;
  }

  async #ownPages(session: Headers): Promise<void> {
    const api = '/console/api';
    for (const path of ['/session', '/apps', '/keys']) await this.#ask(`GET ${api}${path}`, session);
    for (const path of ['/usage', '/account/export']) {
      // Once read again, once from memory.
      this.#touchClosedDays();
      for (let times = 0; times < 2; times++) await this.#ask(`GET ${api}${path}`, session);
    }
    const made = await this.#json(`POST ${api}/keys`, session, { name: 'one more', per_day: 10 });
    await this.#ask(`DELETE ${api}/keys/:id`, session, undefined, `${api}/keys/${JSON.parse(made.text).key_id}`);
    const { apps } = JSON.parse((await this.#ask(`GET ${api}/apps`, session)).text);
    await this.#ask(`DELETE ${api}/apps/:clientId`, session, undefined, `${api}/apps/${apps[0].client_id}`);
    await this.#json(`POST ${api}/session/confirm`, session, { password: this.#server.password });
  }

  /** Totals that were written again are read again. */
  #touchClosedDays(): void {
    const ledger = join(this.#server.dataDir, 'ledger');
    const now = new Date();
    for (const name of readdirSync(ledger)) if (name.startsWith('totals-')) utimesSync(join(ledger, name), now, now);
  }

  async #factors(session: Headers): Promise<void> {
    const { base, owner, password } = this.#server;
    const path = '/console/api/session/factors';
    const passkey = new SoftPasskey(base);
    const { step, options } = JSON.parse((await this.#json(`POST ${path}/passkeys/options`, session, {})).text);
    await this.#json(`POST ${path}/passkeys`, session, { step, name: 'laptop', response: passkey.create(options) });
    const totp = JSON.parse((await this.#json(`POST ${path}/totp`, session, {})).text);
    await this.#json(`POST ${path}/totp/confirm`, session, { step: totp.step, code: codeOf(totp.secret) });
    const { recovery_codes } = JSON.parse((await this.#json(`POST ${path}/recovery-codes`, session, {})).text);
    const asked = JSON.parse(
      (await this.#json('POST /console/api/session/sign-in', { origin: base }, { email: owner.email, password })).text,
    );
    await this.#json(
      'POST /console/api/session/factor',
      { origin: base },
      { step: asked.factor.step, code: recovery_codes[0] },
    );
    const kept = JSON.parse((await this.#ask(`GET ${path}`, session)).text);
    await this.#json(`PATCH ${path}/id/:id`, session, { name: 'desk' }, `${path}/id/${kept.passkeys[0].id}`);
    for (const { id } of [kept.totp, ...kept.passkeys])
      await this.#ask(`DELETE ${path}/id/:id`, session, undefined, `${path}/id/${id}`);
  }

  async #operatorPages(session: Headers): Promise<void> {
    const api = '/console/api/operator';
    const feed = `${api}/feeds/${CATALOGUE[0]!.id}`;
    await this.#ask(`GET ${api}/feeds`, session);
    await this.#json(`POST ${api}/feeds/:id/refresh`, session, {}, `${feed}/refresh`);
    for (const off of [true, false]) await this.#json(`PATCH ${api}/feeds/:id`, session, { off }, feed);
    await this.#json(
      `POST ${api}/feeds/:id/accept`,
      session,
      { digest: WAITING_DIGEST.toLowerCase() },
      `${feed}/accept`,
    );
    for (const query of ['', '?search=customer-19', '?search=nowhere', `?after=${Date.now() - 5_000_000}.acc_`])
      await this.#ask(`GET ${api}/accounts`, session, undefined, `${api}/accounts${query}`);
    await this.#json(
      `PATCH ${api}/accounts/:id`,
      session,
      { phone: true },
      `${api}/accounts/${this.#server.leaver.id}`,
    );
    await this.#ask(`GET ${api}/audit`, session);
    const beacon = JSON.parse(
      (await this.#json(`POST ${api}/beacons`, session, { risk_type: 'vpn', pool: 'brand' })).text,
    ) as { id: string };
    await this.#ask(`GET ${api}/collection`, session);
    await this.#ask(`DELETE ${api}/beacons/:id`, session, undefined, `${api}/beacons/${beacon.id}`);
    await this.#ask(`GET ${api}/overrides`, session);
    const until = new Date(Date.now() + 60_000).toISOString();
    const override = JSON.parse(
      (await this.#json(`POST ${api}/overrides`, session, { prefix: '45.9.8.7', allow: true, reason: 'x', until }))
        .text,
    ) as { id: string };
    await this.#ask(`DELETE ${api}/overrides/:id`, session, undefined, `${api}/overrides/${override.id}`);
  }

  /** From the registration of an app to the end of its tokens, agreed to on the pages of one language. */
  async #app(prefix: string, session: Headers): Promise<void> {
    const { base, owner, password } = this.#server;
    const registered = await this.#json(
      `POST ${prefix}/oauth/register`,
      {},
      { client_name: 'Test app', redirect_uris: [REDIRECT] },
    );
    const client_id: string = JSON.parse(registered.text).client_id;
    const verifier = randomBytes(32).toString('base64url');
    const resource = `${base}${prefix}/mcp/account`;
    const query = {
      response_type: 'code',
      client_id,
      redirect_uri: REDIRECT,
      code_challenge: digest(verifier),
      code_challenge_method: 'S256',
      state: 's',
      resource,
    };
    const page = async (): Promise<readonly [string, Headers]> => {
      const { headers } = await this.#ask(
        `GET ${prefix}/oauth/authorize`,
        {},
        undefined,
        `${prefix}/oauth/authorize?${form(query)}`,
      );
      return [new URL(String(headers['location']), base).pathname, { cookie: cookiesOf(headers), origin: base }];
    };
    const [entry, strangerCookies] = await page();
    const shown = await this.#ask(`GET ${prefix}/console/oauth/:uid`, strangerCookies, undefined, entry);
    await this.#ask(`GET ${prefix}/console/oauth/:uid/sign-up`, strangerCookies, undefined, `${entry}/sign-up`);
    const signIn = form({ csrf: csrfOf(shown), action: 'sign-in', email: owner.email, password });
    await this.#ask(`POST ${prefix}/console/oauth/:uid`, { ...strangerCookies, ...FORM }, signIn, entry);
    const [path, started] = await page();
    const cookies = { ...started, cookie: `${started['cookie']}; ${session['cookie']}` };
    const consent = await this.#ask(`GET ${prefix}/console/oauth/:uid`, cookies, undefined, path);
    const approve = form({ csrf: csrfOf(consent), action: 'approve' });
    const approved = await this.#ask(`POST ${prefix}/console/oauth/:uid`, { ...cookies, ...FORM }, approve, path);
    const resumed = await this.#ask(
      `GET ${prefix}/oauth/authorize/:uid`,
      cookies,
      undefined,
      new URL(String(approved.headers['location']), base).pathname,
    );
    const back = new URL(String(resumed.headers['location']));
    const token = (fields: Readonly<Record<string, string>>): Promise<Answered> =>
      this.#ask(`POST ${prefix}/oauth/token`, FORM, form({ client_id, resource, ...fields }));
    const exchanged = {
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      redirect_uri: REDIRECT,
      code_verifier: verifier,
    };
    const first = JSON.parse((await token(exchanged)).text);
    const { access_token } = JSON.parse(
      (await token({ grant_type: 'refresh_token', refresh_token: first.refresh_token })).text,
    );
    await this.#messages(`${prefix}/mcp/account`, { authorization: `Bearer ${access_token}` });
    await this.#ask(`POST ${prefix}/oauth/revoke`, FORM, form({ client_id, token: access_token }));
  }

  async #leaving(): Promise<void> {
    const { base, leaver, password } = this.#server;
    const fresh = await this.#session(leaver);
    await this.#json('POST /console/api/session/password', fresh, {
      current: password,
      next: NEXT_PASSWORD,
      language: 'en',
    });
    const token = await this.#mailed('reset', leaver.email, leaver.id);
    await this.#json('POST /console/api/session/reset', { origin: base }, { token, password });
    // An operator exists: the link of a first start opens nothing.
    await this.#json('POST /console/api/session/operator', { origin: base }, { token, email: leaver.email, password });
    await this.#json('POST /console/api/account/delete', await this.#session(leaver), { password });
  }
}

/** One request over a connection of its own, which is not reused: nothing of another request is under way. */
function send(method: string, url: URL, headers: Headers, body: string | undefined): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const asked = request(url, { method, headers: { ...headers, ...length }, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(parts).toString() }),
      );
      response.on('error', reject);
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

const cookiesOf = (headers: Answered['headers']): string =>
  [headers['set-cookie'] ?? []]
    .flat()
    .map((line) => line.split(';', 1)[0])
    .join('; ');

function csrfOf({ status, text }: Answered): string {
  const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1];
  if (csrf === undefined) throw new Error(`a page without a form: ${status} ${text.slice(0, 300)}`);
  return csrf;
}

/** Code of an authenticator now for a secret in Base32. */
function codeOf(secret: string): string {
  const bits = [...secret]
    .map((digit) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(digit).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
  return hotp((key, message) => createHmac('sha1', key).update(message).digest(), key, Math.floor(Date.now() / 30_000));
}
