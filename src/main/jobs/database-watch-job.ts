import { openPostgresCheck, postgresAddress } from '../../adapters/database/open-postgres-check.ts';
import { publishFault, repeat } from '../../service/serving/repeat.ts';
import type { BackgroundJob, ControlContext } from './background-job.ts';

const EVERY_MS = 1000;
const WITHIN_MS = 1500;

/** Logs one line when PostgreSQL goes away, when the cause changes, and when it is back. */
export const databaseWatchJob: BackgroundJob = {
  name: 'database watch',
  async start(context) {
    const { databaseUrl } = context.config;
    if (databaseUrl === undefined) return { stop() {} };
    const check = openPostgresCheck(databaseUrl, WITHIN_MS);
    const tell = databaseReport(databaseUrl, context);
    const watching = repeat(context, 'database watch', EVERY_MS, async () => tell(await check.ask()), {
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

/** @returns what is told the state at each look */
function databaseReport(url: string, { log, clock, publish }: ControlContext) {
  const store = { setting: 'PULSE_DATABASE_URL', address: postgresAddress(url) };
  let since: string | undefined;
  let told: string | undefined;
  return (cause: string | undefined): void => {
    if (cause === told) return;
    told = cause;
    publishFault(publish, 'PostgreSQL', cause);
    if (cause === undefined) {
      log.info({ ...store, since }, 'PostgreSQL answers; everything is answered again');
      since = undefined;
      return;
    }
    since ??= new Date(clock.now()).toISOString();
    log.error(
      { ...store, cause, since },
      'PostgreSQL cannot be used; lookups and keys used lately are answered, everything else that needs it is refused with 503. Mend the cause; nothing needs a restart',
    );
  };
}
