import { existsSync, readdirSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { askRedis, redisAddress } from '../adapters/counters/redis/redis-server.ts';
import { folderState } from '../adapters/data-folder/open-data-folder.ts';
import { openPostgresCheck, postgresAddress } from '../adapters/database/open-postgres-check.ts';
import { followedFeeds, openFeedStates } from '../adapters/feeds/open-feeds.ts';
import { faultSentence } from '../adapters/system/system-fault.ts';
import type { Config } from '../config.ts';
import { sentenceOf } from '../core/texts/fault.ts';
import { type Said, said, worded } from '../core/texts/said.ts';
import type { UnixMs } from '../core/units.ts';
import { faultOf, feedStatus, missingSources } from '../service/feeds/feed-health.ts';
import { checkConfig } from './check-config.ts';
import { operatorsWithoutFactor } from './operators-without-factor.ts';
import { usedData } from './place-data/used-data.ts';
import { verifyData } from './place-data/verify-data.ts';
import { requireFreePort } from './require-free-port.ts';

export interface Finding {
  readonly subject: 'data folder' | 'settings' | 'port' | 'stores' | 'place data' | 'feeds';
  /** With a `fault` the service refuses to start. */
  readonly state: 'ok' | 'warning' | 'fault';
  readonly text: Said;
}

/**
 * Checks everything that a start and its verdicts depend on, and changes nothing. A subject without remarks
 * has one finding that says so.
 */
export async function doctor(config: Config, now: UnixMs): Promise<readonly Finding[]> {
  const { faults, torn } = await folderState(config, true).then(
    ({ faults, torn }) => ({
      faults: faults.map(({ sentence }) => ({ stops: true, text: sentence })),
      torn,
    }),
    (error: Error) => ({ faults: [{ stops: true, text: faultSentence(error) }], torn: [] }),
  );
  const unopened = unopenedFolders(config.dataDir);
  const stopping = [
    ...faults.filter(({ stops, text }) => stops && !unopened.some((one) => worded(one.text) === worded(text))),
    ...unopened.filter(({ stops }) => stops),
  ];
  const passing = [...faults, ...unopened].filter(({ stops }) => !stops);
  const place = [
    ...(await verifyData(config.dataDir).then(({ faults }) => faults.map(sentenceOf), why)),
    ...(await layerRemarks(config).catch(why)),
  ];
  const unguarded = stopping.length > 0 ? undefined : await operatorsWithoutFactor(config);
  const port = await requireFreePort(config).then(
    () => [],
    (error: Error) => [said('{fault}, unless it is this service that listens there', { fault: faultSentence(error) })],
  );
  return [
    ...stopping.map(({ text }): Finding => ({ subject: 'data folder', state: 'fault', text })),
    ...remarks('data folder', [
      ...passing.map(({ text }) => text),
      ...torn.map(({ file }) =>
        said('{file}: a crash left its end unfinished; the records before it are counted', { file }),
      ),
    ]).filter(({ state }) => state !== 'ok' || stopping.length === 0),
    ...remarks('settings', [...checkConfig(config), ...(unguarded === undefined ? [] : [unguarded])]),
    ...remarks('port', port),
    ...(await storeRemarks(config)),
    ...remarks('place data', [...new Map(place.map((one) => [worded(one), one])).values()]),
    ...remarks('feeds', await feedRemarks(config, now).catch(why)),
  ];
}

const STORE_MS = 2000;
/** Ledger and stores reserve some space ahead, so a folder with less counts as full. */
const SPACE_MIN_BYTES = 256 * 1024 ** 2;

async function storeRemarks({ databaseUrl, redisUrl, dataDir }: Config): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  const cause = databaseUrl === undefined ? undefined : await askPostgres(databaseUrl);
  if (cause !== undefined && databaseUrl !== undefined)
    found.push({
      subject: 'stores',
      state: 'warning',
      text: said('PostgreSQL at {address} (PULSE_DATABASE_URL) cannot be used: {cause}', {
        address: postgresAddress(databaseUrl),
        cause,
      }),
    });
  const redis = redisUrl === undefined ? undefined : await askRedis(redisUrl, STORE_MS);
  if (redis !== undefined && redisUrl !== undefined)
    found.push({
      subject: 'stores',
      state: redis.refused === true ? 'fault' : 'warning',
      text: said('Redis at {address} (PULSE_REDIS_URL) cannot count: {cause}', {
        address: redisAddress(redisUrl),
        cause: redis.cause,
      }),
    });
  const { bavail, bsize } = await statfs(existsSync(dataDir) ? dataDir : '.');
  if (bavail * bsize < SPACE_MIN_BYTES)
    found.push({
      subject: 'stores',
      state: 'warning',
      text: said('{dataDir} has {mib} MiB left: free disk space before charges and captures are refused', {
        dataDir,
        mib: Math.floor((bavail * bsize) / 1024 ** 2),
      }),
    });
  return found.length > 0 ? found : [{ subject: 'stores', state: 'ok', text: said('in order') }];
}

async function askPostgres(databaseUrl: string): Promise<string | undefined> {
  const check = openPostgresCheck(databaseUrl, STORE_MS);
  try {
    return await check.ask();
  } finally {
    await check.close();
  }
}

const why = (error: unknown): readonly Said[] => [faultSentence(error)];

/** Names layers that are not used, and parts of layers that are left out. */
async function layerRemarks({ dataDir }: Config): Promise<readonly Said[]> {
  const { faults, leftOut } = await usedData(dataDir);
  return [...faults, ...leftOut];
}

const remarks = (subject: Finding['subject'], texts: readonly Said[]): readonly Finding[] =>
  texts.length === 0
    ? [{ subject, state: 'ok', text: said('in order') }]
    : texts.map((text) => ({ subject, state: 'warning', text }));

/** The service cannot start without the first three. */
const FOLDERS = ['feeds', 'images', 'ledger', 'cache', 'layer-updates', 'layers', 'network', 'phone'] as const;
const NEEDED = 3;

/** Says why existing folders cannot be opened: a file may stand in the place of one. */
function unopenedFolders(dataDir: string): readonly { readonly stops: boolean; readonly text: Said }[] {
  return FOLDERS.map((name) => join(dataDir, name)).flatMap((path, index) => {
    if (!existsSync(path)) return [];
    try {
      readdirSync(path);
      return [];
    } catch (error) {
      return [{ stops: index < NEEDED, text: faultSentence(error) }];
    }
  });
}

async function feedRemarks(config: Config, now: UnixMs): Promise<readonly Said[]> {
  const files = openFeedStates(config);
  const { catalogue, quarantine } = files;
  const known = followedFeeds(config, files);
  const { ids, retired } = missingSources(catalogue, known, now);
  const standings = feedStatus(catalogue, known, now);
  const missing = (state: 'never_read' | 'late') => ids.filter((id) => standings.get(id)?.state === state);
  const waiting = catalogue.filter(({ id }) => quarantine.get(id) !== undefined).map(({ id }) => id);
  return [
    ...(known.from === 'off' ? [said('PULSE_FEEDS is off: no source is read')] : []),
    ...(
      [
        ['never read: {names}', missing('never_read')],
        ['late: {names}', missing('late')],
        ['retired: {names}', retired],
        ['in quarantine, see `pulse feeds show NAME`: {names}', waiting],
      ] as const
    ).flatMap(([what, names]) => (names.length === 0 ? [] : [said(what, { names: names.join(', ') })])),
    ...catalogue.flatMap(({ id }) => {
      const why = faultOf({ id }, known);
      return why === undefined ? [] : [said('{id} fails: {why}', { id, why })];
    }),
  ];
}
