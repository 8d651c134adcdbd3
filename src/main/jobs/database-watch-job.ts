import { randomBytes } from 'node:crypto';
import { access, constants, realpath, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { openPostgresCheck, postgresAddress } from '../../adapters/database/open-postgres-check.ts';
import { sqlitePath } from '../../adapters/database/open-sqlite.ts';
import { faultText, storeReport } from '../../adapters/system/system-fault.ts';
import { PART } from '../../adapters/system/write-durably.ts';
import { publishFault, repeat } from '../../service/serving/repeat.ts';
import type { BackgroundJob, ControlContext } from './background-job.ts';

const EVERY_MS = 1000;
const WITHIN_MS = 1500;
/** SQLite extends its files by less. A file system that compresses cannot make it smaller. */
const PROBE = randomBytes(64 * 1024);

/** Logs one line when a store cannot be used or written, when the cause changes, and when it is back. */
export const databaseWatchJob: BackgroundJob = {
  name: 'database watch',
  async start(context) {
    const { databaseUrl, dataDir } = context.config;
    if (databaseUrl === undefined) {
      const watched = [
        watchFile(context, sqlitePath({ dataDir }), false),
        watchFile(context, join(dataDir, 'evidence.db'), true),
      ];
      return { stop: async () => void (await Promise.all(watched.map((one) => one.stop()))) };
    }
    const check = openPostgresCheck(databaseUrl, WITHIN_MS);
    const watching = watch(context, 'PostgreSQL', {
      store: { setting: 'PULSE_DATABASE_URL', address: postgresAddress(databaseUrl) },
      ask: async () => (await check.ask()).cause,
      away: 'PostgreSQL cannot be used; lookups and keys used lately are answered, everything else that needs it is refused with 503. Mend the cause; nothing needs a restart',
      back: 'PostgreSQL answers; everything is answered again',
      degrades: true,
    });
    return {
      async stop() {
        await watching.stop();
        await check.close();
      },
    };
  },
};

interface Watched {
  readonly store: object;
  readonly ask: () => Promise<string | undefined>;
  readonly away: string;
  readonly back: string;
  readonly degrades: boolean;
}

function watch(context: ControlContext, name: string, { store, ask, away, back, degrades }: Watched) {
  const { log, publish } = context;
  const report = storeReport(
    store,
    (fields) => {
      publishFault(publish, name, fields.cause, degrades);
      log.error(fields, away);
    },
    (fields) => {
      publishFault(publish, name, undefined, degrades);
      log.info(fields, back);
    },
  );
  return repeat(context, `watch of ${name}`, EVERY_MS, async () => report(await ask()), {
    meanwhile: 'its state is not logged',
  });
}

const watchFile = (context: ControlContext, file: string, degrades: boolean) =>
  watch(context, basename(file), {
    store: { file },
    ask: () => unwritable(file),
    away: 'the file cannot be written; lookups go on, everything that writes it is refused with 503. Mend the cause; nothing needs a restart',
    back: 'the file can be written again',
    degrades,
  });

async function unwritable(file: string): Promise<string | undefined> {
  try {
    const path = await realpath(file).catch(() => file);
    const probe = join(dirname(path), `.${basename(path)}.probe${PART}`);
    await writeFile(probe, PROBE, { mode: 0o600 }).finally(() => rm(probe, { force: true }));
    await access(path, constants.W_OK).catch(unlessAbsent);
    return undefined;
  } catch (error) {
    return faultText(error);
  }
}

/** Evidence is made after the start. */
function unlessAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
