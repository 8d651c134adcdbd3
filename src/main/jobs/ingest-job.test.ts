import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { testFolder } from '../../../test/support/test-folder.ts';
import { FeedStateFiles } from '../../adapters/feeds/feed-state-files.ts';
import { systemClock } from '../../adapters/system/own-process.ts';
import { said, worded } from '../../core/texts/said.ts';
import type { HistoryWriter, RunOutcome } from '../../service/ports.ts';
import type { DataMessage } from '../../service/serving/data-state.ts';
import { IngestThread } from './ingest-job.ts';
import { startIngest } from './start-ingest.ts';

const folder = testFolder('ingest');

/** Makes a mirror folder with one list, and settings that use it. */
function setup() {
  const dataDir = mkdtempSync(join(folder, 'data-'));
  const mirror = mkdtempSync(join(folder, 'mirror-'));
  writeFileSync(
    join(mirror, 'x4bnet-vpn-ipv6.txt'),
    Array.from({ length: 60 }, (_, i) => `2a00:${i.toString(16)}::/48\n`).join(''),
  );
  return {
    dataDir,
    config: {
      dataDir,
      databaseUrl: undefined,
      feeds: { mirror },
      logLevel: 'fatal' as const,
      trustedProxies: ['2a00:3::/48'],
      host: '127.0.0.1',
      baseUrl: undefined,
    },
  };
}

test('a thread that dies is reported and restarted, and verdicts are degraded meanwhile', async () => {
  const { dataDir, config } = setup();
  // The store cannot be opened, so the thread dies as soon as it starts.
  mkdirSync(join(dataDir, 'evidence.db'));
  const [errors, health]: [string[], DataMessage[]] = [[], []];
  const log = { error: (_: object, text: string) => errors.push(text), warn: () => {}, info: () => {} } as never;
  const runner = new IngestThread({ config, log, publish: (message) => health.push(message) }, 10);
  await eventually(() => errors.length >= 2);
  assert.match(errors[0]!, /the thread that reads feeds died; it is restarted/);
  assert.deepEqual(health.at(-1), { type: 'degraded', by: 'feeds', degraded: true });
  rmdirSync(join(dataDir, 'evidence.db'));
  const states = new FeedStateFiles(join(dataDir, 'feeds'));
  await eventually(() => states.get('x4bnet-vpn-6').rows === 59);
  assert.deepEqual(states.get('x4bnet-vpn-6').refused, { own_address: 1 }, 'a trusted proxy is the operator');
  await runner.stop();
});

test('a feed that was being taken in when a thread died fails once and is remembered, and is read the next time', async () => {
  const { config, dataDir } = setup();
  const states = new FeedStateFiles(join(dataDir, 'feeds'));
  const underWay: string[] = [];
  let stored = 0;
  const record = async (): Promise<RunOutcome> => {
    stored++;
    assert.match(underWay.at(-1)!, /x4bnet-vpn-6/, 'storing counts as taking in');
    return { changed: true, refused: new Map() } as unknown as RunOutcome;
  };
  const store = { recordRun: record, recordCaptures: record, recordFailure: () => {} } as unknown as HistoryWriter;
  const nothing = (): void => {};
  const { ingest, stop } = startIngest({
    config,
    store,
    clock: systemClock,
    log: { info: nothing, error: nothing, warn: nothing },
    died: ['x4bnet-vpn-6'],
    onNetworkLists: nothing,
    onHealth: nothing,
    onUnderWay: (ids) => underWay.push(ids.join(' ')),
  });
  await ingest.idle();
  assert.deepEqual(states.get('x4bnet-vpn-6').error, said('the thread that read it died'));
  assert.equal(states.get('x4bnet-vpn-6').failures, 1);
  ingest.refreshNow('x4bnet-vpn-6');
  await ingest.idle();
  assert.deepEqual([stored, states.get('x4bnet-vpn-6').rows, underWay.at(-1)], [1, 60, '']);
  await stop();
});

test('a stop gives up readings that hang, and holds nothing against their feeds', async () => {
  let asked = 0;
  const silent = createServer(() => void asked++).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const dataDir = mkdtempSync(join(folder, 'data-'));
  const mirror = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  const nothing = (): void => {};
  const { stop } = startIngest({
    config: { dataDir, feeds: { mirror } },
    store: {} as HistoryWriter,
    clock: systemClock,
    log: { info: nothing, error: nothing, warn: nothing },
    died: [],
    onNetworkLists: nothing,
    onHealth: nothing,
    onUnderWay: nothing,
  });
  await eventually(() => asked > 0);
  await stop();
  const unexpected = readdirSync(join(dataDir, 'feeds')).filter((name) => name.endsWith('.state.json'));
  assert.deepEqual(unexpected, []);
  silent.close().closeAllConnections();
});

test('in a watched folder a list of proxy bots waits for network data and is read as soon as there are any; own data are left out', async () => {
  const { config, dataDir } = setup();
  writeFileSync(
    join(config.feeds.mirror, 'avastel-1day.txt'),
    Array.from({ length: 1000 }, (_, i) => `8.8.${i >> 8}.${i & 255}\n`).join(''),
  );
  writeFileSync(
    join(config.feeds.mirror, 'cowrie.json'),
    '{"eventid":"cowrie.login.failed","src_ip":"8.8.8.8","timestamp":"2026-08-22T00:00:02Z"}',
  );
  const warnings: unknown[] = [];
  const states = new FeedStateFiles(join(dataDir, 'feeds'));
  const outcome = () => Promise.resolve({ changed: true, refused: new Map() } as unknown as RunOutcome);
  const store = { recordRun: outcome, recordCaptures: outcome, recordFailure: () => {} } as unknown as HistoryWriter;
  const nothing = (): void => {};
  let hasNetworkData = false;
  const { ingest, stop } = startIngest({
    config,
    store,
    clock: systemClock,
    log: { info: nothing, error: nothing, warn: (fields) => void warnings.push(fields['reason']) },
    died: [],
    hasNetworkData: () => hasNetworkData,
    onNetworkLists: nothing,
    onHealth: nothing,
    onUnderWay: nothing,
  });
  await ingest.idle();
  await ingest.tick();
  await ingest.idle();
  assert.match(worded(states.get('avastel-1day').error!), /waits for place and network data/);
  assert.equal(states.get('x4bnet-vpn-6').rows, 60, 'other lists do not wait');
  assert.match(warnings.join(), /own data is taken in by command/);
  assert.equal(states.get('cowrie').lastAttemptAt, undefined, 'a folder does not speak for own sensors');
  hasNetworkData = true;
  await ingest.tick();
  await ingest.idle();
  assert.deepEqual([states.get('avastel-1day').rows, states.get('avastel-1day').error], [1000, undefined]);
  await stop();
});
