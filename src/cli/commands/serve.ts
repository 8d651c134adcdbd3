import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { type Command, Option } from 'commander';
import type { Logger } from '../../adapters/system/create-logger.ts';
import { notifySupervisor } from '../../adapters/system/own-process.ts';
import { loadConfig } from '../../config.ts';
import { handOver, takeoverFrom } from '../../main/hand-over.ts';
import { keepCompiledCode } from '../../main/keep-compiled-code.ts';
import type { RunningServer } from '../../main/serve.ts';
import { ROLES, type ServeOptions } from '../../main/serve-options.ts';
import { languageOf } from '../language/language-of.ts';
import { restartRequested } from '../restart-requested.ts';
import { stopRequested, untilStopped } from '../terminal/stop-requested.ts';

/**
 * A heap is collected when it has grown by this much of its live size. By itself V8 lets it grow to a
 * multiple on a machine with memory to spare, so that the memory of every thread keeps growing for a million
 * requests (docs/benchmarks.md).
 */
const HEAP_FLAG = '--heap-growing-percent=40';

/**
 * MiB of young objects between collections. Every request that waits for Redis outlives a collection, so these
 * come less often than by NODE_FLAGS (docs/benchmarks.md).
 */
const HEAP_FLAGS_OVER_REDIS = '--min-semi-space-size=16 --max-semi-space-size=16';

export function register(program: Command): void {
  program
    .command('serve')
    .description('answer requests until stopped; settings come from PULSE_… variables (docs/configuration.md)')
    .option('--demo', 'invented evidence in a data folder of its own, no network needed (docs/demo.md)')
    .addOption(
      new Option('--role <role>', 'what this node does of the work of several (docs/scaling.md)')
        .choices(ROLES)
        .default('all'),
    )
    .addOption(new Option('--take-over <sockets>').hideHelp())
    .action(async ({ takeOver, ...options }: ServeOptions & { readonly takeOver?: string }) => {
      const startedAt = performance.now() - process.uptime() * 1000;
      const stopping = stopRequested();
      const config = loadConfig();
      // Before the threads that they are meant for, and before compiled code, which fits only its own flags.
      setFlagsFromString(HEAP_FLAG);
      if (config.redisUrl !== undefined) setFlagsFromString(HEAP_FLAGS_OVER_REDIS);
      const fault = keepCompiledCode(join(config.dataDir, 'cache'));
      const [{ serve }, { createLogger }] = await Promise.all([
        import('../../main/serve.ts'),
        import('../../adapters/system/create-logger.ts'),
      ]);
      const log = createLogger(config.logLevel);
      if (fault !== undefined)
        log.warn({ cause: fault }, 'compiled code of the data folder is not used; delete its folder cache');
      const takeover = takeOver === undefined ? undefined : takeoverFrom(takeOver);
      const serving = await serve(
        config,
        { ...options, language: languageOf(process.argv), ...(takeover && { predecessor: takeover }) },
        startedAt,
      );
      void serving.ready.then(async () => {
        if (config.notifySocket !== undefined)
          await notifySupervisor().catch((error) =>
            log.error({ error }, 'systemd could not be told that the service answers'),
          );
        takeover?.serving();
      });
      const isHandedOver = await Promise.race([successorRequested(serving, log), untilStopped(stopping)]);
      if (!isHandedOver) await serving.stop();
      // Anything that still holds the process (an idle pool, a timer of a library) has nothing left to do.
      process.exit(0);
    });
}

/**
 * Resolves when a successor answers in place of this process, which SIGUSR2 asks for. A signal that came before
 * this process answers waits until it does.
 */
async function successorRequested(serving: RunningServer, log: Logger): Promise<true> {
  await serving.ready;
  for (;;) {
    await restartRequested();
    if (await handOver(serving, log)) return true;
  }
}
