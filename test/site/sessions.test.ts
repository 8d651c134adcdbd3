/** Sign-out, sessions that end, the list of signed-in browsers and the offer of a second factor, in a real browser. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { covers } from '../spec/covers.ts';
import { createMember, LANGUAGES, PASSWORD, siteTests, until } from '../support/browser-site.ts';
import type { ServeProcess } from '../support/serve-process.ts';

let base: string;
let server: ServeProcess;
const test = siteTests((site) => {
  ({ base, server } = site);
});

async function signIn(page: Page, name: string, prefix = '/en'): Promise<void> {
  await page.goto(`${base}${prefix}/console/sign-in`);
  await page.fill('input[name=email]', `${name}@example.com`);
  await page.fill('input[type=password]', PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${base}${prefix}/console`);
}

const kept = (page: Page): Promise<string | null> => page.evaluate(`localStorage.getItem('pulse-recent')`);

async function lookUp(page: Page, ip: string): Promise<void> {
  await page.goto(`${base}/en/ip/${ip}`);
  await until(page, `localStorage.getItem('pulse-recent')?.includes(${JSON.stringify(ip)}) === true`);
}

test('addresses that were looked up are forgotten at sign-out, and when the session turns out to be over; those of a visitor stay', async (open) => {
  createMember(server, 'leaving');
  const { page, context } = await open({ refusals: [401] });
  await lookUp(page, '1.2.3.4');
  await page.goto(`${base}/en`);
  assert.match((await kept(page)) ?? '', /1\.2\.3\.4/, 'of a visitor');
  await signIn(page, 'leaving');
  await lookUp(page, '8.8.8.9');
  await page.goto(`${base}/en/console`);
  await page.getByRole('button', { name: LANGUAGES.en.t.site.nav.signOut }).click();
  await page.waitForURL(/sign-in/);
  assert.equal(await kept(page), null);

  await signIn(page, 'leaving');
  await lookUp(page, '8.8.8.9');
  await page.goto(`${base}/en/console`);
  await page.getByTestId('usage-today').waitFor();
  const [session] = (await context.cookies()).filter(({ name }) => name.endsWith('pulse_session'));
  await context.clearCookies({ name: session!.name });
  await page.getByRole('link', { name: LANGUAGES.en.c.nav.keys }).click();
  await page.locator('[data-code=sign_in_required]').waitFor();
  assert.equal(await kept(page), null, 'found out by a request');

  await signIn(page, 'leaving');
  await lookUp(page, '8.8.8.9');
  await context.clearCookies({ name: session!.name });
  await page.goto(`${base}/en`);
  assert.equal(await kept(page), null, 'found out by the next page');
});

for (const [colorScheme, { prefix, c }] of [
  ['light', LANGUAGES.zh],
  ['dark', LANGUAGES.en],
] as const)
  test(`signed-in browsers ${prefix}: listed, one is signed out, then all by the keyboard (${colorScheme}, 390 px)`, async (open) => {
    covers('SESSIONS-OWN');
    const name = `browsers-${colorScheme}`;
    createMember(server, name);
    const opening = { refusals: [401], colorScheme, viewport: { width: 390, height: 844 } } as const;
    const [{ page }, other] = [await open(opening), await open(opening)];
    await signIn(other.page, name, prefix);
    await signIn(page, name, prefix);
    await page.goto(`${base}${prefix}/console/profile`);
    await page.locator('[data-session=other]').waitFor();
    assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
    assert.match(
      await page.locator('[data-session=current]').innerText(),
      new RegExp(`Chrome.*${c.sessions.here}`, 's'),
    );
    await page.locator('[data-session=other]').getByRole('button').click();
    await page.locator('[data-session=other]').waitFor({ state: 'detached' });
    await other.page.reload();
    await other.page.waitForURL(/sign-in/);

    await signIn(other.page, name, prefix);
    await page.getByRole('button', { name: c.sessions.everywhere }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: c.sessions.everywhere }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/sign-in/);
    await other.page.reload();
    await other.page.waitForURL(/sign-in/);
  });

test('an operator who signs in with a password alone is offered a second factor, and may put it off; other accounts are not', async (open) => {
  createMember(server, 'bare-operator', '--operator');
  const { c } = LANGUAGES.en;
  const { page } = await open();
  const offer = page.getByRole('dialog', { name: c.factors.offerTitle });
  await signIn(page, 'bare-operator');
  await offer.waitFor();
  await offer.getByRole('button', { name: c.factors.offerLater }).last().click();
  await offer.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('heading', { level: 1 }).waitFor();
  assert.equal(await offer.count(), 0, 'until the next sign-in');
  await page.getByRole('button', { name: LANGUAGES.en.t.site.nav.signOut }).click();
  await page.waitForURL(/sign-in/);
  await signIn(page, 'bare-operator');
  await offer.waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/console\/profile/);
  await page.getByRole('button', { name: c.factors.addTotp }).waitFor();

  const member = await open();
  createMember(server, 'plain-member');
  await signIn(member.page, 'plain-member');
  await member.page.getByRole('heading', { level: 1 }).waitFor();
  assert.equal(await member.page.getByRole('dialog').count(), 0);
});
