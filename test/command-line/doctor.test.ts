/** `pulse doctor` about the stores over the network. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Redis } from 'iovalkey';
import { covers } from '../spec/covers.ts';
import { freePort } from '../support/free-port.ts';
import { pulseCommand } from '../support/pulse-command.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { testFolder } from '../support/test-folder.ts';

let server: RedisServer | undefined;
let why = '';
before(async () => {
  const started = await startRedis();
  if ('skip' in started) {
    why = started.skip;
    return;
  }
  server = started;
  const redis = new Redis(server.url);
  await redis.call('CONFIG', 'SET', 'requirepass', 'open-sesame');
  redis.disconnect();
});
after(() => server?.dispose());

interface Finding {
  readonly subject: string;
  readonly state: string;
  readonly text: string;
}

function storesSaid(url: string, setting = 'PULSE_REDIS_URL'): readonly [string, string] {
  const { stdout } = pulseCommand('doctor --json', {
    env: { PULSE_DATA_DIR: testFolder('doctor'), PULSE_FEEDS: 'off', [setting]: url },
  });
  const { state, text } = (JSON.parse(stdout) as readonly Finding[]).find(({ subject }) => subject === 'stores')!;
  assert.doesNotMatch(stdout, /sesame|secret-word/);
  return [state, text];
}

test('the doctor says which Redis cannot count, and why, without the password', async (t) => {
  if (server === undefined) return t.skip(why);
  covers('DOCTOR-STORES');
  const { port } = new URL(server.url);
  const closed = await freePort();
  assert.deepEqual(storesSaid(`redis://user:secret-word@127.0.0.1:${closed}/2`), [
    'warning',
    `Redis at 127.0.0.1:${closed}/2 (PULSE_REDIS_URL) cannot count: nothing listens at the address`,
  ]);
  assert.match(storesSaid(`redis://:secret-word@127.0.0.1:${port}`)[1], /refuses user or password/);
  assert.match(storesSaid(`redis://127.0.0.1:${port}`)[1], /refuses user or password/);
  assert.deepEqual(storesSaid(`redis://:open-sesame@127.0.0.1:${port}`), ['ok', 'in order']);
});

test('the doctor says which PostgreSQL cannot be used, and why, without the password', async () => {
  covers('DATABASE-REASONS');
  const closed = await freePort();
  assert.deepEqual(storesSaid(`postgres://user:secret-word@127.0.0.1:${closed}/pulse`, 'PULSE_DATABASE_URL'), [
    'warning',
    `PostgreSQL at 127.0.0.1:${closed}/pulse (PULSE_DATABASE_URL) cannot be used: nothing listens at the address`,
  ]);
});
