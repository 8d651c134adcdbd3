import { Session } from 'node:inspector';

export interface WorkCount {
  /**
   * Returns how many blocks of code ran since the last call: functions, loops and branches, each as often as
   * it was entered.
   */
  take(): number;
  stop(): void;
}

/**
 * Counts with V8's coverage, to the block and each time. Code that was compiled before is counted by the
 * function only, so begin before it is loaded. Code that runs in Node itself (JSON, regular expressions,
 * unpacking) is not seen: it is linear in its input, and regular expressions have a test of their own.
 */
export function countWork(): WorkCount {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return {
    take() {
      let blocks = 0;
      // The answer comes before `post` returns.
      session.post('Profiler.takePreciseCoverage', (error, { result }) => {
        if (error !== null) throw new Error(error.message);
        for (const { url, functions } of result)
          if (isOurs(url)) for (const { ranges } of functions) for (const { count } of ranges) blocks += count;
      });
      return blocks;
    },
    stop: () => session.disconnect(),
  };
}

/** The fuzzer's own work, between two readings, does not count. */
const isOurs = (url: string): boolean => url.startsWith('file:') && !/\/(?:node_modules|test\/support)\//.test(url);
