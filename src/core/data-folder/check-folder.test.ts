import assert from 'node:assert/strict';
import { test } from 'node:test';
import { said, worded } from '../texts/said.ts';
import { checkFolder, type Found, type FoundPart, recordFault } from './check-folder.ts';
import type { FolderPart, FolderRecord, PartRecord, PartStore } from './folder-record.ts';

const part = (found: Found, store: PartStore = 'file'): FoundPart => ({ file: '/d/part', store, found });
const recorded = (id: string, store: PartStore = 'file'): PartRecord => ({ store, id });
const record = (parts: FolderRecord['parts']): FolderRecord => ({ format: 1, id: 'folder', parts });
const THERE: Found = { state: 'there', id: 'a' };

const goOn = ({ part, kind }: { readonly part: string; readonly kind: string }): string => `go ${part} ${kind}`;
const faults = (of: FolderPart, before: FolderRecord | undefined, found: FoundPart) =>
  checkFolder({ record: before, found: { [of]: found }, charges: [], goOn });
const kinds = (before: FolderRecord | undefined, found: FoundPart): string[] =>
  faults('accounts', before, found).map(({ kind }) => kind);

test('a part that is recorded must be there, whole, and the same one', () => {
  const before = record({ accounts: recorded('a') });
  assert.deepEqual(kinds(before, part(THERE)), []);
  assert.deepEqual(kinds(before, part({ state: 'absent' })), ['missing']);
  assert.deepEqual(kinds(before, part({ state: 'empty' })), ['empty']);
  assert.deepEqual(kinds(before, part({ state: 'damaged', how: said('is damaged') })), ['damaged']);
  assert.deepEqual(kinds(before, part({ state: 'there', id: 'b' })), ['foreign']);
  assert.deepEqual(kinds(before, part({ state: 'there', id: undefined })), ['foreign'], 'it was never named');
  assert.deepEqual(kinds(record({ accounts: recorded('') }), part(THERE)), [], 'which one it is was not known');
});

test('a part that was never made may be missing or half made, and is never damaged', () => {
  assert.deepEqual(kinds(record({}), part({ state: 'absent' })), []);
  assert.deepEqual(kinds(record({}), part({ state: 'empty' })), []);
  assert.deepEqual(kinds(record({}), part({ state: 'damaged', how: said('is damaged') })), ['damaged']);
});

test('a folder without a record may hold parts, when none is empty, damaged, or missing to another', () => {
  assert.deepEqual(kinds(undefined, part({ state: 'absent' })), []);
  assert.deepEqual(kinds(undefined, part(THERE)), []);
  assert.deepEqual(kinds(undefined, part({ state: 'empty' })), ['empty']);
  assert.deepEqual(kinds(undefined, part({ state: 'damaged', how: said('is damaged') })), ['damaged']);
  assert.deepEqual(
    kinds(undefined, part({ state: 'absent', needed: said('pulse.db holds API keys that were made with it') })),
    ['missing'],
  );
});

test('records that moved between the folder and PostgreSQL are asked about; a secret may move between its file and the environment', () => {
  assert.deepEqual(kinds(record({ accounts: recorded('a') }), part({ state: 'there', id: 'b' }, 'postgresql')), [
    'moved',
  ]);
  assert.deepEqual(kinds(record({ accounts: recorded('a', 'postgresql') }), part({ state: 'absent' })), ['moved']);
  assert.deepEqual(faults('secret', record({ secret: recorded('a') }), part(THERE, 'environment')), []);
  assert.deepEqual(
    faults('secret', record({ secret: recorded('a') }), part({ state: 'there', id: 'b' }, 'environment')).map(
      ({ kind }) => kind,
    ),
    ['foreign'],
  );
});

test('a sentence names the file, the loss, and the command that goes on', () => {
  for (const name of ['secret', 'accounts', 'evidence', 'ledger'] as const)
    for (const [kind, found] of [
      ['missing', { state: 'absent' }],
      ['empty', { state: 'empty' }],
      ['damaged', { state: 'damaged', how: said('is damaged') }],
      ['foreign', { state: 'there', id: 'b' }],
    ] as const) {
      const [fault] = faults(name, record({ [name]: recorded('a') }), part(found));
      assert.match(
        worded(fault!.sentence),
        new RegExp(`^/d/part .*\\. Put back what was there, or go on without .*: go ${name} ${kind}$`),
      );
    }
  assert.match(
    worded(recordFault('/d/data.json', goOn).sentence),
    /^\/d\/data\.json is damaged\..*: go identity damaged$/,
  );
});

test('damaged charges are counted', () => {
  const [fault, totals, ...more] = checkFolder({
    record: record({}),
    found: {},
    charges: [
      { file: '/d/ledger/x.log', readable: 3, unreadable: 2 },
      { file: '/d/ledger/totals-1.bin', readable: 3, unreadable: 1, fault: 'at byte 12 (a count that is wrong)' },
    ],
    goOn,
  });
  assert.equal(more.length, 0);
  assert.match(
    worded(fault!.sentence),
    /^\/d\/ledger\/x\.log is damaged: 3 records can be read and 2 cannot\..*: go ledger charges$/,
  );
  assert.match(
    worded(totals!.sentence),
    /^\/d\/ledger\/totals-1\.bin is damaged at byte 12 \(a count that is wrong\): 3 records/,
  );
});
