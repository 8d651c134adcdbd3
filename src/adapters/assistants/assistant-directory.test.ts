import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Address } from '../../core/ip/address.ts';
import { parseAnyAddress } from '../../core/ip/parse-address.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { feedById } from '../feeds/catalogue.ts';
import { AssistantListFiles, AssistantPrefixes } from './assistant-directory.ts';
import { ASSISTANT_FAMILIES } from './families.ts';

const address = (text: string): Address => parseAnyAddress(text)!;
const directory = new AssistantPrefixes((feed) =>
  feed === 'openai-gptbot' ? [parsePrefix('20.171.206.0/24')!] : feed === 'anthropic-bots' ? [parsePrefix('2607:6bc0::/48')!] : [],
);

test('an agent is verified when it names its family and asks from that family’s prefixes', () => {
  assert.equal(directory.familyOf('Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)', address('20.171.206.9')), 'openai');
  assert.equal(directory.familyOf('gptbot', address('20.171.206.255')), 'openai');
  assert.equal(directory.familyOf('Mozilla/5.0 (compatible; Claude-User/1.0)', address('2607:6bc0::1')), 'anthropic');
});

test('one of the two alone verifies nobody', () => {
  for (const [agent, from] of [
    ['Mozilla/5.0 (compatible; GPTBot/1.3)', '20.171.207.0'],
    ['Mozilla/5.0 (compatible; GPTBot/1.3)', '2607:6bc0::1'],
    ['Mozilla/5.0 (X11; Linux x86_64)', '20.171.206.9'],
    ['ClaudeBot/1.0', '20.171.206.9'],
    ['', '20.171.206.9'],
    ['NotGPTBot/1.0', '20.171.206.9'],
    ['GPTBotX/1.0', '20.171.206.9'],
    ['My-GPTBot', '20.171.206.9'],
  ] as const) {
    assert.equal(directory.familyOf(agent, address(from)), undefined, `${agent} from ${from}`);
  }
});

test('every family reads feeds of the catalogue that list crawlers', () => {
  for (const { family, feeds } of ASSISTANT_FAMILIES) {
    for (const id of feeds) {
      const feed = feedById(id);
      assert.ok(feed, `${family}: ${id}`);
      assert.deepEqual(feed.effect, { kind: 'network', network: { crawler: true } }, id);
    }
  }
});

test('lists on disk take effect at reload, and a damaged list verifies nobody', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-assistants-'));
  try {
    const files = new AssistantListFiles(folder);
    assert.equal(files.familyOf('Applebot/0.1', address('17.241.208.9')), undefined);
    writeFileSync(join(folder, 'applebot.json'), JSON.stringify({ id: 'applebot', version: '1', effect: { crawler: true }, prefixes: ['17.241.208.0/24'] }));
    files.reload();
    assert.equal(files.familyOf('Applebot/0.1', address('17.241.208.9')), 'apple');
    writeFileSync(join(folder, 'applebot.json'), '{"prefixes": [');
    files.reload();
    assert.equal(files.familyOf('Applebot/0.1', address('17.241.208.9')), undefined);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
