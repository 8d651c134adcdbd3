import { openPostgresCheck, postgresAddress } from '../../adapters/database/open-postgres-check.ts';
import { storeReport } from '../../adapters/system/store-report.ts';
import { publishFault, repeat } from '../../service/serving/repeat.ts';
import type { BackgroundJob } from './background-job.ts';

const EVERY_MS = 1000;
const WITHIN_MS = 1500;

/** Logs one line when PostgreSQL goes away, when the cause changes, and when it is back. */
export const databaseWatchJob: BackgroundJob = {
  name: 'database watch',
  async start(context) {
    const { log, config, publish } = context;
    const { databaseUrl } = config;
    if (databaseUrl === undefined) return { stop() {} };
    const check = openPostgresCheck(databaseUrl, WITHIN_MS);
    const report = storeReport(
      { setting: 'PULSE_DATABASE_URL', address: postgresAddress(databaseUrl) },
      (fields) => {
        publishFault(publish, 'PostgreSQL', fields.cause);
        log.error(
          fields,
          'PostgreSQL cannot be used; lookups and keys used lately are answered, everything else that needs it is refused with 503. Mend the cause; nothing needs a restart',
        );
      },
      (fields) => {
        publishFault(publish, 'PostgreSQL', undefined);
        log.info(fields, 'PostgreSQL answers; everything is answered again');
      },
    );

    const watching = repeat(context, 'database watch', EVERY_MS, async () => report((await check.ask()).cause), {
      meanwhile: 'its state is not logged',
    });
    return {
      async stop() {
        await watching.stop();
        await check.close();
      },
    };
  },
};
