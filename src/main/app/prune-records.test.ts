import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { testFolder } from '../../../test/support/test-folder.ts';
import { openAccounts } from '../../adapters/accounts/open-accounts.ts';
import { openDatabase } from '../../adapters/database/open-database.ts';
import { recordChange } from '../../adapters/database/record-change.ts';
import { loadConfig } from '../../config.ts';
import { DAY_MS, unixMs } from '../../core/units.ts';
import { deleteAccount } from '../../service/accounts/account.ts';
import { type DataMessage, type Faults, withFault } from '../../service/serving/data-state.ts';
import { pruneRecords } from './open-app-routes.ts';

test('rows past their time are dropped at the start, and a fault that a thread before this one left is taken back', async (t) => {
  const config = loadConfig({ PULSE_DATA_DIR: testFolder('prune') });
  const db = await openDatabase(config);
  t.after(() => db.destroy());
  const change = (subject: string, at: number) =>
    db
      .transaction()
      .execute((trx) => recordChange(trx, { at, actor: 'cli', action: 'key.create', topic: 'key', subject }));
  await change('old', Date.now() - 2 * DAY_MS);
  await change('new', Date.now());
  let faults: Faults = new Map([
    ['dropping old change numbers', 'the disk was full'],
    ['compacting evidence', 'the disk was full'],
  ]);
  const publish = (message: DataMessage): void => {
    if (message.type === 'fault') faults = withFault(faults, message);
  };
  const log = {
    info: () => {},
    error: (fields: object, text: string) => assert.fail(`${text} ${JSON.stringify(fields)}`),
  };
  const pruning = pruneRecords(config, { log, publish });
  t.after(() => pruning.stop());
  assert.deepEqual([...faults.keys()], ['compacting evidence']);
  const kept = async () => (await db.selectFrom('changes').select('subject').execute()).map(({ subject }) => subject);
  await eventually(async () => assert.deepEqual(await kept(), ['new']));
});

test('the mail address of a deleted account is in no file of the data folder, also while the service runs', async (t) => {
  covers('DELETED-TEXT');
  const dataDir = testFolder('prune-deleted');
  const config = loadConfig({ PULSE_DATA_DIR: dataDir });
  const { store, close } = await openAccounts(config);
  t.after(close);
  const by = { actor: 'cli', at: unixMs(Date.now()) } as const;
  const account = { id: 'acc_deleted', email: 'somebody@deleted.example', plan: 'free', dpa: false, phone: false };
  await store.createAccount(account, by);
  const holding = (): readonly string[] =>
    readdirSync(dataDir).filter((name) => readFileSync(join(dataDir, name)).includes('somebody@deleted.example'));
  assert.notDeepEqual(holding(), []);
  await deleteAccount(store, account.id, by);
  const log = { info: () => {}, error: (_: object, text: string) => assert.fail(text) };
  const pruning = pruneRecords(config, { log, publish: () => {} });
  t.after(() => pruning.stop());
  await eventually(() => assert.deepEqual(holding(), []));
});
