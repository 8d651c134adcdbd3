import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import { serverJson } from './server-json.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document under test
const of = (baseUrl: string): any => JSON.parse(JSON.stringify(serverJson(baseUrl)));

test("the name is the deployment's host backwards, never an organisation's", () => {
  covers('MCP-SERVER-JSON');
  for (const [baseUrl, name] of [
    ['https://pulse.example.com', 'com.example.pulse/pulse'],
    ['https://risk.example', 'example.risk/pulse'],
    ['https://xn--fiqs8s.example:8443', 'example.xn--fiqs8s/pulse'],
    ['http://localhost:8080', 'localhost/pulse'],
    ['http://127.0.0.1:8080', 'localhost/pulse'],
    ['http://[::1]:8080', 'localhost/pulse'],
  ] as const)
    assert.equal(of(baseUrl).name, name);
});

test('the entry keeps the bounds and patterns of the registry’s schema', () => {
  covers('MCP-SERVER-JSON');
  for (const baseUrl of [
    'https://pulse.example.com',
    'http://127.0.0.1:8080',
    `https://${'a'.repeat(60)}.${'b'.repeat(60)}.example`,
  ]) {
    const { $schema, name, title, description, version, websiteUrl, remotes, ...more } = of(baseUrl);
    assert.deepEqual(more, {});
    assert.match(
      $schema,
      /^https:\/\/static\.modelcontextprotocol\.io\/schemas\/\d{4}-\d\d-\d\d\/server\.schema\.json$/,
    );
    assert.match(name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    assert.ok(name.length >= 3 && name.length <= 200);
    for (const text of [title, description]) assert.ok(text.length >= 1 && text.length <= 100);
    assert.match(version, /^\d+\.\d+\.\d+$/);
    assert.ok(URL.canParse(websiteUrl));
    for (const { type, url, headers = [], ...rest } of remotes) {
      assert.equal(type, 'streamable-http');
      assert.match(url, /^https?:\/\/[^\s{}]+$/);
      assert.deepEqual(rest, {});
      for (const { name: header, isSecret } of headers) assert.deepEqual([typeof header, isSecret], ['string', true]);
    }
    assert.equal(remotes.length, 3);
  }
});
