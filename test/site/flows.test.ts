import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { formatDay, formatInstant } from '../../console/src/format.ts';
import { fill } from '../../console/src/locale-path.ts';
import type { Explanation, IPRisk } from '../../src/contract/documents.ts';
import { riskTypeWords } from '../../src/contract/risk.ts';
import type { ShownNames } from '../../src/contract/shown-names.ts';
import { splitRow } from '../../src/core/csv/split-row.ts';
import { PHONE_WORDS } from '../../src/core/phone/phone-words.ts';
import { covers } from '../spec/covers.ts';
import { CONTACT, createMember, follow, LANGUAGES, PASSWORD, siteTests, until } from '../support/browser-site.ts';
import { createAccount, createKey } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { callStatus, OAuthClient, type Tokens } from '../support/oauth-client.ts';
import { pulseOver } from '../support/pulse-command.ts';
import type { ServeProcess } from '../support/serve-process.ts';
import { testFolder } from '../support/test-folder.ts';

let server: ServeProcess;
let base: string;
const test = siteTests((site) => {
  ({ server, base } = site);
});

const lookUp = async (page: Page, ip: string): Promise<void> => {
  await page.fill('input[name=ip]', ip);
  await page.press('input[name=ip]', 'Enter');
};

const focused = (page: Page): Promise<string> => page.evaluate('document.activeElement.textContent');

// pages.test.ts shows each page in both languages.
const { prefix, t: words, c, d } = LANGUAGES.en;
test('each state of an address is shown as such', async (open) => {
  const { page } = await open({ refusals: [400, 404] });
  await page.goto(`${base}${prefix}`);
  assert.ok(await page.getByRole('button', { name: '8.8.8.8', exact: true }).isVisible(), 'examples are offered');
  assert.equal(await page.getByRole('button', { name: '127.0.0.1' }).count(), 0, 'a private own address is not');

  await lookUp(page, '1.2.3.4');
  await page.locator('[data-state=active]').waitFor();
  assert.equal(page.url(), `${base}${prefix}/ip/1.2.3.4`);
  assert.equal(await focused(page), '1.2.3.4', 'the keyboard is at the answer');
  assert.ok(await page.getByText(words.verdict.signal.proxy.text).isVisible());
  assert.match(await page.getByTestId('allowance').innerText(), /1,000/);

  await lookUp(page, '8.8.8.9');
  await page.locator('[data-state=stale]').waitFor();
  assert.ok(await page.getByText(words.verdict.state.stale.text).isVisible());

  await lookUp(page, '8.8.8.8');
  await page.locator('[data-state=none]').waitFor();
  assert.ok(await page.getByText(words.verdict.state.none.text).isVisible());
  assert.ok(await page.getByText(words.usage.DNS).isVisible());
  await page.getByText('AS15169 Google LLC').waitFor();
  assert.ok(await page.locator('svg[role=img]').isVisible(), 'the map is drawn');

  for (const [ip, code] of [
    ['10.0.0.1', 'reserved_ip'],
    ['8.8.8', 'invalid_ip'],
    ['203.0.114.9', 'not_found'],
  ] as const) {
    await lookUp(page, ip);
    await page.locator(`[data-code=${code}]`).waitFor();
    assert.ok(await page.getByText(words.problem[code].title).isVisible());
    assert.equal(await page.locator('[data-state]').count(), 0, 'an error never looks like a verdict');
  }

  await page.locator('h1').click();
  await page.keyboard.press('/');
  await page.keyboard.type('"hxxp://1[.]2[.]3[.]4:8080/x"');
  await page.keyboard.press('Enter');
  await page.locator('[data-state=active]').waitFor();
  assert.equal(page.url(), `${base}${prefix}/ip/1.2.3.4`);
  await lookUp(page, '8.8.8.9; 8.8.8.8, 10.1.0.0/16');
  assert.ok(await page.getByText('10.1.0.0/16').isVisible(), 'a network is named as one');
  await page.getByRole('button', { name: '8.8.8.9', exact: true }).click();
  await page.locator('[data-state=stale]').waitFor();
});

test("the verdict about the visitor's own address leads to the page where to object, and no other verdict does", async (open) => {
  covers('SITE-OBJECTION');
  for (const { prefix, t, d } of Object.values(LANGUAGES)) {
    const { page } = await open({ locale: prefix === '' ? 'zh-CN' : 'en' });
    // The service sees this machine's address, which cannot be looked up.
    await page.route(/\/ip\/[\d.]+$/, async (route) => {
      if (!route.request().isNavigationRequest()) return route.continue();
      const response = await route.fetch();
      const own = 'name="client-address" content="1.2.3.4"';
      await route.fulfill({ response, body: (await response.text()).replace('name="client-address" content=""', own) });
    });
    await page.goto(`${base}${prefix}/ip/8.8.8.9`);
    await page.locator('[data-state=stale]').waitFor();
    assert.equal(await page.getByText(t.verdict.yours).count(), 0);
    await page.goto(`${base}${prefix}/ip/1.2.3.4`);
    await page.locator('[data-state=active]').waitFor();
    await page.getByRole('link', { name: t.verdict.object }).click();
    await page.getByRole('heading', { name: d.objection.title }).waitFor();
    await page.getByText('14–28').first().waitFor();
    const href = await page.getByRole('link', { name: CONTACT }).getAttribute('href');
    assert.equal(
      href,
      `mailto:${CONTACT}?subject=${encodeURIComponent(fill(d.objection.contact.subject, { ip: '1.2.3.4' }))}`,
    );

    await page.route(/\/objection$/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace(/<meta name="contact"[^>]*>/, '') });
    });
    await page.goto(`${base}${prefix}/objection`);
    await page.getByText(d.objection.contact.none).waitFor();
    assert.equal(await page.getByText(CONTACT).count(), 0);
  }
});

test('a Chinese reader sees Chinese names of a place, and sensors as the reason where no signal stands', async (open) => {
  const { page } = await open();
  await page.route('**/v1/ip/1.2.3.4', async (route) => {
    const response = await route.fetch();
    const geo = { country: 'CN', region: 'Guangdong', city: 'Shenzhen', admin_code: '440305' };
    const { risk, ...document } = (await response.json()) as IPRisk;
    await route.fulfill({ response, json: { ...document, risk: { ...risk, signals: ['hosting'] }, geo } });
  });
  await page.route('**/names?ip=*', async (route) =>
    route.fulfill({ response: await route.fetch({ url: `${base}/console/api/names?division=440305` }) }),
  );
  await page.goto(`${base}/ip/1.2.3.4`);
  await page.getByText('中国 广东省 深圳市 南山区').waitFor();
  await page.getByText(LANGUAGES.zh.t.verdict.own.text).waitFor();
  for (const query of ['asn=x', 'asn=1&asn=2', 'asn=1,', `asn=${Array(101).fill(1)}`, 'division=44'])
    assert.equal((await fetch(`${base}/console/api/names?${query}`)).status, 400, query);
});

test('a visitor signs up, makes a key, uses it, sees the use, revokes it and signs out', async (open) => {
  covers('CONSOLE-KEYS');
  const { page } = await open();
  await page.goto(`${base}${prefix}`);
  await page.getByRole('link', { name: words.site.nav.signIn }).click();
  await page.getByRole('link', { name: c.signIn.signUp }).click();
  const email = 'new@example.com';
  await page.fill('input[name=email]', email);
  await page.fill('input[name=password]', PASSWORD);
  await page.getByRole('button', { name: c.signUp.submit }).click();
  await page.getByTestId('usage-today').waitFor();
  assert.equal(page.url(), `${base}${prefix}/console`);
  const next = page.getByTestId('next-steps');
  const steps = await next.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  const paths = ['/console/keys', '/docs/examples'];
  assert.deepEqual(
    steps,
    paths.map((path) => prefix + path),
  );
  await page.getByText(c.usage.grantedAll).waitFor();

  await next.getByRole('link', { name: c.start.key[0]! }).click();
  await page.getByRole('button', { name: c.keys.create }).click();
  await page.getByRole('dialog').getByLabel(c.keys.name).fill('Login service');
  await page.getByRole('dialog').getByRole('button', { name: c.keys.submit }).click();
  const key = await page.getByTestId('new-key').innerText();
  assert.match(key, /^pk_/);

  const answer = await fetch(`${base}/v1/ip/1.2.3.4`, { headers: { 'X-API-Key': key } });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('x-daily-limit'), '5000');
  await follow(page, `${prefix}/console`);
  await page.getByTestId('usage-today').waitFor();
  await page.getByText('Login service').waitFor();
  assert.equal(await next.count(), 0, 'the steps are done');
  assert.match(await page.getByTestId('usage-today').innerText(), /1 (of|\/) 5,000/);

  // The same allowance on the start page.
  await follow(page, prefix);
  await until(page, `document.querySelector('[data-testid=allowance]').textContent.includes('4,999')`);
  await lookUp(page, '8.8.8.8');
  await until(page, `document.querySelector('[data-testid=allowance]').textContent.includes('4,998')`);

  await follow(page, `${prefix}/console/keys`);
  await page.getByRole('button', { name: `${c.keys.revoke}: Login service` }).click();
  assert.equal(await page.getByText(key).count(), 0, 'the secret is shown once');
  await page.getByRole('dialog').getByRole('button', { name: c.keys.revoke }).click();
  await page.getByText(c.keys.state.revoked).waitFor();
  const refused = await eventually(async () => {
    const used = await fetch(`${base}/v1/ip/1.2.3.4`, { headers: { 'X-API-Key': key } });
    return used.status === 401 && used;
  });
  assert.equal(((await refused.json()) as { error: { code: string } }).error.code, 'revoked_key');

  await page.getByRole('button', { name: words.site.nav.signOut }).click();
  await page.waitForURL(`${base}${prefix}/console/sign-in*`);
});

test('the professional view shows rows, tier, past and future, and the slider asks for a past moment', async (open) => {
  const { page } = await open({ as: 'op', refusals: [400] });
  await page.goto(`${base}${prefix}/ip/1.2.3.4`);
  await page.getByTestId('exits').waitFor();
  const answer = page.getByTestId('verdict');
  const shows = (state: string): Promise<void> => page.locator(`[data-state=${state}]`).waitFor();
  assert.match(await page.getByTestId('evidence').innerText(), /T2/);
  assert.match(
    await page.getByTestId('headline').innerText(),
    /^Proxy, also seen as .*\. Last seen \d+ minutes ago\.$/,
  );
  const { network, geo } = (await (await fetch(`${base}/v1/ip/1.2.3.4`)).json()) as IPRisk;
  assert.ok(await page.getByText(`AS${network!.asn}`).isVisible());
  assert.ok(await page.locator('dd').getByText(String(geo!.city)).isVisible());
  assert.ok(await page.getByRole('cell', { name: 'proxy' }).isVisible());
  assert.ok(await page.getByText(riskTypeWords('en').honeypot_scan.name).first().isVisible());
  assert.ok((await page.getByTestId('exits').locator('li').count()) >= 2);

  await page.emulateMedia({ media: 'print' });
  for (const screen of [page.getByRole('navigation').first(), page.getByRole('button').first(), page.locator('form')])
    assert.ok(await screen.isHidden());
  assert.ok(await answer.isHidden(), 'paper shows the case alone');
  const sheet = page.locator('[data-case]');
  assert.ok(await sheet.isVisible());
  for (const part of [/^1\.2\.3\.4 {2}\d+ /, new RegExp(`AS${network!.asn}`), /rdap\./, /\?at=/])
    assert.match(String(await sheet.getAttribute('data-case')), part);
  const paper = (await page.pdf({ format: 'A4' })).toString('latin1');
  assert.equal(paper.match(/\/Type \/Page\b/g)?.length, 1, 'one sheet');
  await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
  await until(page, `document.documentElement.dataset.mantineColorScheme === 'dark'`);
  const schemeOn = (event: string) =>
    page.evaluate(`dispatchEvent(new Event('${event}')), document.documentElement.dataset.mantineColorScheme`);
  assert.deepEqual([await schemeOn('beforeprint'), await schemeOn('afterprint')], ['light', 'dark']);

  const slider = page.getByRole('slider', { name: c.evidence.slider });
  const asked = page.waitForResponse((response) => response.url().includes('/pulse/1.2.3.4?at='));
  await slider.focus();
  await page.keyboard.press('Home');
  const { answer: past } = (await (await asked).json()) as {
    answer: { evidence_state: string; evidence: readonly unknown[] };
  };
  assert.deepEqual([past.evidence_state, past.evidence], ['none', []]);
  await shows('none');
  assert.ok(await page.getByTestId('exits').isVisible(), 'what follows now is not what followed then');
  // The address of the page names the moment: it gives the same view again, and so do the browser's own buttons.
  const moment = new URL(page.url()).searchParams.get('at');
  assert.ok(moment !== null && (await asked).url().endsWith(`?at=${encodeURIComponent(moment)}`));
  await page.getByRole('button', { name: words.problem.now }).click();
  await shows('active');
  assert.equal(new URL(page.url()).search, '');
  await page.goBack();
  await shows('none');
  await page.reload();
  await shows('none');
  const shown = Number(await page.getByRole('slider').getAttribute('aria-valuenow'));
  assert.ok(Math.abs(shown - Date.parse(moment)) < 60_000, `${shown} for ${moment}`);
  assert.equal(await page.locator('[data-state=active]').count(), 0, 'not the verdict of now');

  for (const [at, code] of [
    ['yesterday', 'invalid_time'],
    ['2020-01-01T00:00:00Z', 'at_out_of_window'],
    ['2099-01-01T00:00:00Z', 'invalid_time'],
  ] as const) {
    await follow(page, `${prefix}/ip/1.2.3.4?at=${at}`);
    await page.locator(`[role=alert][data-code=${code}]`).waitFor();
    await page.getByTestId('timeline').waitFor();
    assert.equal(await answer.count(), 0, `no verdict in place of ${at}`);
  }
  await page.getByRole('button', { name: words.problem.now }).click();
  await shows('active');
  await follow(page, `${prefix}/ip/8.8.8.9`);
  await page.getByText(c.evidence.expired).waitFor();
  await page.getByText(c.evidence.over).first().waitFor();
  await follow(page, `${prefix}/ip/8.8.8.8`);
  await page.getByText(c.evidence.neverSeen).waitFor();
  const chart = page.locator('figure', { has: page.locator('span', { hasText: c.evidence.now }) });
  const parts = [chart, chart.locator('span', { hasText: c.evidence.now })];
  const [edge, labelEdge] = await Promise.all(
    parts.map((part) => part.evaluate((of) => of.getBoundingClientRect().right)),
  );
  assert.ok(Number(labelEdge) <= Number(edge), 'the label of the present moment stays inside the chart');
  await follow(page, `${prefix}/ip/2001:4860::1`);
  await page.getByText(c.evidence.noHistory6).waitFor();
});

test('phone numbers, one and a list with more columns, with the cost shown before and all columns after', async (open) => {
  const { page } = await open({ as: 'op' });
  await page.goto(`${base}${prefix}/console/phone`);
  await page.fill('input[type=tel]', '138 0013 8000');
  await page.getByRole('button', { name: c.phone.submit, exact: true }).click();
  const sheet = page.getByTestId('phone-sheet');
  await sheet.waitFor();
  const words = PHONE_WORDS.en;
  for (const text of ['+8613800138000', 'China Mobile · Beijing', words.names.sim_farm!, 'China +86 (assumed'])
    assert.ok((await sheet.innerText()).includes(text), text);
  await page.fill('input[type=tel]', '(170) 1234-5678');
  await page.getByRole('button', { name: c.phone.submit, exact: true }).click();
  await sheet.getByText(words.names.virtual_operator!).waitFor();

  await page.fill('input[type=tel]', '13800138000, 13900139000');
  await page.getByRole('button', { name: c.phone.submit, exact: true }).click();
  await page.getByText(fill(c.phone.several, { n: '2' })).waitFor();

  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.postData() ?? ''));
  const rows = [
    'name,tel,note',
    '"Li, secret",+8613800138000,=1+1',
    'secret,13900139000,',
    'secret,not a number,',
    'secret,1380013,',
    'secret,138-0013-8000,',
  ];
  await page.getByLabel(c.bulk.paste).fill(rows.join('\n'));
  await page.getByRole('button', { name: c.bulk.usePasted }).click();
  const cost = page.getByTestId('bulk-cost');
  await cost.waitFor();
  assert.match(await cost.innerText(), /at most 2 /);
  assert.equal(await page.getByLabel(c.phone.column).inputValue(), '2');
  await page.getByText(fill(c.phone.badLength, { n: 1 })).waitFor();
  await page.getByRole('button', { name: fill(c.bulk.run, { n: 2 }) }).click();
  await page.getByText(c.phone.bulk.done).waitFor();
  const results = page.getByTestId('phone-results');
  await results.getByText(fill(c.phone.stale, { n: 1 })).waitFor();
  assert.equal(await results.locator('tbody tr').count(), 4);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: c.bulk.csv }).click();
  const csv = readFileSync(await (await download).path(), 'utf8')
    .trim()
    .split('\r\n');
  assert.match(csv[0]!, /^name,tel,note,pulse_phone_e164,/);
  const shown = csv.slice(1).map((row) => {
    const cells = splitRow(row);
    return [...cells.slice(0, 4), cells[6], cells.at(-1)];
  });
  assert.deepEqual(shown, [
    ['Li, secret', '+8613800138000', "'=1+1", '+8613800138000', 'true', ''],
    ['secret', '13900139000', '', '+8613900139000', 'true', ''],
    ['secret', 'not a number', '', '', '', 'bad_number'],
    ['secret', '1380013', '', '+861380013', 'false', 'unqueryable_bad_length'],
    ['secret', '138-0013-8000', '', '+8613800138000', 'true', ''],
  ]);
  assert.ok(!sent.join().includes('secret'), 'only numbers are sent');
  assert.doesNotMatch(page.url(), /\d{6}/);
});

test('a log is read in the browser, its cost shown and agreed to, its addresses looked up, counted and downloaded', async (open) => {
  createMember(server, 'bulk', '--plan', 'professional');
  const { page, context } = await open({ as: 'bulk', refusals: [429, 503] });
  const asked: string[][] = [];
  // The first batch meets a used-up minute, the second a service that is not ready.
  const refusals = [
    { status: 429, code: 'rate_limited', retry_after: 1 },
    { status: 503, code: 'not_ready' },
  ];
  await context.route('**/console/api/ip/batch', async (route) => {
    asked.push((route.request().postDataJSON() as { readonly ips: string[] }).ips);
    const refusal = refusals[asked.length - 1];
    if (refusal === undefined) return await route.continue();
    const { status, ...error } = refusal;
    await route.fulfill({
      status,
      contentType: 'application/json',
      body: JSON.stringify({ error: { message: '', ...error } }),
    });
  });
  const remaining = async (): Promise<number> =>
    (
      (await (await context.request.get(`${base}/console/api/usage`)).json()) as {
        readonly me: { readonly remaining: number };
      }
    ).me.remaining;
  const before = await remaining();
  await page.goto(`${base}${prefix}/console/bulk`);
  const ips = ['8.8.8.8', '1.2.3.4', '1.2.3.4', '1.2.3.4', '8.8.8.8', '8.8.8.9', '203.0.114.9', '10.0.0.1', '-'];
  const log = ips.map((ip, i) => `${ip} - - [20/Nov/2026:0${i}:00:00 +0000] "GET /=1+1 HTTP/1.1" 200 17`).join('\n');
  await page.setInputFiles('input[type=file]', {
    name: 'access<b>.log',
    mimeType: 'text/plain',
    buffer: gzipSync(log),
  });
  const found = page.getByTestId('bulk-found');
  await found.waitFor();
  assert.match(await found.innerText(), /access<b>\.log.*common/);
  const cost = page.getByTestId('bulk-cost');
  await cost.waitFor();
  assert.match(
    await cost.innerText(),
    new RegExp(`4.*${before.toLocaleString('en')}|${before.toLocaleString('en')}.*4`),
  );
  assert.deepEqual([asked, await remaining()], [[], before], 'nothing is spent before it is agreed to');

  await page.getByRole('button', { name: fill(c.bulk.run, { n: 4 }) }).click();
  await page.getByRole('button', { name: fill(c.bulk.resume, { n: 4 }) }).click();
  await page.getByText(c.bulk.done).waitFor();
  assert.deepEqual(asked, Array(3).fill(['1.2.3.4', '8.8.8.8', '8.8.8.9', '203.0.114.9']), 'most frequent first, once');
  assert.equal(await remaining(), before - 3, 'charged like a batch: what is not known is given back');

  // A log begins with the report itself, in a frame as high as it is.
  const frame = page.frameLocator(`iframe[title="${c.bulk.reportOf}"]`);
  await frame.getByText('AS15169 Google LLC').first().waitFor();
  assert.ok(await frame.locator('svg.map').isVisible());
  await until(
    page,
    `(({ clientHeight, contentDocument: { documentElement } }) => clientHeight >= documentElement.scrollHeight)(document.querySelector('iframe'))`,
  );
  assert.match(
    await frame.locator('tbody', { hasText: '1.2.3.4' }).first().innerText(),
    /3[\s\S]*\/=1\+1 ×3 · 200 ×3 · 51B/,
  );
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: c.bulk.csv }).click();
  const rows = readFileSync(await (await download).path(), 'utf8')
    .trim()
    .split('\r\n');
  assert.deepEqual(
    rows.map((row) => row.split(',').slice(0, 3)),
    [
      ['ip', 'lines', 'evidence_state'],
      ['1.2.3.4', '3', 'active'],
      ['8.8.8.8', '2', 'none'],
      ['8.8.8.9', '1', 'stale'],
      ['203.0.114.9', '1', ''],
    ],
  );
  assert.ok(rows.at(-1)!.endsWith(',not_found'));
  const report = page.waitForEvent('download');
  await page.getByRole('button', { name: c.bulk.report }).click();
  const html = readFileSync(await (await report).path(), 'utf8');
  assert.ok(html.includes('access&lt;b&gt;.log') && html.includes('1.2.3.0/24') && html.includes('AS15169 Google LLC'));

  await page.getByRole('tab', { name: c.bulk.addresses }).click();
  const table = page.getByTestId('bulk-addresses');
  await table.getByText('AS15169 Google LLC').first().waitFor();
  assert.deepEqual(await table.locator('tbody tr a').allInnerTexts(), ['1.2.3.4', '8.8.8.9', '8.8.8.8', '203.0.114.9']);
  const stopped = table.getByTestId('stopped-from');
  await stopped.getByRole('slider').press('Home');
  assert.match(await stopped.innerText(), /score 1 on would have stopped 1 of 4 addresses/);
  await stopped.getByRole('slider').press('End');
  assert.match(await stopped.innerText(), /score 100 on would have stopped 0 of 4 addresses, 0 of/);
  await table.getByLabel(c.bulk.filter).fill('google');
  assert.deepEqual(await table.locator('tbody tr a').allInnerTexts(), ['8.8.8.9', '8.8.8.8']);

  await page.getByRole('button', { name: c.bulk.another }).click();
  await page.getByLabel(c.bulk.paste).fill('no address\nis here');
  await page.getByRole('button', { name: c.bulk.usePasted }).click();
  await page.locator('[data-reason=layout]').waitFor();
});

test('a text with many addresses is carried from the start page through signing in, read whole, and shown as one table with each loss counted', async (open) => {
  covers('BULK-ANY-TEXT');
  createMember(server, 'pasted', '--plan', 'professional');
  const { page } = await open();
  const text = 'used 1.2.3[.]4 and hxxp://8.8.8[.]8/x\nsrc=8.8.8.9 dst=10.0.0.7, not 203.0.113.0/24\nnothing here\n';
  await page.goto(`${base}${prefix}/`);
  await page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', ${JSON.stringify(text)});
    document.querySelector('input[name=ip]').dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  })()`);
  await page.getByRole('button', { name: words.home.submit }).click();
  await page.getByRole('link', { name: words.home.foundBulk }).click();
  await page.waitForURL(/sign-in/);
  assert.doesNotMatch(decodeURIComponent(page.url()), /1\.2\.3/, 'the text is in no address');
  await page.fill('input[name=email]', 'pasted@example.com');
  await page.fill('input[name=password]', PASSWORD);
  await page.getByRole('button', { name: c.signIn.submit }).click();
  assert.match(await page.getByTestId('bulk-found').innerText(), /: 3 .* 3 lines$/);
  const leftOut = await page.getByTestId('bulk-left-out').innerText();
  const { networks, reserved, withoutAddress } = c.bulk.leftOut;
  for (const sentence of [
    fill(networks, { n: 1, names: '203.0.113.0/24' }),
    fill(reserved, { n: 1 }),
    fill(withoutAddress, { n: 1 }),
  ])
    assert.ok(leftOut.includes(sentence), leftOut);
  await page.getByRole('button', { name: fill(c.bulk.run, { n: 3 }) }).click();
  const table = page.getByTestId('bulk-addresses');
  await table.waitFor();
  assert.deepEqual(
    await table.locator('tbody tr a').allInnerTexts(),
    ['1.2.3.4', '8.8.8.9', '8.8.8.8'],
    'a list begins with the table',
  );
  await page.reload();
  assert.equal(await page.getByLabel(c.bulk.paste).inputValue(), '', 'it is carried once');
  const buffer = Buffer.from('{"gateway":"8.8.8.8","ip":"1.2.3.4"}\n{"gateway":"8.8.4.4","ip":"1.2.3.5"}\n');
  await page.setInputFiles('input[type=file]', { name: 'x.ndjson', mimeType: 'text/plain', buffer });
  const doubt = page.getByTestId('bulk-doubt');
  const seen = { lines: 2, taken: 'ip (1.2.3.4)', others: 'gateway (8.8.8.8)' };
  assert.ok((await doubt.innerText()).includes(fill(c.bulk.doubt, seen)), await doubt.innerText());
  await doubt.getByRole('button').click();
  await doubt.waitFor({ state: 'detached' });
  assert.match(await page.getByTestId('bulk-found').innerText(), /: 4 /);
});

test('an operator accepts a reading from quarantine after a question, the service answers with it, and a feed is switched off and on', async (open) => {
  const mirror = testFolder('mirror');
  const publish = (count: number, first: number): number | null => {
    writeFileSync(
      join(mirror, 'iplocate-all-proxies.txt'),
      Array.from({ length: count }, (_, n) => `45.${first}.${n >> 8}.${n & 255}\n`).join(''),
    );
    return pulseOver(server.dataDir, ['feeds', 'import', mirror]).status;
  };
  assert.deepEqual([publish(1000, 1), publish(400, 2), publish(300, 3)], [0, 1, 1]);
  const { page } = await open({ as: 'op', refusals: [400] });
  const texts = c.operator.quarantine;
  await page.goto(`${base}${prefix}/console/operator`);
  const card = page.locator('[data-quarantine=iplocate-proxies]');
  await card.getByText('300 rows are less than half of the 1000 of the last good reading').waitFor();
  await card.getByText(texts.replaced).waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await until(page, 'document.documentElement.scrollWidth <= document.documentElement.clientWidth');
  const accept = async (): Promise<void> => {
    await card.getByRole('button').click();
    await page.getByRole('dialog').getByRole('button', { name: texts.confirm, exact: true }).click();
  };
  // Another reading came while the page was open: the shown one is not there any more, and nothing is taken in.
  assert.equal(publish(350, 4), 1);
  await accept();
  await page
    .getByRole('status')
    .filter({ hasText: texts.gone.split('{title}')[1]! })
    .waitFor();
  await card.getByText('350 rows are less than half').waitFor();
  await accept();
  await page.getByRole('status').filter({ hasText: '350' }).waitFor();
  await card.waitFor({ state: 'detached' });
  const answered = async () =>
    ((await (await fetch(`${base}/v1/ip/45.4.0.9`)).json()) as { evidence_state: string }).evidence_state;
  await eventually(async () => assert.equal(await answered(), 'active'));
  const row = page.locator('[data-feed=iplocate-proxies]');
  const turn = row.getByRole('switch');
  await turn.click({ force: true });
  await row.getByText(words.sources.state.off).waitFor();
  await page.getByLabel(c.operator.state).selectOption('off');
  assert.match(page.url(), /\?state=off$/);
  assert.equal(await page.locator('[data-feed]').count(), 1);
  await page.getByLabel(c.operator.state).selectOption('');
  const rows = { column: d.status.columns.rows };
  const first = (): Promise<string | null> => page.locator('[data-feed] td:nth-child(3)').first().textContent();
  await page
    .getByLabel(`${words.table.order}: ${c.operator.feeds}`)
    .selectOption({ label: fill(words.table.descending, rows) });
  assert.equal(await first(), '350');
  await page.setViewportSize({ width: 1280, height: 844 });
  const head = page.getByRole('columnheader', { name: rows.column });
  for (const order of ['descending', 'none', 'ascending']) {
    assert.equal(await head.getAttribute('aria-sort'), order);
    await head.getByRole('button').click();
  }
  await page.emulateMedia({ media: 'print' });
  assert.ok(await head.getByText(rows.column).isVisible(), 'heads stand on paper too');
  await page.emulateMedia({ media: 'screen' });
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: `${words.table.csv}: ${c.operator.feeds}` }).click();
  assert.match(readFileSync(await (await download).path(), 'utf8'), /^\uFEFF[^\r]*\r\n[^\r]*,350,/);
  await turn.click({ force: true });
  await row.getByText(words.sources.state.off).waitFor({ state: 'detached' });
  await page.getByRole('tab', { name: c.operator.audit }).click();
  for (const action of ['feed.accept', 'feed.off', 'feed.on'])
    await page
      .getByRole('row')
      .filter({ hasText: action })
      .filter({ hasText: 'operator:' })
      .filter({ hasText: 'iplocate-proxies' })
      .first()
      .waitFor();
  await follow(page, `${prefix}/console/operator/nowhere`);
  await page.getByRole('heading', { name: words.site.notFound.title }).waitFor();
});

test('an operator changes an account, and the audit log says who did', async (open) => {
  const id = createAccount(server.dataDir, 'client');
  const { page } = await open({ as: 'op', refusals: [404] });
  await page.goto(`${base}${prefix}/console`);
  const next = page.getByTestId('next-steps');
  await next.locator(`a[href="${prefix}/docs/sensor"]`).waitFor();
  await next.getByRole('link', { name: c.start.feeds[0]! }).click();
  await page.getByLabel(c.operator.state).selectOption('rowless');
  await page.locator('[data-feed] button').first().click();
  // Feeds are off here: asking for a reading is refused in words, not swallowed.
  await page.getByRole('alert').first().waitFor();
  await page.getByRole('tab', { name: c.operator.accounts }).click();
  const row = page.locator(`[data-account="${id}"]`);
  await row.waitFor();
  await page.getByLabel(c.operator.search).fill('no such account');
  await page.getByRole('button', { name: c.operator.find }).click();
  await page.getByText(c.operator.noAccount).waitFor();
  await page.getByLabel(c.operator.search).fill('CLIENT@');
  await page.getByRole('button', { name: c.operator.find }).click();
  await row.waitFor();
  assert.equal(await page.locator('[data-account]').count(), 1);
  assert.ok(await row.getByLabel(c.operator.columns.verified).isChecked(), 'made by the operator');
  await row.locator('select').selectOption('professional');
  await row.getByLabel(c.operator.columns.dpa).check();
  await row.getByRole('button', { name: c.operator.save }).click();
  await until(page, `document.querySelector('[data-account="${id}"] button').disabled`);
  await page.getByRole('tab', { name: c.operator.audit }).click();
  await page
    .getByRole('row')
    .filter({ hasText: 'iplocate-proxies' })
    .filter({ hasText: 'operator:' })
    .first()
    .waitFor();
  // The keyboard reaches a table that is wider than the page, and passes by one that is not.
  for (const [width, wide] of [
    [800, true],
    [390, false],
  ] as const) {
    await page.setViewportSize({ width, height: 844 });
    await until(
      page,
      `(({ scrollWidth, clientWidth, tabIndex }) => scrollWidth > clientWidth === ${wide} && tabIndex === ${wide ? 0 : -1})(document.querySelector('#main table').parentElement)`,
    );
  }
});

test('an operator disables, enables and deletes an account, sees the day, and no empty cards or feeds without rows', async (open) => {
  covers('OPERATOR-ACCOUNTS', 'OPERATOR-DAY', 'OPERATOR-QUIET');
  const { accountId: id, key } = createKey(server.dataDir, 'going', []);
  const lookUpWith = async (): Promise<string> => {
    const answer = await fetch(`${base}/v1/ip/1.2.3.4`, { headers: { 'X-API-Key': key } });
    return answer.ok ? 'answered' : ((await answer.json()) as { error: { code: string } }).error.code;
  };
  await eventually(async () => assert.equal(await lookUpWith(), 'answered'));
  await fetch(`${base}/v1/ip/not-an-address`);
  const { page } = await open({ as: 'op' });
  await page.goto(`${base}${prefix}/console/operator/today`);
  const caller = page.locator(`[data-caller="${id}"]`);
  await caller.getByText('going@example.com').waitFor();
  const { today } = c.operator;
  await page.getByRole('list', { name: today.requests }).getByText('GET /v1/ip/{ip}').waitFor();
  await page.getByRole('list', { name: today.refusals }).getByText('invalid_ip').waitFor();

  await page.getByRole('tab', { name: c.operator.accounts }).click();
  const row = page.locator(`[data-account="${id}"]`);
  await row.getByRole('button', { name: c.operator.disable }).click();
  await row.getByText(c.operator.disabled, { exact: true }).waitFor();
  await eventually(async () => assert.equal(await lookUpWith(), 'revoked_key'));
  await row.getByRole('button', { name: c.operator.enable }).click();
  await row.getByText(c.operator.disabled, { exact: true }).waitFor({ state: 'detached' });
  await eventually(async () => assert.equal(await lookUpWith(), 'answered'));
  await row.getByRole('button', { name: c.operator.delete }).click();
  await page.getByRole('dialog').getByRole('button', { name: c.common.cancel }).last().click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await row.getByRole('button', { name: c.operator.delete }).click();
  await page.getByRole('dialog').getByRole('button', { name: c.operator.deleteConfirm, exact: true }).click();
  await row.waitFor({ state: 'detached' });
  await eventually(async () => assert.equal(await lookUpWith(), 'invalid_key'));
  const own = page.locator('[data-account]').filter({ hasText: 'op@example.com' });
  assert.equal(await own.getByRole('button', { name: c.operator.delete }).count(), 0, 'operators stay');
  await page.getByRole('tab', { name: c.operator.audit }).click();
  await page.getByRole('row').filter({ hasText: 'account.delete' }).filter({ hasText: id }).first().waitFor();

  await page.getByRole('tab', { name: c.operator.collection.title }).click();
  await page.getByText(c.operator.collection.unfilled).waitFor();
  for (const title of [c.operator.collection.byHour, c.operator.collection.ports.title])
    assert.equal(await page.getByRole('heading', { name: title }).count(), 0, title);

  await page.getByRole('tab', { name: c.operator.feeds }).click();
  const state = page.getByLabel(c.operator.state, { exact: true });
  await page.locator('[data-feed]').first().waitFor();
  const held = await page.locator('[data-feed]').count();
  await state.selectOption('rowless');
  assert.ok((await page.locator('[data-feed]').count()) !== held, 'feeds without rows are a choice');
});

test('an owner takes the data along and deletes the account with the password', async (open) => {
  const name = 'leaving';
  createMember(server, name);
  const { page } = await open({ as: name, refusals: [401] });
  await page.goto(`${base}${prefix}/console/profile`);
  const coming = page.waitForEvent('download');
  await page.getByRole('link', { name: c.profile.download }).click();
  const file = await (await coming).path();
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).account.email, `${name}@example.com`);
  const remove = page.getByRole('button', { name: c.profile.remove });
  await page.getByLabel(c.profile.removeConfirm).fill('not the right one');
  await remove.click();
  await page.locator('[data-code=invalid_credentials]').waitFor();
  await page.getByLabel(c.profile.removeConfirm).fill(PASSWORD);
  await remove.click();
  await page.waitForURL(`${base}${prefix}/console/sign-in*`);
});

test('a signed-in visitor connects an MCP client, sees it in the console and disconnects it at once', async (open) => {
  const app = createServer((_request, response) => response.end('<title>app</title>')).listen(0, '127.0.0.1');
  await once(app, 'listening');
  const redirect = `http://127.0.0.1:${(app.address() as { port: number }).port}/callback`;
  try {
    const client = new OAuthClient(base, { prefix, redirect });
    await client.register({ client_name: 'Agent' });
    const { page, context } = await open({ as: 'pro' });
    const consent = await context.newPage();
    await consent.goto(client.authorizeUrl());
    await consent.click('button[value=approve]');
    await consent.waitForURL(`${redirect}**`);
    const { access_token: token } = (await (
      await client.exchange(new URL(consent.url()).searchParams.get('code') ?? '')
    ).json()) as Tokens;
    assert.equal(await callStatus(client.resource, token), 200);

    await page.goto(`${base}${prefix}/console/keys`);
    await page.getByRole('row').filter({ hasText: 'Agent' }).getByRole('button', { name: c.apps.disconnect }).waitFor();
    await follow(page, `${prefix}/console/apps`);
    const row = page.getByRole('row').filter({ hasText: 'Agent' });
    await row.waitFor();
    assert.match(await row.innerText(), /127\.0\.0\.1/);
    assert.ok(await page.getByText(client.resource).isVisible(), 'the address for clients is that of this language');
    await row.getByRole('button').click();
    await page.getByRole('dialog').getByRole('button', { name: c.apps.disconnect }).click();
    await row.waitFor({ state: 'detached' });
    assert.equal(await callStatus(client.resource, token), 401);
  } finally {
    app.close();
  }
});

test('everything a visitor needs works from the keyboard alone', async (open) => {
  const { page } = await open();
  // The load event may come before the page is drawn.
  const drawn = (): Promise<void> => page.getByRole('link', { name: words.site.skip }).waitFor({ state: 'attached' });
  await page.goto(`${base}${prefix}`);
  await drawn();
  await page.keyboard.press('Tab');
  assert.equal(await focused(page), words.site.skip, 'the first stop is the skip link');
  await page.keyboard.press('Enter');
  await until(page, `document.activeElement.id === 'main'`);
  await page.keyboard.press('Tab');
  await page.keyboard.type('1.2.3.4');
  await page.keyboard.press('Enter');
  await page.locator('[data-state=active]').waitFor();
  await until(page, `document.activeElement.textContent === '1.2.3.4'`);
  await page.keyboard.press('Tab');
  assert.notEqual(
    await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'),
    'none',
    'focus is visible',
  );
  await page.goto(`${base}${prefix}`);
  await drawn();
  for (let stops = 0; (await focused(page)) !== words.site.nav.docs; stops++) {
    assert.ok(stops < 10, 'the navigation is reached');
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await page.waitForURL(`${base}${prefix}/docs`);
  await until(page, `document.activeElement.id === 'main'`);
});

test('without an agreement exact times are withheld, and band exits are rounded to the hour', async (open) => {
  const { page } = await open({ as: 'pro' });
  const timeline = page.waitForResponse((response) => response.url().endsWith('/timeline'));
  await page.goto(`${base}/en/ip/1.2.3.4`);
  await page.getByText(c.evidence.dpa).waitFor();
  const { explanation } = (await (await timeline).json()) as { explanation: Explanation };
  assert.ok(explanation.leaves.length > 0);
  for (const { at } of explanation.leaves) assert.match(at, /T\d\d:00:00\.000Z$/);
  await page.getByText(c.evidence.rounded).waitFor();
});

test('the lookup with evidence says of a known service which list holds its score, and of others nothing', async (open) => {
  const { page } = await open({ as: 'pro' });
  await page.goto(`${base}/en/ip/1.2.3.4`);
  await page.getByTestId('timeline').waitFor();
  assert.equal(await page.getByTestId('known-good').count(), 0);
  await follow(page, '/en/ip/8.8.8.8');
  const shown = await page.getByTestId('known-good').innerText();
  assert.ok(
    (await page.getByTestId('known-as').innerText()).includes('public resolvers') &&
      shown.includes(c.evidence.knownGoodMeaning) &&
      shown.includes('github.com/ShadowWhisperer/IPs'),
    shown,
  );
});

test('a past verdict says so: its date first, what is of today marked, a moment too early with the date, IPv6 alone', async (open) => {
  covers('SITE-PAST');
  const { page } = await open({ as: 'pro', refusals: [400] });
  const timeline = page.waitForResponse((response) => response.url().endsWith('/pulse/1.2.3.4/timeline'));
  await page.goto(`${base}${prefix}/ip/1.2.3.4`);
  const { window_from: from } = (await (await timeline).json()) as { window_from: string };
  const figure = page.locator('figure');
  await figure.getByText(c.evidence.expected).waitFor();
  assert.equal(await page.getByText(words.verdict.today).count(), 0);
  await follow(page, `${prefix}/ip/1.2.3.4?at=${from}`);
  const day = formatDay('en', new Date(from));
  assert.ok((await page.getByTestId('as-of').innerText()).includes(day), day);
  assert.equal(await page.getByText(words.verdict.today).count(), 3);
  await figure.getByText(c.evidence.past).waitFor();
  await follow(page, `${prefix}/ip/1.2.3.4?at=2020-01-01T00:00:00Z`);
  const refusal = page.locator('[role=alert][data-code=at_out_of_window]');
  assert.ok((await refusal.innerText()).includes(day) && !(await refusal.innerText()).includes('window_from'));
  await follow(page, `${prefix}/ip/2001:4860::1?at=2026-11-26T00:00:00Z`);
  await page.locator('[role=alert][data-code=history_no_ipv6]').waitFor();
  assert.equal(await page.getByText(c.evidence.neverSeen).count(), 0);
});

test('the address page names a known service, in both languages, and says nothing of others', async (open) => {
  const { page } = await open();
  const known = page.getByTestId('known-as');
  for (const { prefix: language, t } of Object.values(LANGUAGES)) {
    await page.goto(`${base}${language}/ip/8.8.8.8`);
    assert.ok((await known.innerText()).startsWith(t.verdict.known.service.slice(0, 4)));
  }
  const names = page.waitForResponse((response) => response.url().includes('/names?ip=1.2.3.4'));
  await page.goto(`${base}${prefix}/ip/1.2.3.4`);
  const { addresses, as_names } = (await (await names).json()) as ShownNames;
  assert.deepEqual([addresses, as_names], [{}, {}]);
  assert.equal(await known.count(), 0);
  const mirror = testFolder('tor');
  const exits = Array.from({ length: 600 }, (_, n) => `51.15.${n >> 8}.${n & 255}\n`).join('');
  writeFileSync(join(mirror, 'tor-exits.csv'), `ipaddr\n${exits}`);
  assert.equal(pulseOver(server.dataDir, ['feeds', 'import', mirror]).status, 0);
  const ask = async (ips: string) => (await fetch(`${base}/console/api/names?ip=${ips}`)).json() as Promise<ShownNames>;
  await eventually(async () =>
    assert.deepEqual((await ask('51.15.0.9,1.2.3.4')).addresses, { '51.15.0.9': { shared_by: 'tor' } }),
  );
  for (const { prefix: language, t } of Object.values(LANGUAGES)) {
    await page.goto(`${base}${language}/ip/51.15.0.9`);
    await page.getByTestId('headline').getByText(t.verdict.sharedBy.tor).waitFor();
    await page
      .getByTestId('order')
      .getByText(/^(Challenge: a |验证：)Tor/)
      .waitFor();
  }
  for (const ips of ['10.0.0.1', '8.8.8.8,x'])
    assert.equal((await fetch(`${base}/console/api/names?ip=${ips}`)).status, 400);
  assert.equal((await fetch(`${base}/console/api/names?ip=${Array(101).fill('8.8.8.8')}`)).status, 400);
});

test('the lookup with evidence says that an operator corrected the verdict, and until when, and gives no advice against it', async (open) => {
  const until = new Date(Math.ceil(Date.now() / 1000) * 1000 + 86_400_000).toISOString();
  const command = (...words: readonly string[]) => pulseOver(server.dataDir, ['override', ...words]);
  const made = [
    ['9.9.9.10', '--deny', 'vpn'],
    ['1.2.3.4', '--allow'],
  ].map((what) => command('add', ...what, '--reason', 'r', '--until', until, '--json').stdout);
  const { page } = await open({ as: 'pro' });
  const { page: visitor } = await open();
  const sentence = `until ${formatInstant('en', new Date(until))}.`;
  for (const ip of ['9.9.9.10', '1.2.3.4']) {
    await eventually(async () => {
      const body = (await (await fetch(`${base}/v1/ip/${ip}`)).json()) as IPRisk;
      return body.meta.override === true;
    });
    for (const reader of [page, visitor]) {
      await reader.goto(`${base}${prefix}/ip/${ip}`);
      await reader.getByTestId('headline').getByText(sentence).waitFor();
      assert.equal(
        await reader.getByRole('img', { name: words.verdict.corrected.name, exact: true }).innerText(),
        'Corrected',
      );
    }
  }
  for (const text of made)
    assert.equal(command('remove', (JSON.parse(text) as { override_id: string }).override_id).status, 0);
  await eventually(
    async () => ((await (await fetch(`${base}/v1/ip/1.2.3.4`)).json()) as IPRisk).meta.override !== true,
  );
});

test('opening an address in the professional view costs one lookup, and every past moment one more', async (open) => {
  const { page } = await open({ as: 'pro' });
  const remaining: number[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/console/api/pulse/')) remaining.push(Number(response.headers()['x-daily-remaining']));
  });
  await page.goto(`${base}/en/ip/1.2.3.4`);
  await page.getByTestId('exits').waitFor();
  await page.getByRole('slider').focus();
  await page.keyboard.press('Home');
  await page.getByRole('button', { name: words.problem.now }).click();
  await page.reload();
  await page.getByTestId('exits').waitFor();
  const [first = Number.NaN] = remaining;
  assert.deepEqual(remaining, [first, first - 1, first - 2]);
});

test('a bulk run asks before it is left, shows its results, and goes on after a reload without asking again', async (open) => {
  const { page } = await open({ as: 'op', refusals: [429] });
  const asked: string[][] = [];
  let refuses = true;
  await page.route('**/console/api/ip/batch', async (route) => {
    asked.push((route.request().postDataJSON() as { readonly ips: string[] }).ips);
    if (asked.length === 1 || !refuses) return route.continue();
    const error = { code: 'rate_limited', message: '', retry_after: 3000 };
    await route.fulfill({ status: 429, contentType: 'application/json', body: JSON.stringify({ error }) });
  });
  const dialogs: [type: string, message: string][] = [];
  let leave = false;
  page.on('dialog', async (dialog) => {
    dialogs.push([dialog.type(), dialog.message()]);
    await (leave ? dialog.accept() : dialog.dismiss());
  });
  const ips = Array.from({ length: 1005 }, (_, n) => `8.8.${8 + (n >> 8)}.${n & 255}`);
  const choose = (): Promise<void> =>
    page.setInputFiles('input[type=file]', {
      name: 'list.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from(ips.join('\n')),
    });
  await page.goto(`${base}${prefix}/console/bulk`);
  await choose();
  await page.getByRole('button', { name: fill(c.bulk.run, { n: '1,005' }) }).click();
  const waiting = page.getByText(/goes on by itself in [\d,]+ s/);
  await waiting.waitFor();
  await page.getByTestId('bulk-summary').waitFor();
  const shown = await waiting.innerText();
  await eventually(async () => (await waiting.innerText()) !== shown);

  await page.getByRole('link', { name: c.nav.keys, exact: true }).click();
  assert.equal(page.url(), `${base}${prefix}/console/bulk`);
  leave = true;
  await page.reload();
  assert.deepEqual(dialogs, [
    ['confirm', c.bulk.leave],
    ['beforeunload', ''],
  ]);
  const unfinished = page.getByTestId('bulk-unfinished');
  await unfinished.waitFor();
  assert.match(await unfinished.innerText(), /list\.txt: 1,000 of 1,005/);

  refuses = false;
  await choose();
  await page.getByTestId('bulk-kept').waitFor();
  await page.getByTestId('bulk-summary').waitFor();
  await page.getByRole('button', { name: fill(c.bulk.run, { n: 5 }) }).click();
  await page.getByText(c.bulk.done).waitFor();
  const lengths = asked.map(({ length }) => length);
  assert.deepEqual(lengths, [1000, 5, 5]);
  assert.equal(new Set([...asked[0]!, ...asked[2]!]).size, 1005);

  await page.getByRole('button', { name: c.bulk.another }).click();
  await choose();
  await page.getByTestId('bulk-kept').waitFor();
  await page.getByText(c.bulk.done).waitFor();
  await page.getByRole('button', { name: c.bulk.forget }).click();
  await page.getByRole('button', { name: fill(c.bulk.run, { n: '1,005' }) }).waitFor();
});

test('the dial says the state: expired evidence is not missing evidence', async (open) => {
  const { page } = await open();
  for (const [ip, state] of [
    ['8.8.8.9', 'stale'],
    ['8.8.8.8', 'none'],
  ] as const) {
    await page.goto(`${base}${prefix}/ip/${ip}`);
    const { name } = words.verdict.state[state];
    await page.getByRole('img', { name: `${words.verdict.score}: 0 / 100, ${name}` }).waitFor();
  }
});

test('a link to a past moment shows no verdict of now to who may not ask about the past, and leads back after sign-in', async (open) => {
  const { page } = await open();
  const asked: string[] = [];
  page.on('request', (request) => void (/\/(v1|api\/pulse)\//.test(request.url()) && asked.push(request.url())));
  await page.goto(`${base}${prefix}/ip/1.2.3.4?at=yesterday`);
  await page.getByText(words.problem.invalid_time.title).waitFor();
  await follow(page, `${prefix}/ip/1.2.3.4?at=2026-11-20T12:00:00Z`);
  await page.getByText(words.problem.history_requires_professional.title).waitFor();
  assert.deepEqual(asked, []);
  const signIn = page.getByRole('alert').getByRole('link', { name: words.site.nav.signIn });
  assert.equal(
    await signIn.getAttribute('href'),
    `/en/console/sign-in?next=${encodeURIComponent('/en/ip/1.2.3.4?at=2026-11-20T12:00:00Z')}`,
  );
  assert.equal(
    await page.getByRole('link', { name: words.site.switchLanguage }).getAttribute('href'),
    '/ip/1.2.3.4?at=2026-11-20T12:00:00Z',
  );
  await page.getByRole('button', { name: words.problem.now }).click();
  await page.locator('[data-state=active]').waitFor();
  assert.equal(page.url(), `${base}${prefix}/ip/1.2.3.4`);
  // What was looked up is offered again, in this browser alone.
  await page.goto(`${base}${prefix}/`);
  const recent = page.getByLabel(words.home.recent);
  await recent.getByRole('link', { name: '1.2.3.4' }).waitFor();
  await recent.getByRole('button', { name: words.home.forget }).click();
  await page.reload();
  assert.equal(await recent.count(), 0);
});

test('rooms an account may not enter say so, and a visitor is sent to sign in and back', async (open) => {
  const { page } = await open();
  await page.goto(`${base}/en/console/evidence/1.2.3.4`);
  assert.equal(page.url(), `${base}/en/ip/1.2.3.4`);
  const locked = page.getByTestId('locked');
  await locked.getByText(words.verdict.evidence).click();
  await locked.getByRole('link', { name: words.site.nav.signIn }).click();
  await page.fill('input[name=email]', 'free@example.com');
  await page.fill('input[name=password]', PASSWORD);
  await page.keyboard.press('Enter');
  await locked.getByText(words.verdict.evidence).click();
  await locked.getByText(words.locked.granted).waitFor();
  assert.equal(page.url(), `${base}/en/ip/1.2.3.4`);
  await follow(page, '/en/console/operator');
  await page.getByText(c.operator.operatorOnly).waitFor();
  await follow(page, '/en/console/phone');
  await page.getByText(c.phone.enterpriseOnly).waitFor();
  await follow(page, '/en/console/apps');
  await page.getByText(c.apps.empty).waitFor();
  await follow(page, '/en/console/forgot');
  await page.fill('input[name=email]', 'free@example.com');
  await page.keyboard.press('Enter');
  await page.getByText(c.forgot.noMail).waitFor();
});

/** Values of `next` that a browser reads as another site, or as a scheme; each passes `/oauth/`, the mark of a page that the browser itself loads. More are refused in safe-next-path.test.ts. */
const HOSTILE_NEXT = ['//evil.example/oauth/x', '/%09/evil.example/oauth/x', 'javascript:document.title=%22/oauth/%22'];

test('after sign-in no value of next leads to another site, and a path of this one is followed', async (open) => {
  const { page, context } = await open({ refusals: [400, 401] });
  const arriveFrom = async (next: string): Promise<string> => {
    await context.clearCookies();
    await page.goto(`${base}/en/console/sign-in?next=${next}`);
    await page.fill('input[name=email]', 'free@example.com');
    await page.fill('input[name=password]', PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => !url.pathname.endsWith('/sign-in'), { waitUntil: 'commit' });
    return page.url();
  };
  for (const next of HOSTILE_NEXT) assert.equal(await arriveFrom(next), `${base}/en/console`, next);
  assert.equal(await arriveFrom('/en/console/keys'), `${base}/en/console/keys`);
  assert.equal(await arriveFrom('/console/oauth/none?x=%252F'), `${base}/console/oauth/none?x=%2F`);
});

test('the forms of signing up, verifying and a new password do not lead to another site either', async (open) => {
  const { page } = await open({ refusals: [401] });
  // The answer is made up, so there is no session; real addresses and links are tested with mail in test/mcp/sign-in.test.ts.
  await page.route(/\/session\/(sign-up|verify|reset)$/, (route) => route.fulfill({ status: 204 }));
  await page.goto(`${base}/en/console/sign-in`);
  for (const form of ['sign-up', 'verify', 'reset']) {
    await follow(page, `/en/console/${form}?next=/%09/evil.example/oauth/x#token=t`);
    if (form === 'sign-up') await page.fill('input[name=email]', 'new@example.com');
    await page.fill('input[name=password]', PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => !url.pathname.endsWith(`/${form}`), { waitUntil: 'commit' });
    assert.equal(new URL(page.url()).origin, base);
  }
});

test('a wrong password is refused in the reader’s words, and nothing is revealed about the account', async (open) => {
  const { page } = await open({ refusals: [401] });
  await page.goto(`${base}/console/sign-in`);
  await page.fill('input[name=password]', 'not the password');
  for (const email of ['free@example.com', 'nobody@example.com']) {
    await page.fill('input[name=email]', email);
    const refusal = page.waitForResponse('**/session/sign-in');
    await page.keyboard.press('Enter');
    assert.match(await (await refusal).text(), /"invalid_credentials"/);
    await page.locator('[data-code=invalid_credentials]').waitFor();
  }
});

/** Answers of the service that would take a service of its own; that it gives them is proved in test/http. */
const refuse = (page: Page, path: string, status: number, code: string, more = {}): Promise<unknown> =>
  page.route(`**${path}`, (route) => route.fulfill({ status, json: { error: { code, message: '', ...more } } }));

test('a used-up allowance and a service that is gone have different messages', async (open) => {
  const { page } = await open({ refusals: [0, 429] });
  await page.goto(`${base}/en/ip/8.8.8.8`);
  await page.locator('[data-state=none]').waitFor();
  await refuse(page, '/v1/ip/8.8.8.9', 429, 'quota_exceeded_anon', { retry_after: 3600 });
  await lookUp(page, '8.8.8.9');
  const refusal = page.locator('[data-code=quota_exceeded_anon]');
  await refusal.getByText(words.problem.quota_exceeded_anon.title).waitFor();
  assert.ok(await refusal.getByRole('link', { name: words.site.nav.signUp }).isVisible());

  await page.route('**/v1/ip/9.9.9.9', (route) => route.abort('connectionrefused'));
  await lookUp(page, '9.9.9.9');
  await page.locator('[data-code=offline]').getByText(words.problem.offline.title).waitFor();
});

test('while data loads the page says so, shows no verdict and asks again by itself', async (open) => {
  const { page } = await open({ refusals: [503] });
  await refuse(page, '/v1/ip/8.8.8.8', 503, 'not_ready');
  await page.route('**/console/api/status', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...((await response.json()) as object), ready: false } });
  });
  await page.goto(`${base}/en/ip/8.8.8.8`);
  await page.locator('[data-code=not_ready]').waitFor();
  assert.equal(await page.locator('[data-state]').count(), 0);
  await page.waitForRequest(`${base}/v1/ip/8.8.8.8`, { timeout: 4000 });
  await follow(page, '/en/status');
  await page.locator('[data-health=loading]').waitFor();
});

test('a session that ended elsewhere is reported, with the way back to this very page', async (open) => {
  const { page, context } = await open({ as: 'free', refusals: [401] });
  await page.goto(`${base}/en/console`);
  await page.getByTestId('usage-today').waitFor();
  await context.clearCookies();
  await page.getByRole('link', { name: c.nav.keys, exact: true }).click();
  await page.locator('[data-code=sign_in_required]').getByRole('link', { name: c.common.toSignIn }).click();
  await page.waitForURL(`${base}/en/console/sign-in?next=%2Fen%2Fconsole%2Fkeys`);
});
