import { reasonText } from '../core/texts/said.ts';

/**
 * - `now`: runs the work now, or after the run under way. Resolves when it is done; never rejects.
 * - `stop`: starts no further run. Resolves when the run under way has ended.
 */
export interface RepeatedWork {
  now(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * - `meanwhile`: the log names the effect of a fault: `the content in use stays`.
 * - `onFault`: undefined means that the work succeeds again.
 */
export interface EveryOptions {
  readonly log: { error(fields: object, text: string): void; info(fields: object, text: string): void };
  readonly meanwhile: string;
  readonly firstMs?: number;
  readonly onFault?: ((reason: string | undefined) => void) | undefined;
}

/** A reason may hold a name that is new at every run, so only so many consecutive faults are reported. */
const REPORTED_MAX = 16;

/** Runs work again `ms` after its last end. A fault ends one run and is reported once. Runs never overlap. */
export function every(
  name: string,
  ms: number,
  work: () => unknown,
  { log, meanwhile, firstMs = ms, onFault = () => {} }: EveryOptions,
): RepeatedWork {
  const reported = new Set<string>();
  let running: Promise<void> | undefined;
  let isWanted = false;
  let isStopped = false;

  const report = (error: unknown): void => {
    const reason = reasonText(error);
    if (isStopped || reported.has(reason) || reported.size >= REPORTED_MAX) return;
    reported.add(reason);
    log.error({ error }, `${name} failed; ${meanwhile}`);
    onFault(reason);
  };
  const once = async (): Promise<void> => {
    try {
      await work();
      if (reported.size === 0) return;
      reported.clear();
      log.info({}, `${name}: succeeded again`);
      onFault(undefined);
    } catch (error) {
      report(error);
    }
  };
  const run = async (): Promise<void> => {
    clearTimeout(timer);
    do {
      isWanted = false;
      await once();
    } while (isWanted && !isStopped);
    running = undefined;
    if (!isStopped) timer = later(ms);
  };
  const begin = (): Promise<void> => {
    running ??= run();
    return running;
  };
  const later = (waitMs: number): NodeJS.Timeout => setTimeout(() => void begin(), waitMs).unref();
  let timer = later(firstMs);
  return {
    async now() {
      if (isStopped) return;
      isWanted = true;
      await begin();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
