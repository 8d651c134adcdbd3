import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '../../../test/support/test-folder.ts';
import type { Address } from '../../core/ip/address.ts';
import { parseAnyAddress } from '../../core/ip/parse-address.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { feedById } from '../feeds/catalogue.ts';
import { ASSISTANT_FAMILIES } from './assistant-families.ts';
import { AssistantListFiles, AssistantPrefixes } from './assistant-list-files.ts';
import { packAssistantLists, unpackAssistantLists } from './assistant-lists.ts';

const address = (text: string): Address => parseAnyAddress(text)!;
const directory = new AssistantPrefixes((feed) =>
  feed === 'openai-gptbot'
    ? [parsePrefix('20.171.206.0/24')!]
    : feed === 'anthropic-bots'
      ? [parsePrefix('2607:6bc0::/48')!]
      : [],
);

test('an agent is verified when it names its family and asks from that family’s prefixes', () => {
  assert.equal(
    directory.familyOf('Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)', address('20.171.206.9')),
    'openai',
  );
  assert.equal(directory.familyOf('gptbot', address('20.171.206.255')), 'openai');
  assert.equal(directory.familyOf('Mozilla/5.0 (compatible; Claude-User/1.0)', address('2607:6bc0::1')), 'anthropic');
});

test('one of the two alone does not verify a caller', () => {
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
  for (const { family, feeds, stated = [] } of ASSISTANT_FAMILIES) {
    for (const id of feeds) {
      const feed = feedById(id);
      assert.ok(feed, `${family}: ${id}`);
      assert.deepEqual(feed.effect, { kind: 'network', network: { crawler: true } }, id);
    }
    for (const id of stated) assert.ok(shippedLists().has(id), `${family}: ${id}`);
  }
});

test('a list of another node takes precedence over files of this one, and a file that is not such a container changes nothing', () => {
  const [theirs, ours] = [testFolder('assistants'), testFolder('assistants')];
  const list = (prefix: unknown): string =>
    JSON.stringify({ id: 'x', version: '1', effect: { crawler: true }, prefixes: prefix });
  writeFileSync(join(theirs, 'applebot.json'), list(['17.1.1.0/24', 7, 'no prefix']));
  writeFileSync(join(theirs, 'mistral-user.json'), list('no list'));
  writeFileSync(join(ours, 'applebot.json'), list(['17.2.2.0/24']));
  writeFileSync(join(ours, 'meta-crawlers.json'), list(['31.13.24.0/24']));
  const directory = new AssistantListFiles(ours);
  const packed = packAssistantLists(theirs);
  const shared = new SharedArrayBuffer(packed.byteLength);
  new Uint8Array(shared).set(packed);
  directory.take(shared);
  const verified = (agent: string, from: string): string | undefined => directory.familyOf(agent, address(from));
  assert.deepEqual([verified('Applebot/0.1', '17.1.1.9'), verified('Applebot/0.1', '17.2.2.9')], ['apple', undefined]);
  assert.equal(verified('meta-externalagent/1.1', '31.13.24.9'), 'meta', 'a list that was not published is read here');
  assert.deepEqual(unpackAssistantLists(shared).get('mistral-user'), undefined);
  new Uint8Array(shared).fill(0, 0, 16);
  assert.throws(() => directory.take(shared));
  assert.equal(verified('Applebot/0.1', '17.1.1.9'), 'apple');
});

test('lists on disk take effect at reload, and nothing of a damaged list does', () => {
  const folder = testFolder('assistants');
  const files = new AssistantListFiles(folder);
  assert.equal(files.familyOf('Amazonbot/0.1', address('17.241.208.9')), undefined);
  writeFileSync(
    join(folder, 'applebot.json'),
    JSON.stringify({ id: 'applebot', version: '1', effect: { crawler: true }, prefixes: ['17.241.208.0/24'] }),
  );
  files.reload();
  assert.equal(files.familyOf('Applebot/0.1', address('17.241.208.9')), 'apple');
  assert.equal(files.familyOf('Applebot/0.1', address('17.22.237.9')), undefined, 'the list that was read counts');
  writeFileSync(join(folder, 'amazonbot.json'), '{"prefixes": [');
  files.reload();
  assert.equal(files.familyOf('Amazonbot/0.1', address('17.241.208.9')), undefined);
});

const shippedLists = (): Map<string, readonly string[]> => {
  const { lists } = JSON.parse(
    readFileSync(new URL('../../../data/network-prefixes.json', import.meta.url), 'utf8'),
  ) as {
    lists: { id: string; prefixes: string[] }[];
  };
  return new Map(lists.map(({ id, prefixes }) => [id, prefixes]));
};

test('a machine that has read no list verifies by the ranges that ship: every family, every prefix of every list', () => {
  const folder = testFolder('assistants');
  const files = new AssistantListFiles(folder);
  const shipped = shippedLists();
  for (const { family, tokens, feeds, stated = [] } of ASSISTANT_FAMILIES) {
    const ids = [...feeds, ...stated].filter((id) => shipped.has(id));
    assert.ok(ids.length > 0, family);
    for (const text of ids.flatMap((id) => shipped.get(id)!))
      assert.equal(files.familyOf(`${tokens[0]}/1.0`, parsePrefix(text)!), family, `${family} ${text}`);
  }
  assert.equal(files.familyOf('ClaudeBot/1.0', address('216.73.219.255')), 'anthropic');
  assert.equal(files.familyOf('Claude-User', address('160.79.104.10')), 'anthropic', 'the range of the manual');
});

test('a shipped copy stands for each list by itself: one that was read switches off its own copy and no other', () => {
  const folder = testFolder('assistants');
  const shipped = shippedLists();
  const first = (id: string): Address => parsePrefix(shipped.get(id)![0]!)!;
  writeFileSync(
    join(folder, 'openai-gptbot.json'),
    JSON.stringify({ id: 'openai-gptbot', version: '1', effect: { crawler: true }, prefixes: ['45.77.9.0/24'] }),
  );
  writeFileSync(
    join(folder, 'anthropic-bots.json'),
    JSON.stringify({ id: 'anthropic-bots', version: '1', effect: { crawler: true }, prefixes: ['45.77.9.0/24'] }),
  );
  writeFileSync(join(folder, 'amzn-user.json'), '{"prefixes": [');
  const files = new AssistantListFiles(folder);
  assert.equal(files.familyOf('GPTBot/1.3', address('45.77.9.9')), 'openai');
  assert.equal(files.familyOf('GPTBot/1.3', first('openai-gptbot')), undefined, 'the copy no longer counts');
  assert.equal(files.familyOf('ChatGPT-User/1.0', first('openai-chatgpt-user')), 'openai');
  assert.equal(files.familyOf('OAI-SearchBot/1.3', first('openai-searchbot')), 'openai');
  assert.equal(files.familyOf('ClaudeBot/1.0', address('216.73.216.1')), undefined);
  assert.equal(files.familyOf('Claude-User/1.0', address('160.79.104.10')), 'anthropic', 'the manual is not a feed');
  assert.equal(files.familyOf('Amzn-User/0.1', first('amzn-user')), 'amazon', 'a damaged list is not read');
});

test('half the Internet and private space in a list verify no caller, from a file, from another node and from the shipped copy', () => {
  const [folder, theirs] = [testFolder('assistants'), testFolder('assistants')];
  const list = JSON.stringify({
    id: 'applebot',
    version: '1',
    effect: { crawler: true },
    prefixes: '0.0.0.0/0 128.0.0.0/1 ::/0 2000::/3 10.0.0.0/8 192.168.1.0/24 fd00::/16 17.1.1.0/24'.split(' '),
  });
  for (const to of [folder, theirs]) writeFileSync(join(to, 'applebot.json'), list);
  const files = new AssistantListFiles(folder);
  const refused = ['8.8.8.8', '200.1.2.3', '2001:4860::1', '10.1.2.3', '192.168.1.7', 'fd00::1'];
  const verified = (): (string | undefined)[] => refused.map((text) => files.familyOf('Applebot/0.1', address(text)));
  assert.deepEqual(
    verified(),
    refused.map(() => undefined),
  );
  const packed = packAssistantLists(theirs);
  const shared = new SharedArrayBuffer(packed.byteLength);
  new Uint8Array(shared).set(packed);
  files.take(shared);
  assert.deepEqual(
    verified(),
    refused.map(() => undefined),
  );
  assert.equal(files.familyOf('Applebot/0.1', address('17.1.1.9')), 'apple', 'the rest of the list counts');
  for (const { tokens } of ASSISTANT_FAMILIES)
    assert.equal(files.familyOf(tokens[0]!, address('192.168.1.7')), undefined);
});
