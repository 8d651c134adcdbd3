import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '../../../test/support/test-folder.ts';
import { loadSecret } from './deployment-secret.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

test('the secret is made once, readable by its owner only, and stays the same', () => {
  const dataDir = join(testFolder('secret'), 'not', 'yet');
  const first = loadSecret({ dataDir, secret: undefined }).subkey('api-key');
  assert.equal(first.length, 32);
  assert.equal(statSync(join(dataDir, 'secret')).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(dataDir), ['secret']);
  assert.equal(hex(loadSecret({ dataDir, secret: undefined }).subkey('api-key')), hex(first));
});

test('every use has its own key', () => {
  const secret = loadSecret({ dataDir: testFolder('secret'), secret: undefined });
  assert.notEqual(hex(secret.subkey('api-key')), hex(secret.subkey('cookie')));
});

test('PULSE_SECRET is used as given and nothing is written', () => {
  const dataDir = testFolder('secret');
  const given = { dataDir, secret: 'x'.repeat(32) };
  assert.equal(
    hex(loadSecret(given).subkey('oauth')),
    hex(loadSecret({ ...given, dataDir: '/nonexistent' }).subkey('oauth')),
  );
  assert.deepEqual(readdirSync(dataDir), []);
});

test('a damaged secret file stops the start instead of making new keys quietly', () => {
  const dataDir = testFolder('secret');
  writeFileSync(join(dataDir, 'secret'), 'short\n');
  assert.throws(() => loadSecret({ dataDir, secret: undefined }), /restore it from a backup/);
});

test('processes that start at once agree on one secret', async () => {
  const dataDir = testFolder('secret');
  const script = `import { loadSecret } from ${JSON.stringify(join(import.meta.dirname, 'deployment-secret.ts'))};
    process.stdout.write(Buffer.from(loadSecret({ dataDir: ${JSON.stringify(dataDir)}, secret: undefined }).subkey('cookie')).toString('hex'));`;
  const outputs = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      for await (const chunk of child.stdout) output += String(chunk);
      return output;
    }),
  );
  assert.match(outputs[0]!, /^[0-9a-f]{64}$/);
  assert.equal(new Set(outputs).size, 1);
});

test('a former secret gives keys until its time, and a use that was kept has the key that stands in the text', () => {
  const [former, secret] = ['f'.repeat(31).concat('ormer'), 's'.repeat(31).concat('ecret')];
  const kept = 'A'.repeat(43);
  const dataDir = testFolder('secret');
  const textUntil = (until: Date) => `${secret}\nformer ${former} until ${until.toISOString()}\nkeep api-key ${kept}\n`;
  const load = (text: string) => loadSecret({ dataDir, secret: text });
  const [before, now] = [load(former), load(textUntil(new Date(Date.now() + 60_000)))];
  assert.equal(hex(now.subkey('cookie')), hex(load(secret).subkey('cookie')));
  assert.deepEqual(now.formerSubkeys('cookie').map(hex), [hex(before.subkey('cookie'))]);
  assert.equal(Buffer.from(now.subkey('api-key')).toString('base64url'), kept);
  assert.deepEqual(now.formerSubkeys('api-key'), []);
  assert.deepEqual(load(textUntil(new Date(Date.now() - 1))).formerSubkeys('cookie'), []);
  assert.throws(
    () => load(`${secret}\n${former}`),
    (error: Error) => /PULSE_SECRET holds a line 2 that is not/.test(error.message) && !error.message.includes(former),
  );
});
