import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test as plain } from 'node:test';
import { INTEGRATIONS } from '../../console/src/pages/integrations/integrations.ts';
import { PAGES } from '../../src/contract/pages.ts';
import { covers } from '../spec/covers.ts';
import { LANGUAGES, siteTests } from '../support/browser-site.ts';

let base: string;
const test = siteTests((site) => {
  ({ base } = site);
});

plain(
  'each program has an id of its own, lines that name the installation, and a part of the docs that is there',
  () => {
    covers('INTEGRATIONS-PAGE');
    const pages: readonly string[] = [...PAGES.visitor, ...PAGES.guides];
    assert.equal(new Set(INTEGRATIONS.map(({ id }) => id)).size, INTEGRATIONS.length);
    for (const { id, lines, doc } of INTEGRATIONS) {
      const text = lines('https://pulse.test:8443');
      assert.match(text, /pulse\.test:8443/, id);
      if (!text.includes('decide.key')) assert.equal(text.includes('pk_…'), !['mcp', 'appliance'].includes(id), id);
      const [path, anchor] = doc.split('#');
      assert.ok(pages.includes(path!), doc);
      const file = resolve(import.meta.dirname, `../../docs${path!.slice('/docs'.length)}.md`);
      assert.ok(existsSync(file), file);
      const anchors = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
        title!
          .toLowerCase()
          .replaceAll(/[^\w\s-]/g, '')
          .replaceAll(' ', '-'),
      );
      if (anchor !== undefined) assert.ok(anchors.includes(anchor), doc);
    }
  },
);

for (const { prefix, d } of [LANGUAGES.zh, LANGUAGES.en])
  test(`a visitor chooses a program and gets its lines with this address: ${d.integrations.title}`, async (open) => {
    covers('INTEGRATIONS-PAGE');
    const { page } = await open();
    await page.goto(`${base}${prefix}/integrations#caddy`);
    const lines = page.locator('[data-integration=caddy] pre').last();
    assert.match(await lines.innerText(), new RegExp(`forward_auth ${base}`));
    await page.getByLabel(d.integrations.choose).selectOption('crowdsec');
    await page.locator('[data-integration=crowdsec]').waitFor();
    assert.match(await page.locator('pre').first().innerText(), /--bouncer --single-addresses/);
    assert.match(await page.locator('pre').last().innerText(), new RegExp(`api_url: ${base}/\n`));
    assert.match(page.url(), /#crowdsec$/);
  });
