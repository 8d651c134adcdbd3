/**
 * A records database that cannot grow: sign-in, OAuth and agents are asked to come back, in the form each of
 * them reads.
 */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { StoreUnavailable } from '../../src/service/store-fault.ts';
import { BrowserJar } from '../support/browser-jar.ts';
import { PASSWORD, startMcpService, type TestService } from '../support/mcp-service.ts';
import { callStatus, OAuthClient, type Tokens } from '../support/oauth-client.ts';

const EMAIL = 'owner@example.com';
const LATER = Date.now() + 3_600_000;
let service: TestService;
let client: OAuthClient;
/** Its answers leave this computer, so errors do not go to it but are shown. */
let remote: OAuthClient;
let tokens: Tokens;

before(async () => {
  service = await startMcpService();
  await service.account(EMAIL);
  client = new OAuthClient(service.baseUrl, { prefix: '/en' });
  tokens = await client.signIn(EMAIL);
  remote = new OAuthClient(service.baseUrl, { redirect: 'https://app.example.com/callback' });
  assert.equal((await remote.register()).status, 201);
  await fill();
});
after(() => service.close());

/** Lets the file not grow any more, and uses up its free pages: each table has a page that is not full. */
async function fill(): Promise<void> {
  const { records } = service;
  await sql`pragma max_page_count = 1`.execute(records);
  const account = (await service.accounts.accounts()).find(({ email }) => email === EMAIL)!.id;
  for (const insert of [
    (id: string) => sql`insert into mail_links (id, purpose, email, payload, created_at, expires_at)
      values (${id}, 'verify', ${id}, '{}', ${service.now()}, ${LATER})`,
    (id: string) => sql`insert into sessions
      (id, account_id, created_at, expires_at, seen_at, amr, authenticated_at, agent)
      values (${id}, ${account}, 1, ${LATER}, 1, 'pwd', 1, '')`,
    (id: string) => sql`insert into oauth_rows (kind, id, payload, created_at, expires_at)
      values ('Filler', ${id}, '{}', 1, ${LATER})`,
  ])
    await assert.rejects(async () => {
      for (let n = 0; n < 10_000; n += 1) await insert(`filler ${n}`).execute(records);
    }, StoreUnavailable);
}

test('sign-in is not_ready with Retry-After', async () => {
  const answer = await fetch(`${service.url}/console/api/session/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
  });
  const { error } = (await answer.json()) as { error: { code: string; retry_after: number } };
  assert.deepEqual(
    [answer.status, error.code, answer.headers.get('retry-after'), error.retry_after],
    [503, 'not_ready', '2', 2],
  );
});

test('token, registration and revocation say temporarily_unavailable in the form of RFC 6749', async () => {
  for (const answer of [
    await client.token({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token }),
    await new OAuthClient(service.baseUrl).register(),
  ]) {
    const { error } = (await answer.json()) as { error: string };
    assert.deepEqual([answer.status, error, answer.headers.get('retry-after')], [503, 'temporarily_unavailable', '2']);
  }
});

test('a browser on its way to consent reads a sentence in its language', async () => {
  for (const [prefix, words] of [
    ['', '请稍后再试'],
    ['/en', 'Please try again shortly'],
  ] as const) {
    const { redirect } = remote;
    const page = await new BrowserJar(service.url).go(
      new OAuthClient(service.baseUrl, { prefix, redirect }).authorizeUrl({ client_id: remote.clientId }),
    );
    assert.deepEqual([page.status, page.headers.get('retry-after')], [503, '2']);
    assert.match(page.text, new RegExp(`<h1>${words}</h1>`));
  }
});

test('an app on the same computer learns it by the protocol', async () => {
  const sent = await new BrowserJar(service.url).go(client.authorizeUrl());
  assert.equal(new URL(sent.headers.get('location')!).searchParams.get('error'), 'temporarily_unavailable');
});

test('an app that is signed in goes on: only the note of its use waits', async () => {
  service.advance(120_000);
  assert.equal(await callStatus(`${service.url}/en/mcp/account`, tokens.access_token), 200);
});

test('a transaction that finds the disk full is taken back, and the next question is answered', async () => {
  const failing = service.records.transaction().execute(async (trx) => {
    for (let n = 0; n < 10_000; n += 1)
      await sql`insert into mail_links (id, purpose, email, payload, created_at, expires_at)
        values (${`more ${n} ${'x'.repeat(200)}`}, 'verify', 'more', '{}', 1, 1)`.execute(trx);
  });
  await assert.rejects(failing, StoreUnavailable);
  assert.equal(
    (await service.records.selectFrom('mail_links').selectAll().where('id', 'like', 'more%').execute()).length,
    0,
  );
});
