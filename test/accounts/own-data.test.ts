/** Owners and their own data: a copy of it, and its end. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { BrowserJar } from '../support/browser-jar.ts';
import { eventually } from '../support/eventually.ts';
import { PASSWORD, startMcpService, type TestService } from '../support/mcp-service.ts';
import { callStatus, OAuthClient } from '../support/oauth-client.ts';

let service: TestService;
before(async () => {
  service = await startMcpService();
});
after(async () => {
  await service.close();
  assert.deepEqual(service.faults, []);
});

const lookUp = (key: string) => fetch(`${service.url}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': key } });

/** A browser signed in, with the headers of requests that change something. */
async function signedIn(email: string): Promise<{
  readonly jar: BrowserJar;
  readonly post: (path: string, body: object, csrf?: string) => ReturnType<BrowserJar['request']>;
}> {
  const jar = new BrowserJar(service.url);
  const send = (path: string, body: object, csrf: string) =>
    jar.post(`/console/api${path}`, body, { 'x-csrf-token': csrf });
  const entered = await send('/session/sign-in', { email, password: PASSWORD }, '');
  const { csrf } = JSON.parse(entered.text) as { csrf: string };
  return { jar, post: (path, body, token = csrf) => send(path, body, token) };
}

test('the export holds all that is kept, no secret, and nothing of another account', async () => {
  const { id, key } = await service.account('export@example.com');
  await service.account('someone-else@example.com');
  assert.equal((await lookUp(key)).status, 200);
  const { jar } = await signedIn('export@example.com');
  await eventually(async () => (await service.accounts.audit({ subject: id, limit: 9 })).length === 3);
  const answer = await jar.request('/console/api/account/export');
  assert.equal(answer.headers.get('content-disposition'), 'attachment; filename="pulse-account.json"');
  const document = JSON.parse(answer.text);
  assert.deepEqual(Object.keys(document), [
    'exported_at',
    'account',
    'keys',
    'apps',
    'factors',
    'identities',
    'sessions',
    'usage',
    'audit',
  ]);
  assert.deepEqual(document.factors, { passkeys: [], recovery_codes_left: 0, passkeys_work: false, required: false });
  assert.deepEqual(
    [document.account.email, document.keys[0].prefix, document.keys[0].used_today],
    ['export@example.com', key.slice(0, 9), 1],
  );
  assert.equal(document.usage.days.at(-1).used, 1);
  const actions = document.audit.map(({ action }: { action: string }) => action);
  assert.deepEqual(actions, ['session.open', 'key.create', 'account.create']);
  assert.ok(
    !answer.text.includes(key.slice(9)) && !answer.text.includes('argon2') && !answer.text.includes('someone-else'),
  );
  assert.equal((await new BrowserJar(service.url).request('/console/api/account/export')).status, 401);
});

test('an owner deletes the account with the password, and everything of it ends', async () => {
  const { id, key } = await service.account('leaving@example.com');
  const tokens = await new OAuthClient(service.baseUrl).signIn('leaving@example.com');
  const [{ jar, post }, elsewhere] = [await signedIn('leaving@example.com'), await signedIn('leaving@example.com')];
  assert.equal((await lookUp(key)).status, 200);
  for (const [body, csrf, status] of [
    [{ password: 'not the right one' }, undefined, 401],
    [{}, undefined, 401],
    [{ password: PASSWORD }, 'x'.repeat(43), 403],
  ] as const)
    assert.equal((await post('/account/delete', body, csrf)).status, status);
  assert.notEqual(await service.accounts.account(id), undefined);

  const done = await post('/account/delete', { password: PASSWORD });
  assert.equal(done.status, 204);
  assert.match(done.headers.get('set-cookie')!, /Max-Age=0/);
  assert.equal((await lookUp(key)).status, 401, 'on the thread that deleted it at once');
  assert.equal(await callStatus(`${service.url}/mcp/account`, tokens.access_token), 401);
  for (const browser of [jar, elsewhere.jar]) assert.equal((await browser.request('/console/api/session')).status, 401);
  assert.equal(await service.accounts.account(id), undefined);
  const again = await new BrowserJar(service.url).request('/console/api/session/sign-up', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'leaving@example.com', password: PASSWORD }),
  });
  assert.equal(again.status, 200);
  assert.notEqual(JSON.parse(again.text).account.id, id);
});
