import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { ERRORS } from '../../src/contract/errors.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(resolve(ROOT, path), 'utf8');

test('docs/errors.md and the error table say the same, in both directions', () => {
  const rows = [...read('docs/errors.md').matchAll(/^\| (\d{3}) \| `([a-z0-9_]+)` \| (.+?) \|/gm)].map(
    ([, status, code, message]) => [code, Number(status), message],
  );
  assert.deepEqual(
    rows,
    Object.entries(ERRORS).map(([code, { status, message }]) => [code, status, message]),
  );
});

test('docs/configuration.md names every variable that config.ts reads, and no other', () => {
  const documented = [...read('docs/configuration.md').matchAll(/^\| `(PULSE_[A-Z_]+)` \|/gm)].map(([, name]) => name);
  const known = [...new Set([...read('src/config.ts').matchAll(/\b(PULSE_[A-Z_]+)\b/g)].map(([, name]) => name))];
  assert.deepEqual(documented.sort(), known.sort());
});
