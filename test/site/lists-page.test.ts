import assert from 'node:assert/strict';
import { covers } from '../spec/covers.ts';
import { LANGUAGES, siteTests, until } from '../support/browser-site.ts';
import { pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import type { ServeProcess } from '../support/serve-process.ts';

let base: string;
let server: ServeProcess;
const test = siteTests((site) => {
  ({ base, server } = site);
});
const { c, prefix, t } = LANGUAGES.en;

test('an account makes a list, sees who fetched it, and lets the policy of a key observe', async (open) => {
  covers('LISTS-PAGE');
  const { page } = await open({ as: 'op' });
  await page.goto(`${base}${prefix}/console/keys`);
  await page.getByRole('button', { name: c.keys.create }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(c.keys.name).fill('Edge');
  await dialog.getByLabel(c.keys.bouncer).check();
  await dialog.getByLabel(c.keys.bouncerScore).fill('60');
  await dialog.getByLabel(c.keys.single).check();
  await dialog.getByRole('button', { name: c.keys.submit }).click();
  const bouncerKey = await page.getByTestId('new-key').innerText();
  await page.getByText(c.keys.isBouncer, { exact: true }).waitFor();
  const keys = pulseJson(server.dataDir, 'key list') as unknown as {
    name: string;
    key_id: string;
    account_id: string;
    bouncer?: object;
  }[];
  const { bouncer, key_id, account_id } = keys.find(({ name }) => name === 'Edge')!;
  assert.deepEqual(bouncer, { min_score: 60, max: 15_000, single_addresses: true });
  const { key } = pulseJson(server.dataDir, ['key', 'create', '--account', account_id, '--name', 'Firewall']);
  const fetchWith = (secret: unknown): Promise<Response> =>
    fetch(`${base}/lists/edge_proxies.csv`, { headers: { 'X-API-Key': String(secret) } });

  await page.goto(`${base}${prefix}/console/lists`);
  await page.getByRole('button', { name: c.lists.create }).click();
  await dialog.getByLabel(c.lists.columns.name).fill('edge_proxies');
  await dialog.getByLabel(c.lists.minScore).fill('30');
  await dialog.getByLabel(c.lists.challenged).check();
  await dialog.getByLabel(t.verdict.signal.proxy.name).check();
  await dialog.getByLabel(c.lists.exclude).fill('192.0.2.0/24\n198.51.100.7');
  await dialog.getByRole('button', { name: c.lists.save }).click();
  const row = page.locator('[data-list=edge_proxies]');
  await row.getByText(c.lists.never).waitFor();
  await row.getByLabel(c.lists.edit).click();
  await dialog.getByLabel(c.lists.max).fill('5000');
  await dialog.getByRole('button', { name: c.lists.save }).click();
  await row.getByText(/score from 30.*with what is only challenged.*at most 5,000.*without 2/s).waitFor();
  assert.equal((await fetchWith(bouncerKey)).status, 403);
  const fetched = await fetchWith(key);
  assert.equal(fetched.status, 200);
  const rows = (await fetched.text()).trim().split('\n').slice(1);
  assert.ok(rows.length > 0 && rows.every((line) => line.includes('proxy')), rows.join());
  await eventually(async () => {
    await page.reload();
    await row.waitFor();
    return (await row.innerText()).includes(`prefixes: ${rows.length},`);
  });
  assert.match(await row.innerText(), /with Firewall/);

  const policy = page.locator(`[data-policy=${key_id}]`);
  await policy.getByText(c.lists.acts).waitFor();
  await policy.getByRole('button').click();
  await dialog.getByLabel(c.lists.deny, { exact: true }).selectOption('medium');
  await dialog.getByLabel(c.lists.tor).selectOption('deny');
  await dialog.getByLabel(c.lists.observe).check();
  await dialog.getByLabel(c.lists.allow).fill('192.0.2.0/24');
  await dialog.getByRole('button', { name: c.lists.save }).click();
  await policy.getByText(c.lists.observes).waitFor();
  const { policy: kept } = pulseJson(server.dataDir, ['policy', 'show', key_id]);
  assert.partialDeepStrictEqual(kept, { deny: 'medium', tor: 'deny', observe: true, allow: ['192.0.2.0/24'] });
  for (const [scheme, width] of [
    ['light', 1280],
    ['dark', 390],
  ] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 844 });
    await until(page, 'document.documentElement.scrollWidth <= document.documentElement.clientWidth');
  }
  await page.getByRole('button', { name: `${c.lists.delete}: edge_proxies` }).click();
  await dialog.getByRole('button', { name: c.lists.delete }).click();
  await row.waitFor({ state: 'detached' });
  assert.equal((await fetchWith(key)).status, 404);
});
