import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import {
  CHINESE_GUIDES,
  type DocsElement,
  type DocsNode,
  docsPage,
  docsTables,
  SITE_DOCS,
} from '../../console/docs-pages.ts';
import { openDatabase } from '../../src/adapters/database/open-database.ts';
import { loadConfig } from '../../src/config.ts';
import { ERRORS, ERRORS_ZH } from '../../src/contract/errors.ts';
import { testFolder } from '../support/test-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(resolve(ROOT, path), 'utf8');

test('docs/errors.md and the error table say the same, in both directions', () => {
  const rows = [...read('docs/errors.md').matchAll(/^\| `([a-z0-9_]+)` \| (\d{3})(?: \(MCP\))? \| (.+?) \|/gm)].map(
    ([, code, status, message]) => [code, Number(status), message],
  );
  assert.deepEqual(
    rows,
    Object.entries(ERRORS).map(([code, { status, message }]) => [code, status, message]),
  );
});

test('docs/zh-CN/errors.md and the Chinese error table say the same, in both directions', () => {
  const rows = [...read('docs/zh-CN/errors.md').matchAll(/^\| `([a-z0-9_]+)` \| \d{3}(?: \(MCP\))? \| (.+?) \|/gm)];
  assert.deepEqual(Object.fromEntries(rows.map(([, code, message]) => [code, message])), ERRORS_ZH);
});

test('docs/configuration.md names every variable that config.ts reads, and no other', () => {
  const documented = [...read('docs/configuration.md').matchAll(/^\| `(PULSE_[A-Z_]+)` \|/gm)].map(([, name]) => name);
  const known = [...new Set([...read('src/config.ts').matchAll(/\b(PULSE_[A-Z_]+)\b/g)].map(([, name]) => name))];
  assert.deepEqual(documented.sort(), known.sort());
});

test('docs/quotas.md has the figures of a new deployment', async () => {
  const dataDir = testFolder('docs');
  const db = await openDatabase({ dataDir, databaseUrl: undefined });
  const plans = await db.selectFrom('plans').selectAll().execute();
  await db.destroy();
  const { anonPerMin, anonPerDay, aiPerDay } = loadConfig({ PULSE_DATA_DIR: dataDir }, 1);
  const figure = (count: number): string => count.toLocaleString('en-US');
  const row = (name: string): readonly string[] => {
    const { per_min, per_day, overage_pct } = plans.find((plan) => plan.name === name)!;
    return [figure(per_min), `${figure(per_day)}${overage_pct === 0 ? '' : `, overage ${overage_pct} %`}`];
  };
  const { phone_per_min, phone_per_day } = plans.find(({ name }) => name === 'enterprise')!;
  const figures = Object.values(docsTables(resolve(ROOT, 'docs/quotas.md'))[0]!).map((cells) => cells.slice(1));
  assert.deepEqual(figures.slice(0, -1), [
    [`${figure(anonPerMin)} (\`PULSE_ANON_PER_MIN\`)`, `${figure(anonPerDay)} (\`PULSE_ANON_PER_DAY\`)`],
    ['600', `${figure(aiPerDay)} (\`PULSE_AI_PER_DAY\`)`],
    row('free'),
    row('professional'),
    row('enterprise'),
    [figure(phone_per_min), figure(phone_per_day)],
  ]);
  assert.deepEqual(row('private'), row('enterprise'));
});

/**
 * Facts of a page in the order of its blocks, each with its kind: code, numbers, whether there is text, and
 * the names of interactive parts. Sentences may be turned around, so the facts of one are sorted.
 */
function factsOf(nodes: readonly DocsNode[]): readonly unknown[] {
  const codes = (node: DocsNode): readonly string[] =>
    typeof node === 'string' ? [] : node.kind === 'code' ? (node.content as string[]) : node.content.flatMap(codes);
  const text = (node: DocsNode): string => (typeof node === 'string' ? node : node.content.map(text).join(''));
  return nodes.map((node) => {
    if (typeof node === 'string') return [];
    const { kind, value, content } = node;
    if (['ul', 'ol', 'table', 'tr'].includes(kind)) return [kind, ...factsOf(content)];
    if (kind === 'part') return [kind, value];
    // Comments of examples are in the reader's language, and so is the console that signs in.
    if (value !== undefined && kind === 'pre')
      return [kind, value, text(node).replaceAll(/ +# .*|(?<=example)\/en/g, '')];
    const numbers = text(node).match(/\d+([.,:]\d+)*/g) ?? [];
    return [
      kind,
      codes(node)
        .map((code) => code.replace('example/en', 'example'))
        .sort(),
      numbers.sort(),
    ];
  });
}

test('a page with HTML or a marker of another form does not build', () => {
  const folder = testFolder('docs');
  const file = join(folder, 'overview.md');
  for (const text of ['<script>alert(1)</script>', 'a <b>word</b>', '<!-- site: -->', '> quoted']) {
    writeFileSync(file, `# Title\n\n${text}\n`);
    assert.throws(() => docsPage(file), /the site cannot show/, text);
  }
});

test('a link leads to the page and section that the site shows, and is text where the site has none', () => {
  const folder = testFolder('docs');
  writeFileSync(join(folder, 'errors.md'), '# Errors\n\n## A `code`, shown\n\n<!-- site: end -->\n\n## Hidden\n');
  const file = join(folder, 'overview.md');
  for (const [link, kind, value, text] of [
    ['[codes](errors.md#a-code-shown)', 'a', '/docs/errors#a-code-shown', 'codes'],
    ['[errors.md](errors.md#hidden)', 'a', '/docs/errors', 'Errors'],
    ['[here](overview.md)', 'span', undefined, 'here'],
    ['[storage.md](storage.md)', 'span', undefined, 'storage.md'],
    ['[above](../errors.md)', 'span', undefined, 'above'],
    ['[far](https://example.com/a)', 'a', 'https://example.com/a', 'far'],
  ] as const) {
    writeFileSync(file, `# Title\n\n${link}\n`);
    const drawn = docsPage(file)[1]!.content[0] as DocsElement;
    assert.deepEqual([drawn.kind, drawn.value, drawn.content.join('')], [kind, value, text], link);
  }
  const chinese = JSON.stringify(docsPage(join(ROOT, 'docs/zh-CN/rollout.md')));
  for (const address of ['operating#修正判定', 'clients']) assert.ok(chinese.includes(`"/docs/${address}"`), address);
});

for (const name of CHINESE_GUIDES)
  test(`commands and codes of docs/zh-CN/${name} stand in docs/${name} too`, () => {
    const english = read(`docs/${name}`);
    const chinese = read(`docs/zh-CN/${name}`);
    const commands = [...chinese.matchAll(/^```[^\n]*\n(.*?)^```/gms)].flatMap(([, code]) =>
      code!
        .trim()
        .replaceAll(/ +# .*/g, '')
        .split('\n'),
    );
    assert.ok(commands.length > 3);
    assert.deepEqual(
      commands.filter((line) => !english.includes(line)),
      [],
    );
    const codes = [...chinese.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, code]) => code!);
    assert.deepEqual(
      codes.filter((code) => !english.includes(code)),
      [],
    );
  });

for (const name of SITE_DOCS.keys())
  test(`docs/${name} and docs/zh-CN/${name} have the same headings, codes, numbers and tables where the site shows them`, () => {
    const [english, chinese] = ['docs', 'docs/zh-CN'].map((folder) => docsPage(resolve(ROOT, folder, name)));
    assert.deepEqual(factsOf(chinese!), factsOf(english!));
  });
