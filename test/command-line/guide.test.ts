import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { COMMANDS } from '../../src/cli/commands.ts';

test('the guide to the command line names every command, in both languages', () => {
  for (const file of ['docs/command-line.md', 'docs/zh-CN/command-line.md']) {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    const named = [...text.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell]) =>
      [...cell!.matchAll(/`([a-z]+)`/g)].map(([, name]) => name!),
    );
    assert.deepEqual(named.sort(), Object.keys(COMMANDS).sort(), file);
  }
});
