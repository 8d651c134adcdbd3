import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isOwnHost, isOwnOrigin } from './client-address.ts';

const name = fc.domain().filter((domain) => domain !== 'pulse.example');
const port = fc.constantFrom('', ':8080', ':8443');
const literal = fc.oneof(
  fc.ipV4(),
  fc.ipV6().map((text) => new URL(`http://[${text}]`).hostname),
  fc.constant('localhost'),
);

test('a name that agrees with itself is never ours: its owner may have pointed it here', () => {
  fc.assert(
    fc.property(name, port, fc.constantFrom('http', 'https'), (domain, at, scheme) => {
      for (const base of ['http://127.0.0.1:8080', 'https://pulse.example', `${scheme}://pulse.example${at}`])
        assert.ok(!isOwnOrigin({ origin: `${scheme}://${domain}${at}`, host: `${domain}${at}` }, base));
      assert.ok(!isOwnHost(`${domain}${at}`, ['pulse.example']));
    }),
  );
});

test('an address or localhost in both headers is ours, with its port and the scheme of the base URL', () => {
  fc.assert(
    fc.property(literal, port, (host, at) => {
      assert.ok(isOwnOrigin({ origin: `http://${host}${at}`, host: `${host}${at}` }, 'http://pulse.example'));
      assert.ok(!isOwnOrigin({ origin: `https://${host}${at}`, host: `${host}${at}` }, 'http://pulse.example'));
      assert.ok(!isOwnOrigin({ origin: `http://${host}${at}`, host: `${host}:1` }, 'http://pulse.example'));
      assert.ok(!isOwnOrigin({ origin: `http://${host}${at}`, host: undefined }, 'http://pulse.example'));
      assert.ok(isOwnHost(`${host}${at}`, []));
    }),
  );
});

test('the base URL is ours under any Host, and a loopback service under each loopback name', () => {
  assert.ok(isOwnOrigin({ origin: 'https://pulse.example', host: 'upstream' }, 'https://pulse.example'));
  assert.ok(!isOwnOrigin({ origin: 'http://pulse.example', host: 'pulse.example' }, 'https://pulse.example'));
  for (const origin of ['http://localhost:8080', 'http://[::1]:8080', 'http://127.0.0.1:8080'])
    assert.ok(isOwnOrigin({ origin, host: 'localhost:8080' }, 'http://127.0.0.1:8080'), origin);
  assert.ok(!isOwnOrigin({ origin: 'http://localhost:9090', host: 'localhost:8080' }, 'http://127.0.0.1:8080'));
});

test('a text that is not an origin, or not a host, is refused', () => {
  for (const origin of [
    'null',
    '',
    'http://',
    'http://127.0.0.1:8080/',
    'http://user@127.0.0.1:8080',
    'HTTP://127.0.0.1:8080',
    '127.0.0.1:8080',
    'file://',
  ])
    assert.ok(!isOwnOrigin({ origin, host: '127.0.0.1:8080' }, 'http://127.0.0.1:8080'), origin);
  for (const host of [
    undefined,
    '',
    'a b',
    'localhost@evil.example',
    'evil.example#localhost',
    'localhost/..',
    'localhost.',
    'localhost:x',
    'localhost.evil.example',
  ])
    assert.ok(!isOwnHost(host, ['pulse.example']), String(host));
  assert.ok(isOwnHost('Pulse.Example:9464', ['pulse.example']));
});
