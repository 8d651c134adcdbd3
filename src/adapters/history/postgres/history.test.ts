import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import {
  emptyEvidenceTables,
  type PostgresServer,
  saveEvidenceTables,
  sharedPostgres,
} from '../../../../test/support/postgres.ts';
import { rowsOfColumns, rowsOfScan } from '../../../../test/support/rows-of-scan.ts';
import { DERIVATION_RULES } from '../../../core/collection/derive/derivation-rules.ts';
import { CaptureBatchBuilder } from '../../../core/evidence/capture-batch-builder.ts';
import type { EvidenceSource } from '../../../core/evidence/observation.ts';
import { unixMs } from '../../../core/units.ts';
import { historyContract } from '../history.contract.ts';
import { CONTRACT_FACTS } from '../history-fixture.contract.ts';
import { SqliteHistory } from '../sqlite/history.ts';
import { PostgresHistory } from './history.ts';

let server: PostgresServer | { readonly skip: string };
before(async () => {
  server = await sharedPostgres();
});

/**
 * Unused databases whose tables exist and are empty. Creating the tables takes twenty times as long as
 * emptying them.
 */
const free: { readonly url: string; readonly client: Client }[] = [];
after(() => Promise.all(free.map(({ client }) => client.end())));

async function takeDatabase({ createDatabase }: PostgresServer) {
  const made = free.pop();
  if (made !== undefined) return made;
  const url = await createDatabase();
  const client = new Client({ connectionString: url });
  await client.connect();
  return { url, client };
}

historyContract(
  'PostgreSQL history',
  async () => {
    if ('skip' in server) return server;
    const { url, client } = await takeDatabase(server);
    const deriveBy = { facts: () => CONTRACT_FACTS, rules: DERIVATION_RULES };
    const store = new PostgresHistory(url, { deriveBy });
    return {
      store,
      reopen: () => new PostgresHistory(url, { deriveBy }),
      save: () => saveEvidenceTables(url),
      countSeries: async () => (await client.query('select count(*)::integer as n from evidence_tracks')).rows[0].n,
      dispose: async () => {
        await store.close();
        await emptyEvidenceTables(client);
        free.push({ url, client });
      },
    };
  },
  8,
);

const AT = unixMs(Date.UTC(2026, 5, 1));
const LISTING: EvidenceSource = { id: 'list', family: 'list', mode: 'listing', riskType: 'proxy' };
const EVENTS: EvidenceSource = { id: 'trap', family: 'trap', mode: 'events', riskType: 'honeypot_scan' };

/** Returns entries from all over the address space, every tenth of them twice. */
function entries(from: number, count: number) {
  const builder = new CaptureBatchBuilder(count);
  for (let n = from; n < from + count; n++)
    for (let twice = n % 10 === 0 ? 2 : 1; twice > 0; twice--) builder.addIpv4(Math.imul(n, 2654435761) >>> 0, 32);
  return builder.build();
}

test('PostgreSQL history: batches of several statements say and leave the same as on SQLite', async (t) => {
  if ('skip' in server) return t.skip(server.skip);
  const stores = [new PostgresHistory(await server.createDatabase()), new SqliteHistory(':memory:')];
  const later = (hours: number) => unixMs(AT + hours * 3_600_000);
  const results = [];
  for (const store of stores) {
    const outcomes = [
      await store.recordRun(LISTING, later(0), entries(0, 21_000), later(9)),
      await store.recordRun(LISTING, later(4), entries(500, 21_000), later(9)),
      await store.recordRun(LISTING, later(2), entries(250, 21_000), later(9)),
      await store.recordCaptures(EVENTS, later(3), entries(2000, 21_000), later(9)),
    ];
    const { rows, head, sources } = await store.scan(async (scan) => ({
      rows: (await rowsOfScan(scan)).map((row) => JSON.stringify(row)),
      head: scan.head,
      sources: scan.names.sources,
    }));
    const { sequence, latestAt } = head;
    const log = (await store.logSince(0))!;
    const changes = Array.from({ length: log.rows.length }, (_, i) =>
      [log.rows.words[4 * i], log.rows.op[i], log.rows.source[i], log.rows.capturedAt[i], log.rows.days[i]].join(' '),
    );
    results.push({ outcomes, head: { sequence, latestAt }, sources, rows: rows.sort(), changes: changes.sort() });
    await store.close();
  }
  assert.ok(results[0]!.rows.length > 40_000 && results[0]!.changes.length > 40_000);
  assert.deepEqual(results[0], results[1]);
});

test('PostgreSQL history: numbers of batches written at once from several nodes have no gaps, and a follower misses none', async (t) => {
  if ('skip' in server) return t.skip(server.skip);
  const url = await server.createDatabase();
  const nodes = [0, 1, 2].map(() => new PostgresHistory(url));
  const follower = new PostgresHistory(url);
  const sequences: number[] = [];
  const seen = new Set<number>();
  let known = 0;
  let writing = true;
  const follow = async (): Promise<void> => {
    const changes = await follower.changesSince(known, 1000);
    assert.ok(changes.changed !== 'all' && changes.head.sequence >= known);
    for (const { prefix } of rowsOfColumns(changes.changed)) seen.add(prefix.w0);
    known = changes.head.sequence;
  };
  const following = (async () => {
    while (writing) await follow();
  })();
  await Promise.all(
    nodes.map(async (node, number) => {
      for (let n = 0; n < 8; n++) {
        const builder = new CaptureBatchBuilder(1);
        builder.addIpv4(0x01000000 + number * 256 + n, 32);
        sequences.push(
          (await node.recordCaptures(EVENTS, unixMs(AT + n), builder.build(), unixMs(AT + 1000))).sequence,
        );
      }
    }),
  );
  writing = false;
  await following;
  await follow();
  assert.deepEqual(
    sequences.sort((a, b) => a - b),
    Array.from({ length: 24 }, (_, index) => index + 1),
  );
  assert.equal(seen.size, 24);
  for (const store of [...nodes, follower]) await store.close();
});
