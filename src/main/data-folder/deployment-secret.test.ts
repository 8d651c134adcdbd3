import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadSecret } from './deployment-secret.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const folder = (t: { after(done: () => void): void }): string => {
  const path = mkdtempSync(join(tmpdir(), 'pulse-secret-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

test('the secret is made once, readable by its owner only, and stays the same', (t) => {
  const dataDir = join(folder(t), 'not', 'yet');
  const first = loadSecret({ dataDir, secret: undefined }).subkey('api-key');
  assert.equal(first.length, 32);
  assert.equal(statSync(join(dataDir, 'secret')).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(dataDir), ['secret']);
  assert.equal(hex(loadSecret({ dataDir, secret: undefined }).subkey('api-key')), hex(first));
});

test('every use has its own key', (t) => {
  const secret = loadSecret({ dataDir: folder(t), secret: undefined });
  assert.notEqual(hex(secret.subkey('api-key')), hex(secret.subkey('cookie')));
});

test('PULSE_SECRET is used as given and nothing is written', (t) => {
  const dataDir = folder(t);
  const given = { dataDir, secret: 'x'.repeat(32) };
  assert.equal(hex(loadSecret(given).subkey('oauth')), hex(loadSecret({ ...given, dataDir: '/nonexistent' }).subkey('oauth')));
  assert.deepEqual(readdirSync(dataDir), []);
});

test('a damaged secret file stops the start instead of making new keys quietly', (t) => {
  const dataDir = folder(t);
  writeFileSync(join(dataDir, 'secret'), 'short\n');
  assert.throws(() => loadSecret({ dataDir, secret: undefined }), /restore it from a backup/);
});

test('processes that start at once agree on one secret', async (t) => {
  const dataDir = folder(t);
  const script = `import { loadSecret } from ${JSON.stringify(join(import.meta.dirname, 'deployment-secret.ts'))};
    process.stdout.write(Buffer.from(loadSecret({ dataDir: ${JSON.stringify(dataDir)}, secret: undefined }).subkey('cookie')).toString('hex'));`;
  const outputs = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
      let output = '';
      for await (const chunk of child.stdout) output += String(chunk);
      return output;
    }),
  );
  assert.match(outputs[0]!, /^[0-9a-f]{64}$/);
  assert.equal(new Set(outputs).size, 1);
});
