/**
 * Every place that reads what people bring, and the test that holds each of the four rules there (decisions 12). A file that opens such input and stands in no row
 * fails this test. A reason in place of a test says why the rule has nothing to hold, or that nothing holds it yet.
 */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { READERS } from './readers.fixture.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Calls that open or interpret what people bring. */
const OPENS =
  /\b(?:openInput|readBody|tailFile|openBlob|fetchFeed|findAddressesOf|readLayer|readCsv|importCaptures|createReadStream)\(|new (?:CaptureReader|TextChunks)\(/;

test('every reader of what people bring stands in the table, and each of its rules is held by a test that exists', () => {
  covers('READERS');
  const files = ['src/**/*.ts', 'console/src/**/*.{ts,tsx}'].flatMap((glob) => globSync(glob, { cwd: ROOT }));
  const named = new Set(Object.values(READERS).flatMap((reader) => reader.files));
  const isTest = (file: string): boolean => /\.(?:test|fixture|contract)\.ts$/.test(file);
  const others = files.filter(
    (file) => !isTest(file) && !named.has(file) && OPENS.test(readFileSync(resolve(ROOT, file), 'utf8')),
  );
  assert.deepEqual(others.toSorted(), Object.keys(OTHERS).toSorted());
  for (const [name, { files: its, ...proofs }] of Object.entries(READERS)) {
    for (const file of its) assert.ok(files.includes(file), `${name}: ${file} is not there`);
    for (const [rule, proof] of Object.entries(proofs)) {
      if (typeof proof === 'string') continue;
      const [file, title] = proof;
      assert.ok(
        readFileSync(resolve(ROOT, file), 'utf8').includes(title),
        `${name}, ${rule}: no test "${title}" in ${file}`,
      );
    }
  }
});

/** Files that call one of these and read nothing of people themselves, with the reason. */
const OTHERS: Readonly<Record<string, string>> = {
  'src/apps/http/lane/answer-ip-batch.ts': 'bodies of the interface, which are strict',
  'src/adapters/backup/folder-files.ts': 'copies files as they are',
  'src/adapters/backup/fill-tables.ts': 'rows of a backup, whose checksum was verified',
  'src/adapters/backup/sqlite-tables.ts': 'rows of a backup, whose checksum was verified',
  'src/main/lists/list-thread.ts': 'sends files that the service made itself',
  'src/main/bulk/database-files.ts': 'sends files that the service made itself',
  'src/core/logs/plain-text.ts': 'turns bytes into text for the readers above',
};
