import assert from 'node:assert/strict';
import { test } from 'node:test';
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

test('the application type follows from the redirect addresses, whatever the client says', () => {
  const typeOf = (uri: string, said?: string) => {
    const verdict = judgeRegistration({
      redirect_uris: [uri],
      ...(said === undefined ? {} : { application_type: said }),
    });
    return verdict.ok ? verdict.client.application_type : verdict.error;
  };
  assert.equal(typeOf(REDIRECT), 'web');
  assert.equal(typeOf(REDIRECT, 'native'), 'web');
  assert.equal(typeOf('http://localhost:1/cb'), 'native');
  assert.equal(typeOf('http://localhost:1/cb', 'web'), 'native');
  assert.equal(typeOf('cursor://app/cb'), 'native');
});

test('a client that asks for no refresh gets none; one that says nothing gets it', () => {
  const grantsOf = (metadata: object) => {
    const verdict = judgeRegistration({ redirect_uris: [REDIRECT], ...metadata });
    return verdict.ok ? verdict.client.grant_types : undefined;
  };
  assert.deepEqual(grantsOf({}), ['authorization_code', 'refresh_token']);
  assert.deepEqual(grantsOf({ grant_types: ['authorization_code'] }), ['authorization_code']);
});

// biome-ignore format: a table
const REFUSED: readonly (readonly [metadata: Record<string, unknown>, error: string])[] = [
  [{ redirect_uris: [REDIRECT], token_endpoint_auth_method: 'client_secret_basic' }, 'invalid_client_metadata'],
  [{ redirect_uris: [REDIRECT], token_endpoint_auth_method: 'private_key_jwt' },     'invalid_client_metadata'],
  [{ redirect_uris: [REDIRECT], response_types: ['token'] },                         'invalid_client_metadata'],
  [{ redirect_uris: [REDIRECT], response_types: 'code' },                            'invalid_client_metadata'],
  [{ redirect_uris: [REDIRECT], grant_types: ['client_credentials'] },               'invalid_client_metadata'],
  [{ redirect_uris: [REDIRECT], grant_types: [] },                                   'invalid_client_metadata'],
  [{},                                                                               'invalid_redirect_uri'],
  [{ redirect_uris: [] },                                                            'invalid_redirect_uri'],
  [{ redirect_uris: REDIRECT },                                                      'invalid_redirect_uri'],
  [{ redirect_uris: [1] },                                                           'invalid_redirect_uri'],
  [{ redirect_uris: [REDIRECT, 'javascript:alert(1)'] },                             'invalid_redirect_uri'],
  [{ redirect_uris: ['http://app.example/cb'] },                                     'invalid_redirect_uri'],
  [{ redirect_uris: Array.from({ length: 11 }, (_, n) => `${REDIRECT}${n}`) },       'invalid_redirect_uri'],
];

test('confidential clients, other flows and bad addresses are refused with the error of RFC 7591', () => {
  for (const [metadata, error] of REFUSED) {
    const verdict = judgeRegistration(metadata);
    assert.equal(verdict.ok ? 'accepted' : verdict.error, error, JSON.stringify(metadata));
  }
  assert.equal(judgeRegistration({ redirect_uris: Array.from({ length: 10 }, (_, n) => `${REDIRECT}${n}`) }).ok, true);
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
