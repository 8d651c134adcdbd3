import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { folderState } from '../adapters/data-folder/open-data-folder.ts';
import { NodeSqliteDialect } from '../adapters/database/node-sqlite-dialect.ts';
import { connectDatabase, type DatabaseTarget } from '../adapters/database/open-database.ts';
import { openSqlite, sqlitePath } from '../adapters/database/open-sqlite.ts';
import { isPostgresUnavailable } from '../adapters/database/store-faults.ts';
import type { Database } from '../adapters/database/tables.ts';
import { faultSentence } from '../adapters/system/system-fault.ts';
import type { Config } from '../config.ts';
import { type Said, said, sentenceOf, worded } from '../core/texts/said.ts';
import type { Clock } from '../service/ports.ts';
import { checkConfig } from './check-config.ts';
import { feedRemarks, feedStates } from './feed-remarks.ts';
import { type Finding, machineFindings, remarks } from './machine-findings.ts';
import { usedData } from './place-data/find-inputs.ts';
import { verifyData } from './place-data/verify-data.ts';
import { requireFreePort } from './require-free-port.ts';
import type { Role } from './serve-options.ts';
import { storeFindings } from './store-findings.ts';
import { metricsOf } from './support-bundle.ts';

/**
 * Checks everything that a start and its verdicts depend on, and changes nothing. A subject without remarks
 * has one finding that says so.
 */
export async function doctor(config: Config, clock: Clock, role: Role): Promise<readonly Finding[]> {
  const { faults, torn, hasAccounts } = await folderState(config, true, true).then(
    ({ faults, torn, found }) => ({
      faults: faults.map(({ sentence }) => sentence),
      torn,
      hasAccounts: found.accounts?.found.state === 'there',
    }),
    (error: Error) => ({
      faults: isPostgresUnavailable(error.cause) ? [] : [faultSentence(error)],
      torn: [],
      hasAccounts: false,
    }),
  );
  const unopened = unopenedFolders(config.dataDir);
  const stopping = [
    ...faults.filter((text) => !unopened.some((one) => worded(one.text) === worded(text))),
    ...unopened.flatMap(({ stops, text }) => (stops ? [text] : [])),
  ];
  const place = role === 'api' ? followedRemarks(config) : await placeRemarks(config);
  const stores = await storeFindings(config);
  const states = feedStates(config);
  const isAway = config.databaseUrl !== undefined && stores.findings.some(({ state }) => state === 'fault');
  const unguarded = stopping.length > 0 || isAway || !hasAccounts ? undefined : await operatorsWithoutFactor(config);
  const ports = [requireFreePort(config), config.metrics && requireFreePort(config.metrics, 'PULSE_METRICS')];
  const taken = (await Promise.allSettled(ports)).flatMap((port) =>
    port.status === 'fulfilled'
      ? []
      : [said('{fault}, unless it is this service that listens there', { fault: faultSentence(port.reason) })],
  );
  return [
    ...stopping.map((text): Finding => ({ subject: 'data folder', state: 'fault', text })),
    ...remarks('data folder', [
      ...unopened.flatMap(({ stops, text }) => (stops ? [] : [text])),
      ...torn.map(({ file }) =>
        said('{file}: a crash left its end unfinished; the records before it are counted', { file }),
      ),
    ]).filter(({ state }) => state !== 'ok' || stopping.length === 0),
    ...remarks('settings', [
      ...checkConfig(config),
      ...(unguarded === undefined ? [] : [unguarded]),
      ...(await unnamedClients(config)),
    ]),
    ...remarks('port', taken),
    ...stores.findings,
    ...machineFindings(config, { ...stores, states, now: clock.now() }),
    ...remarks('place data', [...new Map(place.map((one) => [worded(one), one])).values()]),
    ...(role === 'api' ? [] : remarks('feeds', await feedRemarks(config, clock.now()).catch(why))),
  ];
}

async function unnamedClients(config: Config): Promise<readonly Said[]> {
  const lines = await metricsOf(config);
  const found = typeof lines === 'string' ? undefined : lines.find((line) => line.startsWith(UNNAMED));
  const count = Number(found?.slice(UNNAMED.length) ?? 0);
  return count === 0
    ? []
    : [
        said(
          '{count:question|questions} to /v1/decide since the start had no client whose address can be read, and no verdict: a proxy of PULSE_TRUSTED_PROXIES sends no X-Forwarded-For, or a broken one',
          { count },
        ),
      ];
}

const UNNAMED = 'pulse_decisions_without_client_total ';

const why = (error: unknown): readonly Said[] => [faultSentence(error)];

async function placeRemarks(config: Config): Promise<readonly Said[]> {
  return [
    ...(await verifyData(config.dataDir).then(({ faults }) => faults.map(sentenceOf), why)),
    ...(await layerRemarks(config).catch(why)),
  ];
}

/** An api node makes no images: it takes those that an ingest node published. */
const followedRemarks = ({ dataDir }: Config): readonly Said[] =>
  existsSync(join(dataDir, 'followed'))
    ? []
    : [said('no published image was taken yet: an ingest node publishes them')];

async function layerRemarks({ dataDir }: Config): Promise<readonly Said[]> {
  const { faults, leftOut } = await usedData(dataDir);
  return [...faults, ...leftOut];
}

/** The service cannot start without the first three. */
const FOLDERS = ['feeds', 'images', 'ledger', 'cache', 'layer-updates', 'layers', 'network', 'phone'] as const;
const NEEDED = 3;

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

async function operatorsWithoutFactor(target: DatabaseTarget): Promise<Said | undefined> {
  if (target.databaseUrl === undefined && !existsSync(sqlitePath(target))) return undefined;
  try {
    const emails = await emailsOf(target);
    if (emails.length === 0) return undefined;
    return said('operators without a second factor: {names}', { names: emails.join(', ') });
  } catch (error) {
    return said('accounts cannot be read: {why}', { why: faultSentence(error) });
  }
}

async function emailsOf(target: DatabaseTarget): Promise<readonly string[]> {
  const db: Kysely<Database> =
    target.databaseUrl === undefined
      ? new Kysely({ dialect: new NodeSqliteDialect(() => openSqlite(sqlitePath(target), { readOnly: true })) })
      : connectDatabase(target);
  try {
    const guarded = db.selectFrom('second_factors').select('account_id');
    const rows = await db
      .selectFrom('accounts')
      .select('email')
      .where('operator', '=', 1)
      .where('disabled', '=', 0)
      .where('password_hash', 'is not', null)
      .where('id', 'not in', guarded)
      .orderBy('email')
      .execute();
    return rows.map(({ email }) => email);
  } finally {
    await db.destroy();
  }
}
