import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import { type PostgresServer, saveEvidenceTables, startPostgres } from '../../../../test/support/postgres.ts';
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
  server = await startPostgres();
});
after(async () => {
  if (!('skip' in server)) await server.dispose();
});

historyContract(
  'PostgreSQL history',
  async () => {
    if ('skip' in server) return server;
    const url = await server.createDatabase();
    const deriveBy = { facts: () => CONTRACT_FACTS, rules: DERIVATION_RULES };
    const store = new PostgresHistory(url, { deriveBy });
    const countSeries = async () => {
      const client = new Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query('select count(*)::integer as n from evidence_tracks');
      await client.end();
      return rows[0].n;
    };
    return {
      store,
      reopen: () => new PostgresHistory(url, { deriveBy }),
      save: () => saveEvidenceTables(url),
      countSeries,
      dispose: () => store.close(),
    };
  },
  8,
);

const AT = unixMs(Date.UTC(2026, 5, 1));
const LISTING: EvidenceSource = { id: 'list', family: 'list', mode: 'listing', riskType: 'proxy' };
const EVENTS: EvidenceSource = { id: 'trap', family: 'trap', mode: 'events', riskType: 'honeypot_scan' };

/** Entries all over the address space, every tenth of them twice. */
function entries(from: number, count: number) {
  const builder = new CaptureBatchBuilder(count);
  for (let n = from; n < from + count; n++)
    for (let twice = n % 10 === 0 ? 2 : 1; twice > 0; twice--) builder.addIpv4(Math.imul(n, 2654435761) >>> 0, 32);
  return builder.build();
}

async function repeatRuns(store: {
  recordRun: SqliteHistory['recordRun'] | PostgresHistory['recordRun'];
}): Promise<void> {
  const live: EvidenceSource = { ...LISTING, id: 'mullvad', riskType: 'vpn' };
  const imported: EvidenceSource = { ...LISTING, id: 'imported', riskType: 'dialup_pool' };
  const at = (days: number) => unixMs(AT + days * 86_400_000);
  for (let n = 0; n < 5; n++) {
    await store.recordRun(LISTING, at(n), entries(0, 50), at(n));
    await store.recordRun(live, at(n), entries(0, 50), at(n));
    await store.recordRun(imported, at(n), entries(0, 50), at(9));
  }
  await store.recordRun(LISTING, at(5), entries(10, 50), at(5));
  await store.recordRun(LISTING, at(6), entries(10, 50), at(6));
}

test('PostgreSQL history: runs that only repeated unchanged content go with the upgrade, and SQLite corrects the same', async (t) => {
  if ('skip' in server) return t.skip(server.skip);
  const url = await server.createDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'pulse-repeated-'));
  const path = join(folder, 'evidence.db');
  const client = new Client({ connectionString: url });
  const stores = [
    {
      open: () => new PostgresHistory(url),
      age: async () => {
        await client.connect();
        await client.query(
          'drop table evidence_own_captures, evidence_derivations, evidence_deliveries, evidence_actor_captures, evidence_budgets, evidence_retractions, evidence_withdrawn, evidence_trust; update evidence_schema set version = 5',
        );
        await client.end();
      },
    },
    {
      open: () => new SqliteHistory(path),
      age: async () => {
        const file = new DatabaseSync(path);
        file.exec(
          'drop table own_captures; drop table derivations; drop table deliveries; drop table actor_captures; drop table budgets; drop table retractions; drop table withdrawn; drop table trust; pragma user_version = 4',
        );
        file.close();
      },
    },
  ];
  for (const { open, age } of stores) {
    const old = open();
    await repeatRuns(old);
    const { store: identity } = await old.head();
    await old.close();
    await age();
    const store = open();
    const days = (at: number | undefined): number => (at! - AT) / 86_400_000;
    const last = new Map((await store.sources()).map(({ id, lastRunAt }) => [id, days(lastRunAt)]));
    assert.deepEqual([last.get('list'), last.get('mullvad'), last.get('imported')], [5, 4, 4]);
    const seen = async (n: number): Promise<readonly string[]> => {
      const rows = await store.observationsAt(
        { family: 4, w0: Math.imul(n, 2654435761) >>> 0, w1: 0, w2: 0, w3: 0 },
        unixMs(AT + 20 * 86_400_000),
      );
      return rows.map((row) => `${row.source} ${days(row.capturedAt)} ${row.days.toString(2)}`).sort();
    };
    assert.deepEqual(
      await seen(0),
      ['imported 4 11111', 'list 0 1', 'mullvad 4 11111'],
      'an entry that left is seen once, when its content came',
    );
    assert.deepEqual(await seen(20), ['imported 4 11111', 'list 5 100001', 'mullvad 4 11111']);
    assert.deepEqual(await seen(55), ['list 5 1']);
    assert.deepEqual([await store.takeCorrections(), await store.takeCorrections()], [5, 0], 'reported once');
    assert.notEqual((await store.head()).store, identity, 'every node compiles its image from the corrected store');
    await store.close();
  }
  rmSync(folder, { recursive: true });
});

test('PostgreSQL history: batches that go by COPY say and leave the same as on SQLite', async (t) => {
  if ('skip' in server) return t.skip(server.skip);
  const stores = [new PostgresHistory(await server.createDatabase()), new SqliteHistory(':memory:')];
  const later = (hours: number) => unixMs(AT + hours * 3_600_000);
  const results = [];
  for (const store of stores) {
    const outcomes = [
      await store.recordRun(LISTING, later(0), entries(0, 3000), later(9)),
      await store.recordRun(LISTING, later(4), entries(500, 3000), later(9)),
      await store.recordRun(LISTING, later(2), entries(250, 3000), later(9)),
      await store.recordCaptures(EVENTS, later(3), entries(2000, 3000), later(9)),
    ];
    const { rows, head, sources } = await store.scan(async (scan) => ({
      rows: await rowsOfScan(scan),
      head: scan.head,
      sources: scan.names.sources,
    }));
    rows.sort(
      (a, b) =>
        a.prefix.w0 - b.prefix.w0 || a.source.localeCompare(b.source) || Number(a.following) - Number(b.following),
    );
    const { sequence, latestAt } = head;
    const log = (await store.logSince(0))!;
    const changes = Array.from({ length: log.rows.length }, (_, i) =>
      [log.rows.words[4 * i], log.rows.op[i], log.rows.source[i], log.rows.capturedAt[i], log.rows.days[i]].join(' '),
    );
    results.push({ outcomes, head: { sequence, latestAt }, sources, rows, changes: changes.sort() });
    await store.close();
  }
  assert.ok(results[0]!.rows.length > 6000 && results[0]!.changes.length > 9000);
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

test('PostgreSQL history: tables of the first version get an identity and a mark for each batch', async (t) => {
  if ('skip' in server) return t.skip(server.skip);
  const url = await server.createDatabase();
  const before = new PostgresHistory(url);
  for (const n of [0, 1, 2]) await before.recordCaptures(EVENTS, unixMs(AT + n), entries(n, 1), unixMs(AT + 10));
  await before.close();
  const client = new Client(url);
  await client.connect();
  await client.query(
    'drop table evidence_identity, evidence_changes, evidence_left_out, evidence_own_captures, evidence_derivations, evidence_deliveries, evidence_actor_captures, evidence_budgets, evidence_retractions, evidence_withdrawn, evidence_trust; alter table evidence_batches drop column mark, drop column logged',
  );
  await client.query('update evidence_batches set journalled = true; update evidence_schema set version = 1');
  // As earlier versions wrote it: the oldest capture, years before anything was watched.
  await client.query(`delete from evidence_facts; insert into evidence_facts (name, value) values ('earliest', 0)`);
  await client.end();
  const store = new PostgresHistory(url);
  const { store: id, sequence } = await store.head();
  assert.deepEqual([id.length, sequence], [36, 3]);
  assert.equal(await store.earliest(), AT + 10, 'the record begins with the first batch');
  const marks = await Promise.all([1, 2, 3].map(async (batch) => (await store.changesSince(batch, 10)).since?.mark));
  assert.equal(new Set(marks).size, 3);
  assert.equal((await store.changesSince(2, 10)).changed, 'all', 'the journal of an earlier version');
  await store.recordCaptures(EVENTS, unixMs(AT + 3), entries(3, 1), unixMs(AT + 10));
  const { changed } = await store.changesSince(3, 10);
  assert.equal(changed !== 'all' && changed.rows.length, 1);
  await store.close();
});
