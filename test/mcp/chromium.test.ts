import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { startChromium } from '../support/chromium.ts';
import { PASSWORD, startMcpService } from '../support/mcp-service.ts';
import { callStatus, codeIn, OAuthClient, tokensOf } from '../support/oauth-client.ts';

test('a real browser signs in on both issuers, with the keyboard, and ends at the app with a code that works', async (t) => {
  const browser = await startChromium();
  if ('skip' in browser) return t.skip(browser.skip);
  const service = await startMcpService();
  const app = createServer((_request, response) => response.end('done'));
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  const address = app.address();
  const redirect = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/callback`;
  try {
    await service.account('owner@example.com');
    for (const [prefix, lang, scheme] of [
      ['', 'zh-CN', 'light'],
      ['/en', 'en', 'dark'],
    ] as const) {
      const client = new OAuthClient(service.baseUrl, { prefix, redirect });
      await client.register();
      const context = await browser.newContext({
        viewport: { width: 320, height: 640 },
        colorScheme: scheme,
        javaScriptEnabled: false,
      });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      await page.goto(client.authorizeUrl());
      const shown = await page.reload();
      assert.equal(shown?.headers()['cross-origin-opener-policy'], 'same-origin');
      assert.equal(await page.getAttribute('html', 'lang'), lang);
      await page.fill('#email', 'owner@example.com');
      await page.fill('#password', PASSWORD);
      await page.keyboard.press('Enter');
      await page.waitForSelector('button[value=approve]');
      assert.match((await page.textContent('dl')) ?? '', /owner@example\.com/);
      const wide = await page.locator('main').evaluate((main) => main.scrollWidth > 320);
      assert.equal(wide, false, 'nothing overflows at 320 pixels');
      if (scheme === 'dark') {
        await page.focus('button[value=approve]');
        await page.keyboard.press('Enter');
      } else await page.click('button[value=approve]');
      await page.waitForURL(`${redirect}**`);
      const tokens = await tokensOf(client.exchange(codeIn(new URL(page.url()))));
      assert.equal(await callStatus(client.resource, tokens.access_token), 200);
      const unexpected = complaints.filter((text) => /Content Security Policy/i.test(text));
      assert.deepEqual(unexpected, []);
      await context.close();
    }
    assert.deepEqual(service.faults, []);
  } finally {
    await browser.close();
    app.close();
    await service.close();
  }
});
