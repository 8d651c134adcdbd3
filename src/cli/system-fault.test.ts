import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { pulseCommand } from '../../test/support/pulse-command.ts';
import { beginPart } from '../adapters/system/begin-part.ts';
import { systemFault } from './system-fault.ts';

const thrownBy = (work: () => void): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
};

test('a fault of the system is a sentence that names the file; another error stays as it is', () => {
  assert.equal(
    systemFault(thrownBy(() => readFileSync('/nonexistent/file'))),
    '/nonexistent/file: it is not there, or its folder is not (ENOENT)',
  );
  assert.match(
    systemFault(thrownBy(() => writeFileSync('/tmp', '')))!,
    /^\/tmp: it is a folder, not a file \(EISDIR\)$/,
  );
  assert.equal(
    systemFault(Object.assign(new Error('x'), { code: 'EADDRINUSE', address: '::1', port: 80 })),
    '::1:80: another process listens there (EADDRINUSE)',
  );
  const part = beginPart('/nonexistent/report.csv');
  assert.equal(
    systemFault(thrownBy(() => writeFileSync(part, ''))),
    '/nonexistent/report.csv: it is not there, or its folder is not (ENOENT)',
    'an unfinished file goes by the name that its user gave',
  );
  assert.throws(
    () => mkdirSync(import.meta.filename, { recursive: true }),
    (error) =>
      /system-fault\.test\.ts: a file stands where a folder should be \(EEXIST\)$/.test(systemFault(error) ?? ''),
  );
  assert.equal(systemFault(new Error('of our own')), undefined);
});

test('a command says it, with status 1', () => {
  const { status, stderr } = pulseCommand(['enrich', '/nonexistent/log', '--place-only']);
  assert.deepEqual([status, stderr], [1, 'pulse: /nonexistent/log: it is not there, or its folder is not (ENOENT)\n']);
});
