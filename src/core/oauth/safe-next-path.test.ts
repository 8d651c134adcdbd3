import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isKnownResource, oauthAddresses } from './oauth-addresses.ts';
import { safeNextPath } from './safe-next-path.ts';

test('paths of this site pass unchanged', () => {
  for (const next of ['/', '/console', '/en/console/keys?tab=apps&x=%2F', '/console/oauth/AbC_-1#top'])
    assert.equal(safeNextPath(next), next);
});

test('anything a browser could read as another site is refused', () => {
  const bad = [
    undefined,
    7,
    '',
    'console',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example/oauth/x',
    'javascript:alert(1)',
    '/a\\b',
    '/\t/evil.example',
    '/\n/evil.example',
    '/\r\t/evil.example',
    '\t//evil.example',
    '/x/..//evil.example',
    '/ x',
    '/é',
    '/.//evil.example',
    '/x"y',
  ];
  for (const next of [...bad, `/${'a'.repeat(1024)}`])
    assert.equal(safeNextPath(next), undefined, JSON.stringify(next));
});

test('every path that passes stays on its site', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('/', '\\', '.', ':', '@', 'a', '?', '#', '%', '\t', '5', 'c') }),
      (tail) => {
        const next = safeNextPath(`/${tail}`);
        if (next !== undefined) assert.equal(new URL(next, 'https://pulse.example/console').host, 'pulse.example');
      },
    ),
  );
});

test('only the MCP endpoints are resources', () => {
  const addresses = oauthAddresses('https://pulse.example');
  const isKnown = (resource: string) => isKnownResource(['https://pulse.example', 'http://[::1]:8080'], resource);
  for (const known of [
    'https://pulse.example/mcp/account',
    'https://pulse.example/en/mcp/account',
    'https://pulse.example/mcp/account/',
    'https://pulse.example/mcp',
    'https://pulse.example/mcp/',
    'http://[::1]:8080/mcp/account',
  ])
    assert.equal(isKnown(known), true);
  for (const other of [
    'https://pulse.example',
    'https://pulse.example/',
    'https://pulse.example/en/mcp',
    'https://pulse.example.evil.example/mcp',
    'http://[::1]:8081/mcp/account',
    'https://evil.example/mcp/account',
    'https://pulse.example/mcp/account?x',
    'https://pulse.example/mcp/account//',
    'http://pulse.example/mcp/account',
  ])
    assert.equal(isKnown(other), false, other);
  assert.equal(
    addresses.resourceMetadata('en'),
    'https://pulse.example/.well-known/oauth-protected-resource/en/mcp/account',
  );
});
