/** The log tells of a real PostgreSQL that goes away in three ways and comes back. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client } from 'pg';
import { covers } from '../../../test/spec/covers.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { startPostgres } from '../../../test/support/postgres.ts';
import { testFolder } from '../../../test/support/test-folder.ts';
import { unixMs } from '../../core/units.ts';
import type { ControlContext } from './background-job.ts';
import { databaseWatchJob } from './database-watch-job.ts';

interface Line {
  readonly level: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly text: string;
}

test('a file that cannot be written is a fault of its store, of verdicts where it holds evidence, until it can be', async () => {
  const folder = testFolder('unwritable');
  const published: unknown[] = [];
  const context = {
    config: { dataDir: join(folder, 'data') },
    log: { error: () => {}, info: () => {} },
    publish: (message: unknown) => void published.push(message),
  } as unknown as ControlContext;
  const job = await databaseWatchJob.start(context);
  try {
    for (const bad of [true, false]) {
      await eventually(() => published.length === 3);
      const said = published.splice(0).map((one) => {
        const { by, job, degraded, reason } = one as Readonly<Record<string, unknown>>;
        return `${by ?? job} ${degraded ?? reason !== undefined}`;
      });
      assert.deepEqual(said.toSorted(), [`evidence.db ${bad}`, `fault of evidence.db ${bad}`, `pulse.db ${bad}`]);
      mkdirSync(join(folder, 'data'), { recursive: true });
    }
  } finally {
    await job.stop();
  }
});

test('each outage of PostgreSQL is one line with setting, address, cause and since, and its end another', async (t) => {
  covers('DATABASE-REASONS');
  const postgres = await startPostgres();
  if ('skip' in postgres) return t.skip(postgres.skip);
  const url = new URL(await postgres.createDatabase());
  url.password = 'never-in-a-log';
  const name = url.pathname.slice(1);
  const lines: Line[] = [];
  const published: unknown[] = [];
  const logAs = (level: string) => (fields: object, text: string) =>
    void lines.push({ level, fields: fields as Line['fields'], text });
  const context = {
    config: { databaseUrl: url.href },
    log: { error: logAs('error'), info: logAs('info') },
    clock: { now: () => unixMs(Date.now()) },
    publish: (message: unknown) => void published.push(message),
  } as unknown as ControlContext;
  const job = await databaseWatchJob.start(context);
  const admin = async (...statements: readonly string[]): Promise<void> => {
    const client = new Client(url.href.replace(`/${name}`, '/postgres'));
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  const drop = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`;
  try {
    for (const [cause, begin, end] of [
      ['nothing listens at the address', () => postgres.stop(), () => postgres.start()],
      ['it does not answer', () => postgres.freeze(), () => postgres.resume()],
      [
        'it is read-only, as a standby is; lead the address to the primary',
        () => admin(`alter database ${name} set default_transaction_read_only = on`, drop),
        () => admin(`alter database ${name} reset default_transaction_read_only`, drop),
      ],
    ] as const) {
      await begin();
      await eventually(() => lines.some(({ fields }) => fields['cause'] === cause), {
        hint: () => `${cause}: ${JSON.stringify(lines)}`,
      });
      assert.deepEqual(published.slice(-2), [
        { type: 'fault', job: 'PostgreSQL', reason: cause },
        { type: 'degraded', by: 'fault of PostgreSQL', degraded: true },
      ]);
      await end();
      await eventually(() => lines.at(-1)?.level === 'info', { hint: () => JSON.stringify(lines) });
      const since = lines.at(-1)!.fields['since'];
      assert.equal(lines.filter(({ fields }) => fields['cause'] === cause).length, 1, cause);
      for (const { fields } of lines) {
        assert.deepEqual([fields['setting'], fields['since']], ['PULSE_DATABASE_URL', since]);
        assert.equal(fields['address'], `127.0.0.1:${postgres.port}/${name}`);
      }
      assert.equal(JSON.stringify(lines).includes('never-in-a-log'), false);
      lines.length = 0;
    }
  } finally {
    await job.stop();
    postgres.resume();
    await postgres.dispose();
  }
});
