import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terminalProgress } from './terminal-progress.ts';

function shown(isTTY: boolean, ...texts: string[]): string {
  let written = '';
  const write = (text: string): boolean => {
    written += text;
    return true;
  };
  const progress = terminalProgress({ isTTY, write } as unknown as NodeJS.WriteStream);
  for (const text of texts) progress(text);
  return written;
}

test('in a log every step is one whole line, written once, and the end is not a line', () => {
  assert.equal(shown(false, 'read a', 'read b', 'read a', ''), 'pulse: read a\npulse: read b\n');
  assert.equal(shown(false, 'read a', '', 'read a'), 'pulse: read a\npulse: read a\n');
});

test('on a terminal one line is written over', () => {
  assert.equal(shown(true, 'read a', ''), '\r\x1b[2Kread a\r\x1b[2K');
});
