import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { testFolder } from '../../../../test/support/test-folder.ts';
import { type PhoneFileOptions, readPhoneFile } from './read-phone-file.ts';

async function read(text: string | Buffer, name = 'drop', over: Partial<PhoneFileOptions> = {}) {
  const folder = testFolder('phone-file');
  const path = join(folder, name);
  writeFileSync(path, text);
  const rows = [];
  for await (const batch of readPhoneFile(path, {
    format: 'auto',
    columns: new Map(),
    deletions: false,
    seenAt: '2026-11-20T00:00:00Z',
    signal: new AbortController().signal,
    ...over,
  }))
    rows.push(...batch);
  return rows;
}

test('NDJSON: a line is a row, and a line that cannot be read does not stop the file', async () => {
  assert.deepEqual(await read('{"number":"+861","risk":1}\n\n{broken\n[1]\n{"number":"+862"}\n'), [
    { number: '+861', risk: 1 },
    undefined,
    undefined,
    { number: '+862' },
  ]);
});

test('CSV: columns by name or by mapping, quotes, tabs, semicolons', async () => {
  assert.deepEqual(await read('number,risk,note\n"+86 1",7,"a, ""b"""\n+862,,\n'), [
    { number: '+86 1', risk: '7', note: 'a, "b"' },
    { number: '+862', risk: '', note: '' },
  ]);
  const mapped = await read('\ufeffphone;level\r\n+861;3\r\n', 'x.csv', {
    format: 'csv',
    columns: new Map([
      ['number', 'phone'],
      ['risk', 'level'],
    ]),
  });
  assert.deepEqual(mapped, [{ number: '+861', risk: '3' }]);
  assert.deepEqual(await read('number\trisk\n+861\t2\n'), [{ number: '+861', risk: '2' }]);
  assert.deepEqual(await read('sep=;\r\nnumber;risk\r\n+861;2\r\n'), [{ number: '+861', risk: '2' }]);
  assert.deepEqual(await read('number,risk\n+861,2,3\n'), [undefined]);
});

test('CSV without a number column, or without the column that was named, is refused whole', async () => {
  await assert.rejects(read('phone,risk\n1,2\n'), /no column "number"/);
  await assert.rejects(read('number,risk\n1,2\n', 'x', { columns: new Map([['risk', 'level']]) }), /no column "level"/);
});

test('the date list and the plain list become public inboxes to be joined with stored records', async () => {
  assert.deepEqual(await read('{\n  "46200231": "2023-12-20"\n}'), [
    { number: '+46200231', last_active: '2023-12-20', tags: [104], observed_days: 1, merge: true },
  ]);
  assert.deepEqual(await read('+33753707041\n'), [
    { number: '+33753707041', last_active: '2026-11-20T00:00:00Z', tags: [104], observed_days: 1, merge: true },
  ]);
  assert.deepEqual(await read('+33753707041\n', 'x', { format: 'list', deletions: true }), [
    { number: '+33753707041', deleted: true },
  ]);
});

test('a packed file is unpacked, and a damaged one is an error without its text', async () => {
  const packed = gzipSync('{"number":"+861"}\n');
  for (const content of [
    packed,
    zstdCompressSync('{"number":"+861"}\n'),
    Buffer.from('{"number":"+861"}\n', 'utf16le'),
    '{"number":"+861"}\r',
  ])
    assert.deepEqual(await read(content), [{ number: '+861' }]);
  await assert.rejects(read(packed.subarray(0, 20)));
  await assert.rejects(
    read('{"8613800138000": "2020-01-01", broken', 'x', { format: 'ip1sms' }),
    (error: Error) => !/1380013/.test(`${error.stack} ${String(error.cause)}`),
  );
});
