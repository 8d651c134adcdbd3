import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ACCEPTED, REFUSED } from './check-redirect-uri.fixture.ts';
import { checkRedirectUri, isLoopbackRedirect, MAX_REDIRECT_URI_LENGTH } from './check-redirect-uri.ts';

test('addresses of real clients are accepted and classified', () => {
  for (const [uri, kind, host] of ACCEPTED) assert.deepEqual(checkRedirectUri(uri), { ok: true, kind, host }, uri);
});

test('everything that runs code, hides its host or leaves this computer without TLS is refused', () => {
  for (const uri of REFUSED) assert.equal(checkRedirectUri(uri).ok, false, JSON.stringify(uri));
});

test('the length limit holds on both sides', () => {
  const base = 'https://app.example/';
  assert.equal(checkRedirectUri(base + 'a'.repeat(MAX_REDIRECT_URI_LENGTH - base.length)).ok, true);
  assert.equal(checkRedirectUri(base + 'a'.repeat(MAX_REDIRECT_URI_LENGTH - base.length + 1)).ok, false);
});

test('every accepted address has the very scheme and host that a browser would go to', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc
          .tuple(
            fc.constantFrom('https', 'http', 'HTTPS', 'com.example.app'),
            fc.oneof(fc.domain(), fc.ipV4(), fc.constantFrom('localhost', '[::1]')),
            fc.constantFrom('', '/', ':80/', '?', '/#'),
            fc.string(),
          )
          .map(([scheme, host, path, rest]) => `${scheme}://${host}${path}${rest}`),
        fc.string(),
        fc
          .constantFrom(...ACCEPTED.map(([uri]) => uri))
          .chain((uri) => fc.nat(uri.length).map((at) => `${uri.slice(0, at)}@${uri.slice(at)}`)),
      ),
      (uri) => {
        const verdict = checkRedirectUri(uri);
        if (!verdict.ok) return;
        const url = new URL(uri);
        assert.equal(url.username + url.password + url.hash, '');
        if (verdict.kind === 'https') assert.equal(url.protocol, 'https:');
        if (verdict.kind === 'loopback') assert.ok(['localhost', '127.0.0.1', '[::1]'].includes(url.hostname));
      },
    ),
  );
});

test('only redirects to this computer count as loopback', () => {
  assert.equal(isLoopbackRedirect('http://localhost:1/'), true);
  assert.equal(isLoopbackRedirect('https://localhost/'), false);
  assert.equal(isLoopbackRedirect('http://localhost.evil.example/'), false);
});
