import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import { cleanClientName, judgeRegistration } from './judge-registration.ts';

const REDIRECT = 'https://app.example/cb';

test('a full registration keeps the fields we use and drops the rest', () => {
  assert.deepEqual(
    judgeRegistration({
      client_name: 'App',
      redirect_uris: [REDIRECT, REDIRECT, 'http://127.0.0.1/cb'],
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: 'openid email ip:lookup',
      logo_uri: 'https://app.example/logo.svg',
      policy_uri: 'https://app.example/policy',
      contacts: ['a@app.example'],
      jwks: { keys: [] },
      client_uri: 'https://app.example/',
      software_id: 'app',
      software_version: '1',
      client_secret: 'x',
    }),
    {
      ok: true,
      client: {
        client_name: 'App',
        redirect_uris: [REDIRECT, 'http://127.0.0.1/cb'],
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        client_uri: 'https://app.example/',
        software_id: 'app',
        software_version: '1',
      },
    },
  );
});

const accepted = (metadata: object) => {
  const verdict = judgeRegistration({ redirect_uris: [REDIRECT], ...metadata });
  assert.equal(verdict.ok, true, JSON.stringify(metadata));
  return verdict.ok ? verdict.client : assert.fail();
};

test('the application type follows from the redirect addresses, whatever the client says', () => {
  const typeOf = (uri: string, said?: string) =>
    accepted({ redirect_uris: [uri], application_type: said })['application_type'];
  assert.equal(typeOf(REDIRECT), 'web');
  assert.equal(typeOf(REDIRECT, 'native'), 'web');
  assert.equal(typeOf('http://localhost:1/cb'), 'native');
  assert.equal(typeOf('http://localhost:1/cb', 'web'), 'native');
  assert.equal(typeOf('cursor://app/cb'), 'native');
});

test('a client that asks for no refresh gets none; one that says nothing gets it', () => {
  const grantsOf = (metadata: object) => accepted(metadata)['grant_types'];
  assert.deepEqual(grantsOf({}), ['authorization_code', 'refresh_token']);
  assert.deepEqual(grantsOf({ grant_types: ['authorization_code'] }), ['authorization_code']);
});

test('a client that asks for a secret or another flow is registered as a public one of the code flow', () => {
  covers('OAUTH-CORRECTED');
  for (const metadata of [
    { token_endpoint_auth_method: 'client_secret_post' },
    { token_endpoint_auth_method: 'client_secret_basic', client_secret: 'x' },
    { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://app.example/jwks' },
    { token_endpoint_auth_method: null, response_types: null, grant_types: null, scope: null, client_name: null },
    { response_types: ['token'] },
    { response_types: [] },
    { response_types: 'code' },
    { application_type: 'desktop' },
  ]) {
    const client = accepted(metadata);
    assert.equal(client?.token_endpoint_auth_method, 'none');
    assert.deepEqual(client?.response_types, ['code']);
    assert.deepEqual(client?.grant_types, ['authorization_code', 'refresh_token']);
    assert.equal(JSON.stringify(client).includes('secret'), false);
  }
  assert.deepEqual(accepted({ grant_types: ['client_credentials'] })?.grant_types, ['authorization_code']);
  assert.deepEqual(accepted({ grant_types: ['refresh_token'] })?.grant_types, ['authorization_code', 'refresh_token']);
});

test('usable redirect addresses are kept beside others, at most ten', () => {
  covers('OAUTH-CORRECTED');
  const kept = (uris: readonly string[]) => accepted({ redirect_uris: uris })?.redirect_uris;
  const loopback = 'http://127.0.0.1:1/cb';
  assert.deepEqual(kept(['unknown-scheme://x/cb', loopback, 'javascript:alert(1)']), [loopback]);
  const many = Array.from({ length: 11 }, (_, n) => `${REDIRECT}${n}`);
  assert.deepEqual(kept(many), many.slice(0, 10));
  assert.equal(accepted({ redirect_uris: [REDIRECT, 'myapp://cb'] })?.application_type, 'web');
});

const REFUSED: readonly Record<string, unknown>[] = [
  {},
  { redirect_uris: null },
  { redirect_uris: [] },
  { redirect_uris: REDIRECT },
  { redirect_uris: [1] },
  { redirect_uris: [REDIRECT, 1] },
  { redirect_uris: ['javascript:alert(1)'] },
  { redirect_uris: ['http://app.example/cb', 'myapp://cb'] },
];

test('a registration without a usable redirect address is refused with the error of RFC 7591', () => {
  for (const metadata of REFUSED) {
    const verdict = judgeRegistration(metadata);
    assert.equal(verdict.ok ? 'accepted' : verdict.error, 'invalid_redirect_uri', JSON.stringify(metadata));
  }
});

test('a client name is one short line without unseen characters', () => {
  assert.equal(cleanClientName('  A\n\tB\u202Egnp.exe\u200b  '), 'A Bgnp.exe'.replace('A B', 'AB'));
  assert.equal(cleanClientName('Claude Code'), 'Claude Code');
  assert.equal(cleanClientName('<b>'), '<b>');
  assert.equal([...cleanClientName('😀'.repeat(200))].length, 100);
  for (const none of [
    undefined,
    null,
    7,
    {},
    '',
    '\u200b',
    '\u3164',
    '\u115f\u1160',
    '\uffa0',
    '\u2800',
    '\u{e0041}',
    '\ufe0f',
    '\u034f',
    '\ue000',
    '\ud800',
  ])
    assert.equal(cleanClientName(none), '');
});
