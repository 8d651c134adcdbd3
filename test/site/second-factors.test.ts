import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { createMember, dropSession, LANGUAGES, PASSWORD, siteTests } from '../support/browser-site.ts';
import { pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { OAuthClient } from '../support/oauth-client.ts';
import type { ServeProcess } from '../support/serve-process.ts';
import { authenticatorCode } from '../support/soft-passkey.ts';

const MINUTE_MS = 60_000;
const OPERATOR = 'second-operator';
const { c } = LANGUAGES.en;
let server: ServeProcess;
let base: string;
const test = siteTests((site) => {
  ({ server, base } = site);
});

/** Accounts of this file alone: their sessions end, and signing in asks them for more. */
async function signUp(name: string): Promise<string> {
  const answer = await fetch(`${base}/console/api/session/sign-up`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: `${name}@example.com`, password: PASSWORD }),
  });
  assert.equal(answer.status, 200, await answer.text());
  return name;
}

const codeOf = (secret: string, steps = 0): string => authenticatorCode(secret, server.now(), steps);

interface ListedAccount {
  readonly account_id: string;
  readonly email: string;
  readonly dpa: boolean;
  readonly require_factor: boolean;
}
const accountOf = (name: string): ListedAccount =>
  (pulseJson(server.dataDir, ['account', 'list']) as unknown as ListedAccount[]).find(
    ({ email }) => email === `${name}@example.com`,
  )!;

async function enterPassword(page: Page, name: string): Promise<void> {
  await page.fill('input[name=email]', `${name}@example.com`);
  await page.fill('input[name=password]', PASSWORD);
  await page.click('form button[type=submit]');
}

test('a passkey: added in the profile, asked for at sign-in and by the OAuth page, renamed and removed', async (open) => {
  const holder = await signUp('holder');
  const { page, context } = await open({ as: holder });
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto(`${base}/en/console/profile`);
  await page.getByRole('button', { name: c.factors.addPasskey }).click();
  await page.getByRole('textbox', { name: c.factors.name }).fill('Test key');
  await page.getByRole('button', { name: c.factors.create }).click();
  await page.getByTestId('recovery-codes').waitFor();
  assert.equal(await page.getByTestId('recovery-codes').getByRole('listitem').count(), 10);
  await page.getByText('Test key', { exact: true }).waitFor();
  assert.equal((await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length, 1);

  await page.getByRole('button', { name: `${c.factors.rename}: Test key` }).click();
  await page.getByRole('textbox', { name: c.factors.name }).fill('Desk');
  await page.getByRole('button', { name: c.factors.save, exact: true }).click();
  await page.getByText('Desk', { exact: true }).waitFor();

  // The same browser, signed out: the password leads to the passkey. One whose holder is not verified opens nothing.
  await dropSession(page);
  await page.goto(`${base}/en/console/sign-in`);
  await enterPassword(page, holder);
  await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await page.getByRole('button', { name: c.factors.usePasskey }).click();
  await page.getByText(c.factors.declined).waitFor();
  await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
  await page.getByRole('button', { name: c.factors.usePasskey }).click();
  await page.waitForURL(`${base}/en/console`);

  // An app asks: the page without scripts leads to the console and back.
  await dropSession(page);
  const client = new OAuthClient(base, { prefix: '/en' });
  await client.register();
  await page.goto(client.authorizeUrl());
  await page.fill('input[name=email]', `${holder}@example.com`);
  await page.fill('input[name=password]', PASSWORD);
  await page.click('button[value=sign-in]');
  await page.getByRole('link', { name: 'Sign in with a passkey instead' }).click();
  await enterPassword(page, holder);
  await page.getByRole('button', { name: c.factors.usePasskey }).click();
  await page.locator('button[value=approve]').waitFor();

  await page.goto(`${base}/en/console/profile`);
  await page.getByRole('button', { name: `${c.factors.remove}: Desk` }).click();
  await page.getByRole('button', { name: c.factors.remove, exact: true }).click();
  await page.getByText('Desk', { exact: true }).waitFor({ state: 'detached' });
  await devtools.detach();
});

test('an authenticator app: set up by its key, asked for at sign-in; a wrong code is refused in the reader’s words; reset by the operator', async (open) => {
  const words = c.factors;
  const at = `${base}/en/console`;
  const name = await signUp('codes');
  const { page } = await open({ as: name, refusals: [401] });
  await page.goto(`${at}/profile`);
  await page.getByRole('button', { name: words.addTotp }).click();
  await page.getByRole('img', { name: words.qr }).waitFor();
  const secret = await page.getByTestId('totp-secret').innerText();
  assert.match(secret, /^[A-Z2-7]{32}$/);
  await page.fill('input[name=code]', '000000');
  await page.getByRole('button', { name: words.enable }).click();
  await page.getByText(words.wrong).waitFor();
  await page.fill('input[name=code]', codeOf(secret));
  await page.getByRole('button', { name: words.enable }).click();
  const codes = page.getByTestId('recovery-codes').getByRole('listitem');
  await codes.first().waitFor();
  const spare = await codes.first().innerText();

  for (const answer of [() => codeOf(secret, 1), () => spare]) {
    await dropSession(page);
    await page.goto(`${at}/sign-in`);
    await enterPassword(page, name);
    await page.fill('input[name=code]', 'wrong');
    await page.getByRole('button', { name: words.go }).click();
    await page.getByText(words.wrong).waitFor();
    await page.fill('input[name=code]', answer());
    await page.getByRole('button', { name: words.go }).click();
    await page.waitForURL(at);
  }
  const { account_id: id } = accountOf(name);
  assert.deepEqual(pulseJson(server.dataDir, ['account', 'reset-factors', id]), { account_id: id, removed: 1 });
  await dropSession(page);
  await page.goto(`${at}/sign-in`);
  await enterPassword(page, name);
  await page.waitForURL(at);
});

test('an operator’s change after 15 minutes: a dialog asks who it is, and the change is made; cancelled, it is not', async (open, t) => {
  const member = await signUp('member');
  createMember(server, OPERATOR, '--operator');
  const { page } = await open({ as: OPERATOR, refusals: [401, 403] });
  await page.goto(`${base}/en/console/operator/accounts`);
  const row = page.locator('[data-account]', { hasText: `${member}@example.com` });
  const dpa = row.getByRole('checkbox', { name: `${c.operator.columns.dpa}: ${member}@example.com` });
  await dpa.waitFor();
  await server.moveClock(16 * MINUTE_MS);
  t.after(() => server.moveClock(-16 * MINUTE_MS));
  await dpa.click();
  await row.getByRole('button', { name: c.operator.save }).click();
  const dialog = page.getByRole('dialog', { name: c.factors.confirmTitle });
  await dialog.waitFor();
  await dialog.getByRole('button', { name: c.common.cancel, exact: true }).last().click();
  await row.locator('[data-code=forbidden]').waitFor();
  await row.getByRole('button', { name: c.operator.save }).click();
  await dialog.waitFor();
  await dialog.locator('input[name=password]').fill('not the password');
  await dialog.getByRole('button', { name: c.common.confirm }).click();
  await dialog.getByText(c.factors.wrongPassword).waitFor();
  await dialog.locator('input[name=password]').fill(PASSWORD);
  await dialog.getByRole('button', { name: c.common.confirm }).click();
  await dialog.waitFor({ state: 'detached' });
  await eventually(() => accountOf(member).dpa);
});

test('an operator that must have a factor is led to the profile', async (open) => {
  pulseJson(server.dataDir, ['account', 'set', accountOf(OPERATOR).account_id, '--require-factor', 'on']);
  assert.equal(accountOf(OPERATOR).require_factor, true);
  const { page } = await open({ as: OPERATOR, refusals: [403] });
  await eventually(async () => {
    await page.goto(`${base}/en/console/operator/accounts`);
    await page.locator('[data-account], [data-code=forbidden]').first().waitFor();
    return (await page.locator('[data-code=forbidden]').count()) > 0;
  });
  await page.locator('[data-code=forbidden]').getByRole('link', { name: c.nav.profile }).click();
  await page.getByText(c.factors.required).waitFor();
});
