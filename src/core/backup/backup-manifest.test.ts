import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BackupManifest, backupManifestText, readBackupManifest } from './backup-manifest.ts';

const file = { path: 'ledger/seed', bytes: 8, sha256: 'a'.repeat(64) };
const WHOLE: BackupManifest = {
  format: 1,
  release: '0.1.0',
  at: '2026-11-27T00:00:00.000Z',
  store: 'sqlite',
  secret: true,
  files: [file],
  tables: [],
};

test('a manifest is read as it was written', () => {
  assert.deepEqual(readBackupManifest(backupManifestText(WHOLE)), WHOLE);
});

test('a manifest of a later format is told from a damaged one', () => {
  assert.equal(readBackupManifest('{"format": 2}'), 'newer');
  assert.equal(readBackupManifest('{'), undefined);
  assert.equal(readBackupManifest('{}'), undefined);
});

test('no path of a manifest leaves the folder, and no name of a table is anything else', () => {
  for (const path of ['../x', '/etc/x', 'a/../../x', 'a//x', 'a\\..\\x', '', '.', 'C:x', 'backup.json', 'a\0'])
    assert.equal(readBackupManifest(JSON.stringify({ ...WHOLE, files: [{ ...file, path }] })), undefined, path);
  for (const table of [
    { name: 'a; drop table b', columns: ['id'], file: file.path },
    { name: 'a', columns: ['id"'], file: file.path },
    { name: 'a', columns: ['id'], file: 'elsewhere' },
  ])
    assert.equal(readBackupManifest(JSON.stringify({ ...WHOLE, tables: [table] })), undefined, table.name);
});

test('a size or checksum that cannot be one refuses the manifest', () => {
  for (const wrong of [{ bytes: -1 }, { bytes: 1.5 }, { sha256: 'a' }, { sha256: 5 }])
    assert.equal(readBackupManifest(JSON.stringify({ ...WHOLE, files: [{ ...file, ...wrong }] })), undefined);
  assert.equal(readBackupManifest(JSON.stringify({ ...WHOLE, files: [file, file] })), undefined, 'twice');
});
