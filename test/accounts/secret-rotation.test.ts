/**
 * A secret is exchanged on a service in use: credentials of callers go on working, and uses of the former
 * secret end with it.
 */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadSecret } from '../../src/adapters/data-folder/deployment-secret.ts';
import { KEPT_USES } from '../../src/core/data-folder/secret-lines.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { pulseCommand, pulseOver } from '../support/pulse-command.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';
import { testFolder } from '../support/test-folder.ts';

const root = testFolder('rotation');
const dataDir = join(root, 'data');
const secretFile = join(dataDir, 'secret');

const PASSWORD = 'a long password for the rotation';
const logs: string[] = [];

/** Starts the service, asks it and stops it. */
async function served<T>(ask: (server: ServeProcess) => Promise<T>, env: Readonly<Record<string, string>> = {}) {
  const server = await serveProcess({ dataDir, env: { PULSE_LOG: 'info', ...env } });
  try {
    return await ask(server);
  } finally {
    await server.stop();
    logs.push(server.output());
  }
}

const poolsOf = async ({ base }: ServeProcess, key: string): Promise<unknown> => {
  const answer = await fetch(`${base}/pulse/v1/ip/45.1.1.1`, { headers: { 'X-API-Key': key } });
  assert.equal(answer.status, 200);
  return ((await answer.json()) as { readonly resource_pools: unknown }).resource_pools;
};

interface NewSession {
  readonly cookie: string;
  readonly csrf: string;
}

async function signIn({ base }: ServeProcess): Promise<NewSession> {
  const answer = await fetch(`${base}/console/api/session/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'owner@example.com', password: PASSWORD }),
  });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return { cookie: answer.headers.get('set-cookie')!.split(';')[0]!, csrf: (JSON.parse(text) as NewSession).csrf };
}

/** Status of a change with a session's own token, and the token that the session has now. */
async function change({ base }: ServeProcess, { cookie, csrf }: NewSession) {
  const session = await fetch(`${base}/console/api/session`, { headers: { cookie } });
  assert.equal(session.status, 200, 'the session goes on');
  const { status } = await fetch(`${base}/console/api/apps/none`, {
    method: 'DELETE',
    headers: { cookie, 'x-csrf-token': csrf },
  });
  return { status, csrf: ((await session.json()) as NewSession).csrf };
}

const keysOf = (text: string): readonly string[] =>
  KEPT_USES.map((use) => Buffer.from(loadSecret({ dataDir, secret: text }).subkey(use)).toString('hex'));

test('keys, sessions and pool handles outlive a rotation; tokens of the former secret end when it is forgotten', async () => {
  writeSyntheticGeo(dataDir);
  const { key, accountId } = createKey(dataDir, 'owner', ['--plan', 'enterprise', '--dpa']);
  const password = pulseCommand(['account', 'password', accountId, '--password-stdin'], {
    env: { PULSE_DATA_DIR: dataDir },
    input: `${PASSWORD}\n`,
  });
  assert.equal(password.status, 0, password.stderr);
  const imported = ['evidence', 'import', '-', '--source', 'own', '--risk-type', 'proxy', '--pool', 'vendor'];
  assert.equal(pulseCommand(imported, { env: { PULSE_DATA_DIR: dataDir }, input: '45.1.1.1\n' }).status, 0);
  const first = readFileSync(secretFile, 'utf8').trim();
  const [session, pools] = await served(async (server) => [await signIn(server), await poolsOf(server, key)] as const);

  const rotated = pulseOver(dataDir, ['secret', 'rotate']);
  assert.equal(rotated.status, 0, rotated.stderr);
  const second = readFileSync(secretFile, 'utf8').trim();
  assert.notEqual(second.split('\n')[0], first);
  assert.equal(statSync(secretFile).mode & 0o777, 0o600);
  assert.deepEqual(keysOf(second), keysOf(first));
  assert.match(
    pulseOver(dataDir, ['secret', 'rotate']).stderr,
    /holds a former secret until .*end it first with: pulse secret forget/,
  );
  await served(async (server) => {
    assert.deepEqual(await poolsOf(server, key), pools);
    const changed = await change(server, session);
    assert.notEqual(changed.status, 403, 'the former token is accepted');
    assert.notEqual(changed.csrf, session.csrf, 'and a new one is given');
  });

  const { place, kept, former_until } = pulseJson(dataDir, ['secret', 'forget']) as Record<string, unknown>;
  assert.deepEqual([place, kept, former_until], [secretFile, KEPT_USES, undefined]);
  const wide = join(root, 'wide');
  writeFileSync(wide, readFileSync(secretFile), { mode: 0o644 });
  await served(
    async (server) => {
      assert.deepEqual(await poolsOf(server, key), pools);
      const changed = await change(server, session);
      assert.equal(changed.status, 403);
      assert.notEqual((await change(server, { ...session, csrf: changed.csrf })).status, 403);
      assert.match(
        server.output(),
        new RegExp(`may read the secret of PULSE_SECRET_FILE \\(mode 644\\); close it with: chmod go= ${wide}`),
      );
    },
    { PULSE_SECRET_FILE: wide },
  );
  for (const text of [...logs, rotated.stdout])
    for (const hidden of [first, ...second.split(/\s/).filter((word) => word.length >= 43)])
      assert.equal(text.includes(hidden), false);
});

test('several nodes get the new text as a file, in any order, and a folder that saw neither of its secrets refuses it', async () => {
  const [before, next] = [join(root, 'before'), join(root, 'next')];
  writeFileSync(before, readFileSync(secretFile), { mode: 0o600 });
  const stdout = pulseJson(dataDir, ['secret', 'rotate', '--days', '3', '--renew', 'pool-handle', '--out', next], {
    PULSE_SECRET_FILE: before,
  }) as Record<string, unknown>;
  assert.deepEqual(
    [stdout['place'], stdout['kept']],
    [next, ['api-key', 'phone-number', 'second-factor', 'recovery-code', 'webhook']],
  );
  assert.equal(statSync(next).mode & 0o777, 0o600);
  assert.equal(Math.round((Date.parse(String(stdout['former_until'])) - Date.now()) / 86_400_000), 3);
  const environment = { PULSE_SECRET: readFileSync(before, 'utf8').trim(), PULSE_DATA_DIR: dataDir };
  assert.match(
    pulseCommand(['secret', 'rotate'], { env: environment }).stderr,
    /PULSE_SECRET cannot be changed from here: name a file/,
  );

  rmSync(secretFile);
  assert.equal(
    pulseCommand(['account', 'list'], { env: { PULSE_DATA_DIR: dataDir, PULSE_SECRET_FILE: next } }).status,
    0,
  );
  assert.match(
    pulseCommand(['account', 'list'], { env: { PULSE_DATA_DIR: dataDir, PULSE_SECRET_FILE: before } }).stderr,
    /before is not the one that this folder was used with/,
  );
  pulseJson(dataDir, ['secret', 'forget'], { PULSE_SECRET_FILE: next });
  assert.equal(
    pulseCommand(['account', 'list'], { env: { PULSE_DATA_DIR: dataDir, PULSE_SECRET_FILE: next } }).status,
    0,
  );
});
