import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkRedirectUri, isLoopbackRedirect, MAX_REDIRECT_URI_LENGTH } from './check-redirect-uri.ts';

const ACCEPTED: readonly (readonly [uri: string, kind: string, host: string])[] = [
  ['https://claude.ai/api/mcp/auth_callback', 'https', 'claude.ai'],
  ['https://app.example:8443/cb?x=1&y=%2F', 'https', 'app.example:8443'],
  ['https://app.example:443/cb', 'https', 'app.example'],
  ['https://[2001:db8::1]/cb', 'https', '[2001:db8::1]'],
  ['https://192.0.2.1/cb', 'https', '192.0.2.1'],
  ['https://vscode.dev/redirect', 'https', 'vscode.dev'],
  ['http://localhost:33418/', 'loopback', 'localhost:33418'],
  ['http://127.0.0.1/', 'loopback', '127.0.0.1'],
  ['http://127.0.0.1:80/cb', 'loopback', '127.0.0.1'],
  ['http://127.0.0.1:6276/oauth/callback', 'loopback', '127.0.0.1:6276'],
  ['http://[::1]:5000/cb', 'loopback', '[::1]:5000'],
  ['cursor://anysphere.cursor-mcp/oauth/callback', 'custom', 'cursor://anysphere.cursor-mcp'],
  ['com.example.app:/oauth2redirect', 'custom', 'com.example.app:'],
  ['warp://mcp/oauth2callback', 'custom', 'warp://mcp'],
  ['raycast://oauth?package_name=Extension', 'custom', 'raycast://oauth'],
  ['vscode-insiders://vscode.github-authentication/did', 'custom', 'vscode-insiders://vscode.github-authentication'],
];

test('addresses of real clients are accepted and classified', () => {
  for (const [uri, kind, host] of ACCEPTED) assert.deepEqual(checkRedirectUri(uri), { ok: true, kind, host }, uri);
});

const REFUSED: readonly string[] = [
  '',
  'x',
  '/relative',
  '//host/cb',
  'https:',
  'https://',
  'https:///cb',
  'http:/localhost/cb',
  'https:app.example/cb',
  // Here http leaves this computer, or the spelling of loopback is not one of the three names.
  'http://app.example/cb',
  'http://localhost.evil.example/cb',
  'http://127.1/cb',
  'http://2130706433/cb',
  'http://0x7f.0.0.1/cb',
  'http://127.0.0.2/cb',
  'http://0.0.0.0/cb',
  'http://[::]/cb',
  'http://[::ffff:127.0.0.1]/cb',
  'http://[0:0:0:0:0:0:0:1]/cb',
  'http://localhost./cb',
  'http://127.0.0.1.evil.example/cb',
  'http://192.168.1.1/cb',
  // These hide their host.
  'https://good.example@evil.example/cb',
  'https://user:pw@app.example/cb',
  'https://@app.example/cb',
  'http://localhost:80@evil.example/cb',
  'https://evil.example\\@good.example/cb',
  'https:\\\\evil.example/cb',
  'https://app.example/cb#fragment',
  'https://app.example/cb#',
  'https://аpple.example/cb',
  'https://app.example/cb\r\nSet-Cookie: a',
  'https://app.example/ cb',
  ' https://app.example/cb',
  'https://app.example/"><script>',
  'https://app%2eexample/cb',
  'https://app.example:99999/cb',
  'https://app.example:/cb',
  'https://0x7f.1/cb',
  // These schemes run code or open files and other programs.
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'javascript://app.example/%0aalert(1)',
  'data:text/html,hi',
  'vbscript:x',
  'blob:https://app.example/1',
  'file:///etc/passwd',
  'filesystem:https://a/b',
  'about:blank',
  'view-source:https://a/',
  'ws://localhost/',
  'wss://a/',
  'ftp://a/',
  'mailto:a@b',
  'tel:123',
  'sms:123',
  'intent://scan/#Intent',
  'chrome://settings',
  'ms-msdt:/id',
  'ms-anything:/x',
  'search-ms:query',
  'ms-officecmd:/x',
  'ldap://a/',
  'smb://a/',
  'ssh://a/',
  'git://a/',
  'jar:https://a!/',
  'web+thing://a/',
  'steam://run/1',
  'urn:ietf:wg:oauth:2.0:oob',
  'myapp:callback',
  'a:/x',
  // These words belong to a program, or their dots are not those of a domain.
  'jnlp://a/',
  'zoommtg://a/',
  'onenote://a/',
  'shell://a/',
  'myapp://cb',
  'x-apple.systempreferences://a',
  'ms-x.y://a',
  'web+a.b://a',
  'z39.50://a/',
];

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
