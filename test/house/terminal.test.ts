/**
 * Text of publishers and users must not act on an operator's terminal: commands print through
 * src/cli/terminal/print.ts, which makes it printable.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');

/** Writes to the terminal without print.ts: the file, the line, and why it is safe or must be so. */
const ALLOWED: readonly (readonly [file: string, line: RegExp, reason: string])[] = [
  ['src/cli/terminal/print.ts', /lineOf/, 'makes it printable itself'],
  [
    'src/cli/run-program.ts',
    /\$\{name\}: \$\{lines/,
    'made printable line by line, for what an error says may have several',
  ],
  ['src/cli/run-program.ts', /error\.stack/, 'for developers, only with PULSE_LOG=debug'],
  [
    'src/cli/terminal/read-password.ts',
    /write\((?:question|'\\n')\)/,
    'the fixed question, and the line end that is not echoed',
  ],
];

const written = globSync('src/cli/**/*.ts', { cwd: ROOT })
  .filter((file) => !file.endsWith('.test.ts'))
  .flatMap((file) =>
    readFileSync(resolve(ROOT, file), 'utf8')
      .split('\n')
      .map((line) => [file, line.trim()] as const),
  )
  .filter(([, line]) => /\b(?:stdout|stderr)\.write\(|\bconsole\.(?:log|error|warn|info)\(/.test(line));

test('commands write to the terminal through print.ts', () => {
  assert.ok(written.length >= ALLOWED.length);
  const others = written.filter(([file, line]) => !ALLOWED.some(([at, form]) => at === file && form.test(line)));
  const unexpected = others.map(([file, line]) => `${file}: ${line}`);
  assert.deepEqual(unexpected, []);
});

test('every exception is in use', () => {
  for (const [file, form] of ALLOWED)
    assert.ok(
      written.some(([at, line]) => at === file && form.test(line)),
      `${file} ${form}`,
    );
});
