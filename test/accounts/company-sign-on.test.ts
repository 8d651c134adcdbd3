import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { covers } from '../spec/covers.ts';
import type { BrowserJar, Connection } from '../support/browser-jar.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { mailServer } from '../support/mail-server.ts';
import { PASSWORD, startMcpService, type TestService } from '../support/mcp-service.ts';
import { OAuthClient } from '../support/oauth-client.ts';
import { CLIENT, type OidcCompany, oidcCompany, type Person, personAt, signOnAt } from '../support/oidc-company.ts';
import { authenticatorCode } from '../support/soft-passkey.ts';

const START = '/en/console/company';
const ENGLISH = { headers: { 'accept-language': 'en' } };

let company: OidcCompany;
let service: TestService;
before(async () => {
  const port = await freePort();
  company = await oidcCompany([`http://127.0.0.1:${port}`]);
  service = await startMcpService({
    port,
    signup: 'off',
    company: {
      ...CLIENT,
      oidcIssuer: company.issuer,
      oidcRoleClaim: 'realm_access.roles',
      oidcOperatorRole: 'pulse-operator',
      oidcUserRole: 'pulse-user',
    },
  });
});
beforeEach(() => {
  company.tamper = undefined;
  company.asked.length = 0;
  service.faults.length = 0;
  service.forgetAttempts();
});
after(async () => {
  await service.close();
  await company.stop();
});

const hire = (name: string, more: object = {}): void => {
  company.people.set(name, {
    email: `${name}@company.example`,
    email_verified: true,
    realm_access: { roles: ['pulse-user'] },
    ...more,
  });
};
const visit = (): Person => personAt(service.url, company);

/** Signs on and comes back. @param change alters the address that leads to the provider */
async function signOn(
  person: Person,
  name: string | undefined,
  { start = START, change }: { readonly start?: string; readonly change?: (url: URL) => void } = {},
): Promise<Connection> {
  return await person.here.request(await signOnAt(person, start, name, change), ENGLISH);
}

const sessionOf = async (here: BrowserJar) => {
  const { status, text } = await here.request('/console/api/session');
  return { status, ...(JSON.parse(text) as { account?: Record<string, unknown>; csrf?: string; of_company?: true }) };
};
const titleOf = ({ text }: Connection): string | undefined => /<h1>(.*?)<\/h1>/.exec(text)?.[1];
const isRefused = async (person: Person, answer: Connection, status: number, title: string): Promise<void> => {
  assert.deepEqual([answer.status, titleOf(answer)], [status, title]);
  assert.equal((await sessionOf(person.here)).status, 401, 'nobody is signed in');
};
const staysOut = async (name: string | undefined, title: string, start = START): Promise<void> => {
  const person = visit();
  await isRefused(person, await signOn(person, name, { start }), 403, title);
};
const send = (here: BrowserJar, path: string, body: object, csrf = ''): Promise<Connection> =>
  here.post(`/console/api/session${path}`, body, { 'x-csrf-token': csrf });

test('a person of the company gets an account though sign-up is off, and finds it again; the next path is kept', async () => {
  covers('COMPANY-SIGN-ON');
  hire('ada');
  const person = visit();
  const arrived = await signOn(person, 'ada', { start: `${START}?next=/en/console/keys` });
  assert.deepEqual([arrived.status, arrived.headers.get('location')], [303, '/en/console/keys']);
  assert.match(arrived.headers.getSetCookie().join('\n'), /^pulse_company=; Max-Age=0; .*\npulse_session=[\w-]{43}; /);
  const { account, of_company } = await sessionOf(person.here);
  assert.deepEqual(
    [account?.['email'], account?.['operator'], account?.['verified'], of_company],
    ['ada@company.example', false, true, true],
  );
  hire('ada', { email: 'ada.married@company.example' });
  const again = visit();
  await signOn(again, 'ada');
  assert.deepEqual(
    (await sessionOf(again.here)).account?.['id'],
    account?.['id'],
    'a person is known by the subject, not by the address',
  );
  assert.equal((await visit().here.request(`${START}?next=//evil.example`)).status, 303);
  const elsewhere = await signOn(visit(), 'ada', { start: `${START}?next=//evil.example/` });
  assert.equal(elsewhere.headers.get('location'), '/en/console');
});

test('the role of an operator comes and goes with the claim at each sign-in', async () => {
  covers('COMPANY-ROLE');
  hire('grace', { realm_access: { roles: ['pulse-operator'] } });
  const person = visit();
  await signOn(person, 'grace');
  assert.equal((await sessionOf(person.here)).account?.['operator'], true);
  hire('grace');
  const again = visit();
  await signOn(again, 'grace');
  for (const { here } of [again, person])
    assert.equal((await sessionOf(here)).account?.['operator'], false, 'also in the session of before');
  hire('grace', { realm_access: { roles: ['others'] } });
  await staysOut('grace', 'You may not sign in here');
  hire('grace', { realm_access: { roles: ['pulse-operator'] } });
  await signOn(visit(), 'grace');
  hire('grace', { realm_access: undefined });
  await signOn(visit(), 'grace');
  assert.equal(
    (await sessionOf(person.here)).account?.['operator'],
    false,
    'a refused person is no operator any more either',
  );
});

test('an account with the address is taken over only if both sides have verified it', async () => {
  covers('COMPANY-ACCOUNT');
  const { id } = await service.account('alan@company.example');
  hire('alan', { email_verified: false });
  await staysOut('alan', 'Your company names no verified mail address for you');
  hire('alan', { email_verified: undefined });
  await staysOut('alan', 'Your company names no verified mail address for you');
  hire('alan');
  await service.db.updateTable('accounts').set({ verified_at: null }).where('id', '=', id).execute();
  await staysOut('alan', 'There is an account with your mail address already');
  assert.deepEqual(
    await service.db.selectFrom('identities').select('account_id').where('account_id', '=', id).execute(),
    [],
  );
  await service.db.updateTable('accounts').set({ verified_at: 1 }).where('id', '=', id).execute();
  const person = visit();
  await signOn(person, 'alan');
  assert.equal((await sessionOf(person.here)).account?.['id'], id);
  const { here } = visit();
  assert.equal((await send(here, '/sign-in', { email: 'alan@company.example', password: PASSWORD })).status, 200);
});

test('an address whose characters stand for others, or that a provider folds, is nobody’s', async () => {
  covers('COMPANY-ACCOUNT');
  const addresses = ['bac\u212a@company.example', 'bäck@company.example', 'back@ﬁrm.example'];
  for (const email of addresses) {
    hire('folded', { email });
    const person = visit();
    await isRefused(person, await signOn(person, 'folded'), 403, 'Your company names no verified mail address for you');
  }
  await assert.rejects(service.account(addresses[0]!), /e-mail address/);
});

test('a disabled account stays out', async () => {
  hire('mallory');
  const person = visit();
  await signOn(person, 'mallory');
  const id = String((await sessionOf(person.here)).account?.['id']);
  await service.accounts.changeAccount(id, { disabled: true }, { actor: 'cli', at: service.now() });
  await staysOut('mallory', 'This account is disabled');
  const older = await service.account('older@company.example');
  await service.accounts.changeAccount(older.id, { disabled: true }, { actor: 'cli', at: service.now() });
  hire('older');
  await staysOut('older', 'This account is disabled');
  const links = service.db.selectFrom('identities').selectAll().where('account_id', '=', older.id);
  assert.deepEqual(await links.execute(), [], 'nor is it linked');
});

test('a person who declines sees a page, in the language of the start', async () => {
  await staysOut(undefined, 'You were not signed in');
  await staysOut(undefined, '没有登录', '/console/company');
});

test('an address that was used, is not this browser’s, or comes too late signs nobody in', async () => {
  covers('COMPANY-SIGN-ON');
  hire('edsger');
  const [person, stranger] = [visit(), visit()];
  const back = await signOnAt(person, START, 'edsger');
  const cookie = person.here.cookieFor('/');
  const isOver = async (other: Person, url: URL, more: Record<string, string> = {}): Promise<void> => {
    const answer = await other.here.request(url, { headers: { ...ENGLISH.headers, ...more } });
    await isRefused(other, answer, 400, 'This sign-in has expired');
  };
  await isOver(visit(), back);
  await stranger.here.request(START);
  await isOver(stranger, back);
  await isOver(visit(), back, { cookie: `${cookie.slice(0, 40)}${cookie[40] === 'A' ? 'B' : 'A'}${cookie.slice(41)}` });
  const forged = new URL(back);
  forged.searchParams.set('state', 'another');
  await isOver(visit(), forged, { cookie });
  service.advance(10 * 60_000 + 1);
  await isOver(visit(), back, { cookie });
  service.advance(-(10 * 60_000 + 1));
  assert.equal(company.asked.filter((path) => path === '/token').length, 0, 'no code was spent');
  assert.equal((await person.here.request(back)).status, 303);
  assert.doesNotMatch(person.here.cookieFor('/'), /pulse_company/);
  await isOver(visit(), back, { cookie });
  assert.equal(
    company.asked.filter((path) => path === '/token').length,
    2,
    'the provider refuses a code that was used',
  );
  assert.deepEqual(service.faults, [], 'a person’s own slip is no matter for the log');
});

test('answers that fail a check sign nobody in, and the log has no secret of them', async () => {
  covers('COMPANY-SIGN-ON');
  hire('barbara');
  const now = Math.floor(Date.now() / 1000);
  const falsehoods: readonly (readonly [string, OidcCompany['tamper'], ((url: URL) => void)?])[] = [
    ['nonce', undefined, (url) => url.searchParams.set('nonce', 'another')],
    ['issuer', (claims) => ({ ...claims, iss: 'https://evil.example' })],
    ['audience', (claims) => ({ ...claims, aud: 'another client' })],
    ['expired', (claims) => ({ ...claims, iat: now - 7200, exp: now - 3600 })],
    ['signature', null],
  ];
  for (const [name, tamper, change] of falsehoods) {
    company.tamper = tamper;
    service.faults.length = 0;
    const person = visit();
    const answer = await signOn(person, 'barbara', change === undefined ? {} : { change });
    assert.equal(titleOf(answer), 'The answer of company sign-on was not accepted', name);
    await isRefused(person, answer, 502, 'The answer of company sign-on was not accepted');
    assert.equal(service.faults.length, 1, name);
    assert.doesNotMatch(service.faults[0]!, /barbara|eyJ|a secret of the client|code=/, name);
  }
});

test('while the provider is away its button shows a page, passwords work, and it works again at once when it is back', async () => {
  hire('donald');
  await service.account('by-password@company.example');
  const person = visit();
  const back = await signOnAt(person, START, 'donald');
  await company.stop();
  try {
    await isRefused(person, await person.here.request(back), 503, 'Company sign-on does not answer');
    service.advance(11_000);
    const start = await person.here.request(START);
    assert.deepEqual([start.status, titleOf(start)], [503, 'Company sign-on does not answer'], 'known a while ago');
    const { here } = visit();
    const pair = { email: 'by-password@company.example', password: PASSWORD };
    assert.equal((await send(here, '/sign-in', pair)).status, 200);
    const fresh = await startMcpService({ company: { ...CLIENT, oidcIssuer: company.issuer } });
    try {
      const answer = await personAt(fresh.url, company).here.request(START);
      assert.deepEqual([answer.status, titleOf(answer)], [503, 'Company sign-on does not answer']);
      assert.match(fresh.faults.join('\n'), /nothing listens at the address/);
      await company.start();
      assert.equal((await personAt(fresh.url, company).here.request(START)).status, 303);
    } finally {
      await fresh.close();
    }
  } finally {
    await company.stop();
    await company.start();
  }
  await signOn(person, 'donald');
  assert.equal((await sessionOf(person.here)).status, 200);
});

test('a client that the provider does not know, and a provider that calls itself otherwise, are the operator’s to mend', async () => {
  hire('whitfield');
  const toRegistered = (url: URL): void =>
    url.searchParams.set('redirect_uri', `${service.url}/console/company/callback`);
  const localhost = company.issuer.replace('127.0.0.1', 'localhost');
  for (const [settings, why] of [
    [{ ...CLIENT, oidcClientSecret: 'not the secret' }, /it refuses this client: PULSE_OIDC_CLIENT_ID/],
    [{ ...CLIENT, oidcIssuer: localhost }, /issuer does not match/],
  ] as const) {
    const wrong = await startMcpService({ company: { oidcIssuer: company.issuer, ...settings } });
    try {
      const person = personAt(wrong.url, company);
      const begun = await person.here.request(START);
      const back = begun.status === 303 ? await signOnAt(person, START, 'whitfield', toRegistered) : undefined;
      const answer = back === undefined ? begun : await person.here.request(back.pathname + back.search, ENGLISH);
      assert.deepEqual([answer.status, titleOf(answer)], [503, 'Company sign-on does not answer']);
      assert.match(wrong.faults.join('\n'), why);
      assert.doesNotMatch(wrong.faults.join('\n'), /not the secret|whitfield/);
    } finally {
      await wrong.close();
    }
  }
});

test('a change that needs a fresh proof takes one of the provider, in the same session', async () => {
  covers('COMPANY-PROOF');
  hire('john');
  hire('jane');
  const person = visit();
  await signOn(person, 'john');
  const { csrf } = await sessionOf(person.here);
  const addTotp = async (): Promise<number> => (await send(person.here, '/factors/totp', {}, csrf)).status;
  assert.equal(await addTotp(), 200, 'the sign-in itself was a proof');
  service.advance(16 * 60_000);
  assert.equal(await addTotp(), 403);
  const passwordProof = await send(person.here, '/confirm', { password: PASSWORD }, csrf);
  assert.equal(passwordProof.status, 401, 'the account has no password');
  service.advance(-16 * 60_000);
  await service.db.updateTable('sessions').set({ authenticated_at: 0 }).execute();
  assert.equal(await addTotp(), 403);
  const other: Person = { here: person.here, there: visit().there };
  assert.equal(titleOf(await signOn(other, 'jane', { start: `${START}?confirm=yes` })), 'That was another account');
  assert.equal(await addTotp(), 403);
  const confirmed = await signOn(person, 'john', { start: `${START}?confirm=yes` });
  assert.deepEqual([confirmed.status, titleOf(confirmed)], [200, 'It is you']);
  assert.equal(await addTotp(), 200);
  assert.equal((await sessionOf(person.here)).csrf, csrf, 'the session is the same');
});

test('a confirmation asks the person to sign in at the provider again, and an old sign-in there is not enough', async () => {
  covers('COMPANY-PROOF');
  hire('niklaus');
  const person = visit();
  await signOn(person, 'niklaus');
  const { url } = await person.here.go(`${START}?confirm=yes`);
  assert.deepEqual([url.searchParams.get('prompt'), url.searchParams.get('max_age')], ['login', '900']);
  for (const auth_time of [undefined, Math.floor(Date.now() / 1000) - 3600]) {
    company.tamper = (claims) => ({ ...claims, auth_time });
    const answer = await signOn(person, 'niklaus', { start: `${START}?confirm=yes` });
    assert.equal(titleOf(answer), 'Company sign-on did not confirm that it is you');
  }
  company.tamper = (claims) => ({ ...claims, auth_time: undefined });
  const later = visit();
  await signOn(later, 'niklaus');
  const { csrf, status } = await sessionOf(later.here);
  assert.equal(status, 200, 'a sign-in needs no time of proof');
  assert.equal((await send(later.here, '/factors/totp', {}, csrf)).status, 403, 'but counts as none');
});

test('nobody sets a password by mail for an account of the company, nor needs one to delete it', async () => {
  hire('ken');
  const person = visit();
  await signOn(person, 'ken');
  const { csrf, account } = await sessionOf(person.here);
  const file = JSON.parse((await person.here.request('/console/api/account/export')).text) as { identities: object[] };
  const [{ linked_at: _, ...identity }] = file.identities as [{ linked_at: string }];
  assert.deepEqual(identity, { issuer: company.issuer, subject: 'ken' });
  const gone = await person.here.request('/console/api/account/delete', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-csrf-token': csrf! },
    body: '{}',
  });
  assert.equal(gone.status, 204);
  const left = service.db.selectFrom('identities').selectAll().where('account_id', '=', String(account?.['id']));
  assert.deepEqual(await left.execute(), []);
});

test('a second factor that was set up here is asked for here; the provider’s own counts where one is required', async () => {
  covers('COMPANY-PROOF');
  hire('tony', { realm_access: { roles: ['pulse-operator'] } });
  const person = visit();
  await signOn(person, 'tony');
  const lacks = async (here: BrowserJar): Promise<boolean> =>
    (await here.request('/console/api/session')).text.includes('"lacks_factor":true');
  assert.equal(await lacks(person.here), true);
  company.tamper = (claims) => ({ ...claims, amr: ['pwd', 'mfa'] });
  const strong = visit();
  await signOn(strong, 'tony');
  assert.equal(await lacks(strong.here), false);
  const { csrf } = await sessionOf(strong.here);
  const { step, secret } = JSON.parse((await send(strong.here, '/factors/totp', {}, csrf)).text);
  const set = await send(
    strong.here,
    '/factors/totp/confirm',
    { step, code: authenticatorCode(secret, service.now()) },
    csrf,
  );
  assert.equal(set.status, 200);
  const again = visit();
  const asked = await signOn(again, 'tony', { start: `${START}?next=/en/console/usage` });
  const to = new URL(asked.headers.get('location')!, service.url);
  assert.equal(to.pathname + to.search, '/en/console/sign-in?next=%2Fen%2Fconsole%2Fusage');
  assert.equal((await sessionOf(again.here)).status, 401, 'the provider’s word is not enough');
  const packed = new URLSearchParams(to.hash.slice(1)).get('factor')!;
  const factor = JSON.parse(Buffer.from(packed, 'base64url').toString()) as { step: string; totp: boolean };
  assert.equal(factor.totp, true);
  service.advance(30_000);
  const code = authenticatorCode(secret, service.now());
  assert.equal((await send(again.here, '/factor', { step: factor.step, code })).status, 200);
  const methods = await service.db
    .selectFrom('sessions')
    .select('amr')
    .orderBy('created_at', 'desc')
    .limit(1)
    .execute();
  assert.deepEqual(methods, [{ amr: 'oidc mfa otp' }]);
});

test('a person who signs in for an app does so at the provider again, and decides on the page that asked', async () => {
  hire('radia');
  const person = visit();
  const app = new OAuthClient(service.url, { prefix: '/en' });
  await app.register();
  const page = await person.here.go(app.authorizeUrl());
  const link = /href="([^"]*\/console\/company[^"]*)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&');
  assert.equal(link, `/en/console/company?fresh=yes&next=${encodeURIComponent(page.url.pathname)}`);
  const arrived = await signOn(person, 'radia', { start: link });
  const consent = await person.here.go(arrived.headers.get('location')!);
  assert.match(consent.text, /radia@company\.example/);
  assert.equal((await person.here.submit(consent, 'approve')).url.searchParams.has('code'), true);
});

test('the way back may end at another node with the same secret', async () => {
  covers('COMPANY-SIGN-ON');
  hire('leslie');
  const baseUrl = () => 'http://pulse.test';
  const elsewhere = await oidcCompany([baseUrl()]);
  elsewhere.people.set('leslie', { email: 'leslie@company.example', email_verified: true });
  const settings = { ...CLIENT, oidcIssuer: elsewhere.issuer };
  const first = await startMcpService({ baseUrl, company: settings });
  const second = await startMcpService({ baseUrl, company: settings });
  try {
    const person = personAt(first.url, elsewhere);
    const back = await signOnAt(person, START, 'leslie');
    assert.equal(back.origin, 'http://pulse.test');
    const cookie = person.here.cookieFor('/');
    const { here } = personAt(second.url, elsewhere);
    const arrived = await here.request(back.pathname + back.search, { headers: { cookie } });
    assert.equal(arrived.headers.get('location'), '/en/console');
    assert.equal((await sessionOf(here)).account?.['email'], 'leslie@company.example');
  } finally {
    await first.close();
    await second.close();
    await elsewhere.stop();
  }
});

test('without a provider there is no button and no way', async () => {
  const plain = await startMcpService();
  try {
    const { here } = personAt(plain.url, company);
    assert.equal((await here.request(START)).status, 404);
    assert.equal((await here.request('/console/company/callback?code=x&state=y')).status, 404);
  } finally {
    await plain.close();
  }
});

test('a new password is mailed to a holder who has one, and to nobody who is the company’s alone; a link to an older account is mailed', async () => {
  const mail = await mailServer();
  const port = await freePort();
  const elsewhere = await oidcCompany([`http://127.0.0.1:${port}`]);
  const mailing = await startMcpService({
    port,
    smtpUrl: `${mail.url}?from=pulse%40company.example`,
    company: { ...CLIENT, oidcIssuer: elsewhere.issuer },
  });
  try {
    await mailing.account('older@company.example');
    for (const name of ['older', 'newer']) {
      elsewhere.people.set(name, { email: `${name}@company.example`, email_verified: true });
      const person = personAt(mailing.url, elsewhere);
      await person.here.request(await signOnAt(person, START, name));
      assert.equal((await sessionOf(person.here)).account?.['email'], `${name}@company.example`);
    }
    const { here } = personAt(mailing.url, elsewhere);
    for (const name of ['newer', 'older'])
      await send(here, '/forgot', { email: `${name}@company.example`, language: 'en' });
    await eventually(() => mail.texts().filter((text) => text.includes('/console/reset#token=')).length === 1);
    await eventually(() => mail.texts().some((text) => text.includes('sign-in service for the first time')));
    assert.deepEqual(
      mail.texts().filter((text) => text.includes('newer@company.example')),
      [],
    );
  } finally {
    await mailing.close();
    await elsewhere.stop();
    mail.close();
  }
});
