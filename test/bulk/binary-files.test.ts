/** Files without lines of text, and folders, given to each command that reads a file. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { writeEmptyEvidence } from '../support/empty-evidence.ts';
import { pulseCommand } from '../support/pulse-command.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';
import { testFolder } from '../support/test-folder.ts';

const dataDir = testFolder('binary-files');
const env = { PULSE_DATA_DIR: dataDir, PULSE_FEEDS: 'off' };
const path = (name: string): string => join(dataDir, name);
const latin1 = (text: string): Buffer => Buffer.from(`${text} 8.8.8.8 +8613800138000\n`, 'latin1');

const FILES: Readonly<Record<string, readonly [content: Buffer, named: RegExp]>> = {
  'x.parquet': [latin1('PAR1'), /x\.parquet is a Parquet file; .*duckdb -csv -c/],
  'x.zip': [latin1('PK\x03\x04'), /x\.zip is a ZIP archive; .*unzip -p FILE/],
  'x.log.xz': [latin1('\xfd7zXZ\0'), /x\.log\.xz is packed with xz; .*xz -dc FILE/],
  'x.parquet.gz': [gzipSync(latin1('PAR1')), /x\.parquet\.gz is a Parquet file/],
  'x.log.zst.gz': [gzipSync(latin1('\x28\xb5\x2f\xfd')), /x\.log\.zst\.gz is packed with zstd/],
};

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  enrich: ['enrich'],
  summarize: ['summarize'],
  lookup: ['lookup'],
  'phone lookup': ['phone', 'lookup'],
  'phone import': ['phone', 'import', '--library', 'cn'],
  'export --exclude': ['export', '--format', 'csv', '--out', '-', '--exclude'],
};

before(() => {
  writeSyntheticGeo(dataDir);
  writeEmptyEvidence(dataDir);
  for (const [name, [content]] of Object.entries(FILES)) writeFileSync(path(name), content);
  mkdirSync(path('folder'));
});

describe('given to a command, a file without lines is named as what it is, with the way to make lines of it', () => {
  for (const [command, args] of Object.entries(COMMANDS))
    test(command, () => {
      for (const [name, [, named]] of Object.entries(FILES)) {
        const { status, stderr } = pulseCommand([...args, path(name)], { env, input: '' });
        assert.ok(status !== 0, name);
        assert.match(stderr, named);
      }
    });
});

test('standard input is named as such', () => {
  const { status, stderr } = pulseCommand(['summarize', '-'], { env, input: 'PK\x03\x04 8.8.8.8\n' });
  assert.equal(status, 1);
  assert.match(stderr, /standard input is a ZIP archive/);
});

test('a list of exceptions in which nothing is found is refused', () => {
  const exported = (name: string) =>
    pulseCommand(['export', '--format', 'csv', '--out', '-', '--exclude', path(name)], { env, input: '' });
  writeFileSync(path('none.txt'), 'nothing here\n');
  assert.match(exported('none.txt').stderr, /none\.txt has no address and no network/);
  writeFileSync(path('half.txt'), '9.9.9.9\n5.188.10.1 - 12\n');
  assert.match(exported('half.txt').stderr, /half\.txt: 5\.188\.10\.1 - 12 is neither an address nor a network/);
});
