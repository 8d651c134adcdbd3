/** The secret is exchanged while apps sign in: a sign-in begun under the former one is finished under the new one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { removeOldSecret, rotateSecret } from '../../src/adapters/data-folder/rotate-secret.ts';
import { unixMs } from '../../src/core/units.ts';
import { BrowserJar } from '../support/browser-jar.ts';
import { PASSWORD, startMcpService, type TestService } from '../support/mcp-service.ts';
import { callStatus, codeIn, OAuthClient, tokensOf } from '../support/oauth-client.ts';
import { testFolder } from '../support/test-folder.ts';

const dataDir = testFolder('oauth-rotation');
const folder = { dataDir, secret: undefined, databaseUrl: undefined };
const EMAIL = 'owner@example.com';

const faults: string[] = [];
/** One run of the service over the folder; the port stays, as the public address does. */
async function run<T>(port: number | undefined, work: (service: TestService) => Promise<T>): Promise<T> {
  const service = await startMcpService({ dataDir, ...(port !== undefined && { port }) });
  try {
    return await work(service);
  } finally {
    await service.close();
    faults.push(...service.faults);
  }
}

const rotate = () => rotateSecret(folder, { at: unixMs(Date.now()), days: 7, renew: [] });

test('sign-in pages, consent pages, codes and tokens from before a rotation are finished after it; when the former secret is forgotten, pages begin again and tokens go on', async () => {
  const begun = await run(undefined, async (service) => {
    await service.account(EMAIL);
    const [page, consent] = [new BrowserJar(service.url), new BrowserJar(service.url)];
    const client = new OAuthClient(service.baseUrl);
    const consentPage = await client.consent(consent, EMAIL);
    const signInPage = await page.go(client.authorizeUrl());
    return {
      port: Number(new URL(service.url).port),
      client,
      page: { jar: page, at: signInPage },
      consent: { jar: consent, at: consentPage },
      code: await client.codeOf(EMAIL),
      tokens: await client.signIn(EMAIL),
    };
  });
  await rotate();

  const later = await run(begun.port, async (service) => {
    const { client, page, consent } = begun;
    const signedIn = await page.jar.submit(page.at, 'sign-in', { email: EMAIL, password: PASSWORD });
    assert.match(signedIn.text, /value="approve"/, 'the sign-in form of before is taken, and consent is asked');
    const first = await tokensOf(client.exchange(codeIn((await page.jar.submit(signedIn, 'approve')).url)));
    const second = await tokensOf(client.exchange(codeIn((await consent.jar.submit(consent.at, 'approve')).url)));
    const third = await tokensOf(client.exchange(begun.code));
    const renewed = await tokensOf(client.refresh(begun.tokens.refresh_token));
    for (const { access_token } of [first, second, third, renewed, begun.tokens])
      assert.equal(await callStatus(client.resource, access_token), 200);
    const jar = new BrowserJar(service.url);
    return { open: { jar, at: await jar.go(client.authorizeUrl()) }, tokens: renewed };
  });
  await removeOldSecret(folder, undefined);
  await rotate();
  await removeOldSecret(folder, undefined);

  await run(begun.port, async () => {
    const { client } = begun;
    const refused = await later.open.jar.submit(later.open.at, 'sign-in', { email: EMAIL, password: PASSWORD });
    assert.equal(refused.status, 400, 'the cookie of the sign-in was signed with a secret that is gone');
    const again = await later.open.jar.go(client.authorizeUrl());
    assert.match(again.text, /value="sign-in"/);
    const renewed = await tokensOf(client.refresh(later.tokens.refresh_token));
    assert.equal(await callStatus(client.resource, renewed.access_token), 200);
  });
  assert.deepEqual(faults, []);
});
