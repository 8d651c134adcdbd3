import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FolderRecord, folderRecordText, readFolderRecord } from './folder-record.ts';

const RECORD: FolderRecord = {
  format: 1,
  id: '7f0c',
  parts: {
    secret: { store: 'file', id: 'aa' },
    accounts: { store: 'postgresql', id: 'bb' },
  },
};

test('a written record is read back', () => {
  assert.deepEqual(readFolderRecord(folderRecordText(RECORD)), RECORD);
});

test('a text that was cut, emptied or changed in form is damaged', () => {
  const text = folderRecordText(RECORD);
  for (let length = 0; length < text.length - 2; length++)
    assert.equal(readFolderRecord(text.slice(0, length)), 'damaged', `${length} characters`);
  for (const wrong of [
    'null',
    '[]',
    '"x"',
    '\0\0\0',
    '{"format":"1"}',
    '{"format":0,"id":"a","parts":{}}',
    '{"format":1,"id":"","parts":{}}',
  ])
    assert.equal(readFolderRecord(wrong), 'damaged', wrong);
  for (const secret of [null, [], { store: 'elsewhere', id: 'a' }, { store: 'file', id: 1 }, { store: 'file' }])
    assert.equal(readFolderRecord(JSON.stringify({ ...RECORD, parts: { secret } })), 'damaged', JSON.stringify(secret));
});

test('a later format is distinguished from damage', () => {
  assert.equal(readFolderRecord('{"format":2}'), 'newer');
});
