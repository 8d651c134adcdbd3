import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pulseCommand } from '../../../test/support/pulse-command.ts';
import { worded } from '../../core/texts/said.ts';
import { every } from '../../service/every.ts';
import { createLogger } from './create-logger.ts';
import { systemFault } from './system-fault.ts';
import { beginPart } from './write-durably.ts';

const faultOf = (error: unknown): string | undefined => {
  const fault = systemFault(error);
  return fault && worded(fault);
};

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
    faultOf(thrownBy(() => readFileSync('/nonexistent/file'))),
    '/nonexistent/file: it is not there, or its folder is not (ENOENT)',
  );
  assert.match(faultOf(thrownBy(() => writeFileSync('/tmp', '')))!, /^\/tmp: it is a folder, not a file \(EISDIR\)$/);
  assert.equal(
    faultOf(Object.assign(new Error('x'), { code: 'EADDRINUSE', address: '::1', port: 80 })),
    '::1:80: another process listens there (EADDRINUSE)',
  );
  const part = beginPart('/nonexistent/report.csv');
  assert.equal(
    faultOf(thrownBy(() => writeFileSync(part, ''))),
    '/nonexistent/report.csv: it is not there, or its folder is not (ENOENT)',
    'an unfinished file goes by the name that its user gave',
  );
  const file = import.meta.filename;
  for (const work of [
    () => mkdirSync(file, { recursive: true }),
    () => mkdirSync(join(file, 'below'), { recursive: true }),
    () => readFileSync(join(file, 'below')),
    () => readdirSync(file),
  ])
    assert.match(
      faultOf(thrownBy(work))!,
      /^\/.*system-fault\.test\.ts is a file where a folder should be; move it away or delete it \((EEXIST|ENOTDIR)\)$/,
    );
  assert.equal(faultOf(new Error('of our own')), undefined);
});

test('the log and a running job say it too: which file, and what to do', async () => {
  const lines: string[] = [];
  const log = createLogger('info', { write: (line) => void lines.push(line) });
  const faults: (string | undefined)[] = [];
  const looking = every('looking', 60_000, () => readdirSync(import.meta.filename), {
    log,
    meanwhile: 'the last state serves',
    onFault: (reason) => faults.push(reason),
  });
  await looking.now();
  await looking.stop();
  assert.match(faults[0]!, /system-fault\.test\.ts: .* file, not a folder; move it away or delete it \(ENOTDIR\)$/);
  const { error } = JSON.parse(lines[0]!) as { readonly error: { readonly message: string; readonly stack: string } };
  assert.match(error.message, /system-fault\.test\.ts is a file where a folder should be; move it away/);
  assert.match(error.stack, /ENOTDIR/);
});

test('a command says it, with status 1', () => {
  const { status, stderr } = pulseCommand(['enrich', '/nonexistent/log', '--place-only']);
  assert.deepEqual([status, stderr], [1, 'pulse: /nonexistent/log: it is not there, or its folder is not (ENOENT)\n']);
});
