import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { covers } from '../test/spec/covers.ts';
import { testFolder } from '../test/support/test-folder.ts';
import { goodSettings, wrongSettings } from './config.fixture.ts';
import { ConfigError, loadConfig } from './config.ts';

const folder = testFolder('config');
const file = join(folder, 'file');
writeFileSync(file, '');

const linesOf = ({ message }: ConfigError): readonly string[] =>
  message
    .split('\n')
    .slice(1)
    .map((line) => line.trim());

/** Names of the variables at fault. */
function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig({ PULSE_DATA_DIR: folder, ...env }, 4);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return linesOf(error).map((fault) => fault.slice(0, fault.indexOf(':')));
  }
}

const WRONG = wrongSettings(folder, file);

for (const [name, ...values] of WRONG) {
  test(`${name}: a wrong value is named`, () => {
    covers('RUN-CONFIG');
    for (const value of values) assert.deepEqual(faultsOf({ [name]: value }), [name], value);
  });
}

test('settings of company sign-on are whole or absent, and its provider is asked over https', () => {
  covers('RUN-CONFIG');
  const sso = { PULSE_OIDC_ISSUER: 'https://sso.example', PULSE_OIDC_CLIENT_ID: 'pulse' };
  const wrong: readonly (readonly [object, string])[] = [
    [{ PULSE_OIDC_ISSUER: 'https://sso.example' }, 'PULSE_OIDC_CLIENT_ID'],
    [{ PULSE_OIDC_CLIENT_ID: 'pulse' }, 'PULSE_OIDC_CLIENT_ID'],
    [{ PULSE_OIDC_CLIENT_SECRET: 'secret' }, 'PULSE_OIDC_CLIENT_SECRET'],
    [{ PULSE_OIDC_TRUST_EMAIL: 'off' }, 'PULSE_OIDC_TRUST_EMAIL'],
    [{ ...sso, PULSE_OIDC_ISSUER: 'ldap://sso.example' }, 'PULSE_OIDC_ISSUER'],
    [{ ...sso, PULSE_OIDC_ISSUER: 'http://sso.example.com' }, 'PULSE_OIDC_ISSUER'],
    [{ ...sso, PULSE_OIDC_SCOPES: 'email openid_connect' }, 'PULSE_OIDC_SCOPES'],
    [{ ...sso, PULSE_OIDC_TRUST_EMAIL: 'yes' }, 'PULSE_OIDC_TRUST_EMAIL'],
    [{ ...sso, PULSE_OIDC_ROLE_CLAIM: 'groups' }, 'PULSE_OIDC_ROLE_CLAIM'],
    [{ ...sso, PULSE_OIDC_OPERATOR_ROLE: 'operator' }, 'PULSE_OIDC_ROLE_CLAIM'],
    [{ ...sso, PULSE_OIDC_USER_ROLE: 'user' }, 'PULSE_OIDC_ROLE_CLAIM'],
  ];
  for (const [env, name] of wrong) assert.deepEqual(faultsOf(env as never), [name], JSON.stringify(env));
  const roles = { PULSE_OIDC_ROLE_CLAIM: 'groups', PULSE_OIDC_OPERATOR_ROLE: 'operator' };
  assert.deepEqual(faultsOf({ ...sso, ...roles, PULSE_OIDC_SCOPES: 'openid email groups' }), []);
  assert.deepEqual(faultsOf({ ...sso, PULSE_OIDC_ISSUER: 'http://10.1.2.3:8080/realms/company' }), []);
});

test('every fault is reported at once', () => {
  covers('RUN-CONFIG');
  const all = Object.fromEntries(WRONG.map(([name, value]) => [name, value!]));
  assert.deepEqual([...new Set(faultsOf(all))].sort(), WRONG.map(([name]) => name).sort());
});

test('a variable that is not a setting is a fault that names the nearest one, next to every other fault', () => {
  covers('RUN-CONFIG');
  assert.throws(
    () =>
      loadConfig({ PULSE_PROT: '80', PULSE_TRUSTED_PROXY: '10.0.0.1', PULSE_SECRETFILE: 'hush', PULSE_LOG: 'loud' }, 1),
    (error: ConfigError) => {
      assert.deepEqual(linesOf(error), [
        'PULSE_LOG: expected one of fatal, error, warn, info, debug',
        'PULSE_PROT: there is no such setting; the nearest is PULSE_PORT',
        'PULSE_TRUSTED_PROXY: there is no such setting; the nearest is PULSE_TRUSTED_PROXIES',
        'PULSE_SECRETFILE: there is no such setting; the nearest is PULSE_SECRET_FILE',
      ]);
      return true;
    },
  );
});

test('variables of Kubernetes for a service named pulse, of the starter and of clients are not settings, and no fault', () => {
  const env = {
    PULSE_SERVICE_HOST: '10.0.0.1',
    PULSE_SERVICE_PORT_HTTP: '8080',
    PULSE_PORT: 'tcp://10.0.0.1:8080',
    PULSE_PORT_8080_TCP_ADDR: '10.0.0.1',
    PULSE_REDIS_PORT: 'tcp://10.0.0.2:6379',
    PULSE_REDIS_SERVICE_HOST: '10.0.0.2',
    PULSE_NODE: '/usr/bin/node',
    PULSE_KEY: 'pk_x',
    PULSE_UNKNOWN: '',
  };
  assert.equal(loadConfig({ PULSE_DATA_DIR: folder, ...env }, 1).port, 8080);
});

test('the secret never stands in a fault', () => {
  assert.throws(
    () => loadConfig({ PULSE_SECRET: 'hunter2' }, 1),
    (error: Error) => !error.message.includes('hunter2'),
  );
});

test('PULSE_SECRET_FILE holds the secret; next to PULSE_SECRET it is a fault that names both', () => {
  const path = join(folder, 'secret-of-a-file');
  const secret = 's3cret-of-a-file-with-40-characters-ABCD';
  writeFileSync(path, `${secret}\n`);
  const config = loadConfig({ PULSE_SECRET_FILE: path }, 1);
  assert.deepEqual([config.secret, config.secretFile], [secret, path]);
  assert.throws(
    () => loadConfig({ PULSE_SECRET_FILE: path, PULSE_SECRET: 'y'.repeat(40) }, 1),
    (error: Error) =>
      /PULSE_SECRET_FILE: PULSE_SECRET is set as well/.test(error.message) && !error.message.includes(secret),
  );
});

const GOOD = goodSettings(folder);
test('where a port is not spread over threads one thread is the default, and more are refused', () => {
  const workersOf = (env: Readonly<Record<string, string>>) =>
    loadConfig({ PULSE_DATA_DIR: folder, ...env }, 8, false).workers;
  assert.equal(workersOf({}), 1);
  assert.throws(() => workersOf({ PULSE_WORKERS: '2' }), /PULSE_WORKERS: this system does not spread a port/);
});

test('a file:// address of a mirror names the folder whose name it encodes', () => {
  const spaced = join(folder, 'lists of ours');
  mkdirSync(spaced, { recursive: true });
  const { feeds } = loadConfig({ PULSE_FEEDS: pathToFileURL(spaced).href, PULSE_DATA_DIR: folder }, 1);
  assert.deepEqual(feeds, { mirror: spaced });
});

test('sign-up is open on a loopback host without a public address, and elsewhere by mail or not at all, unless it is set', () => {
  const smtp = { PULSE_SMTP_URL: 'smtp://mail.example.com' };
  const policyOf = (env: Readonly<Record<string, string>>) => loadConfig({ PULSE_DATA_DIR: folder, ...env }, 1).signup;
  for (const host of ['127.0.0.1', '127.8.8.8', '::1', 'localhost'])
    assert.deepEqual([policyOf({ PULSE_HOST: host }), policyOf({ PULSE_HOST: host, ...smtp })], ['open', 'open'], host);
  for (const host of ['0.0.0.0', '::', '192.0.2.1', '127.example.com', 'pulse.example.com'])
    assert.deepEqual([policyOf({ PULSE_HOST: host }), policyOf({ PULSE_HOST: host, ...smtp })], ['off', 'mail'], host);
  // Behind a proxy the service listens on loopback, and its public address says who comes.
  for (const url of ['https://pulse.example.com', 'http://8.8.8.8', 'https://[2606:4700::1]', 'http://0.0.0.0:8080'])
    assert.deepEqual(
      [policyOf({ PULSE_BASE_URL: url }), policyOf({ PULSE_BASE_URL: url, ...smtp })],
      ['off', 'mail'],
      url,
    );
  for (const url of [
    'http://localhost:8080',
    'http://127.0.0.1',
    'http://[::1]',
    'https://pulse.internal',
    'http://10.1.2.3',
    'http://pulse',
  ])
    assert.deepEqual(
      [policyOf({ PULSE_BASE_URL: url }), policyOf({ PULSE_BASE_URL: url, PULSE_HOST: '0.0.0.0' })],
      ['open', 'off'],
      url,
    );
  assert.equal(policyOf({ PULSE_SIGNUP: 'open', PULSE_BASE_URL: 'https://pulse.example.com' }), 'open');
  assert.equal(policyOf({ PULSE_SIGNUP: 'off' }), 'off');
  assert.equal(policyOf({ PULSE_SIGNUP: 'open', PULSE_HOST: '0.0.0.0' }), 'open');
  assert.equal(policyOf({ PULSE_SIGNUP: 'mail', ...smtp }), 'mail');
});

test('right values are taken, an empty one is not a value', () => {
  for (const env of GOOD) assert.deepEqual(faultsOf(env), [], JSON.stringify(env));
  const config = loadConfig(
    { PULSE_BASE_URL: 'https://example.com/', PULSE_TRUSTED_PROXIES: ' 10.0.0.0/8 , ::1,', PULSE_FEEDS: '' },
    32,
  );
  assert.deepEqual(config.metrics, { host: '127.0.0.1', port: 9464 });
  assert.deepEqual(loadConfig({ PULSE_METRICS: '[::1]:0' }, 1).metrics, { host: '::1', port: 0 });
  assert.deepEqual(loadConfig({ PULSE_METRICS: 'node-1.example:9100' }, 1).metrics, {
    host: 'node-1.example',
    port: 9100,
  });
  assert.equal(loadConfig({ PULSE_METRICS: 'off' }, 1).metrics, undefined);
  assert.deepEqual(
    [config.baseUrl, config.trustedProxies, config.feeds, config.workers],
    ['https://example.com', ['10.0.0.0/8', '::1'], 'auto', 8],
  );
});
