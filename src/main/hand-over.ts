import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Logger } from '../adapters/system/create-logger.ts';
import type { RunningServer } from './serve.ts';
import type { Predecessor } from './serve-options.ts';

/** A first start builds place data, which takes minutes on a slow machine. */
const PREPARING_MS = 10 * 60_000;
const FLAG = '--take-over=';
/** The successor writes its two words here. Its sockets have the next numbers. */
const WORDS_FD = 3;
const READY = 'ready';
const SERVING = 'serving';

/**
 * Starts this program again over the sockets of this process, and stops this one when the successor can
 * answer. Callers wait meanwhile in the queues of the sockets. A successor that cannot start changes nothing.
 * @returns whether this process has stopped and may end
 */
export async function handOver(serving: RunningServer, log: Logger): Promise<boolean> {
  const fds = serving.listeningFds();
  const why = whyNot(fds);
  if (why !== undefined) {
    log.warn({ why }, 'no successor was started; restart the service instead');
    return false;
  }
  const words = process.argv.slice(1).filter((word) => !word.startsWith(FLAG));
  const numbers = fds.map((_, at) => WORDS_FD + 1 + at);
  const child = spawn(process.execPath, [...process.execArgv, ...words, FLAG + numbers.join()], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe', ...fds],
  });
  log.info({ successor: child.pid }, 'a successor was started; this process answers until it is ready');
  const heard = listenTo(child.stdio[WORDS_FD] as Readable);
  const killChild = (): void => void child.kill('SIGTERM');
  process.once('exit', killChild);
  const late = setTimeout(() => child.kill('SIGKILL'), PREPARING_MS).unref();
  const isReady = await heard.word(READY);
  clearTimeout(late);
  if (!isReady) {
    process.off('exit', killChild);
    log.error({ successor: child.pid }, 'the successor ended before it was ready; this process goes on answering');
    return false;
  }
  await serving.stop();
  const isServing = await heard.word(SERVING);
  process.off('exit', killChild);
  child.unref();
  if (!isServing) throw new Error('the successor ended before it answered');
  log.info({ successor: child.pid }, 'the successor answers; this process ends');
  return true;
}

function whyNot(fds: readonly number[]): string | undefined {
  if (process.channel !== undefined)
    return 'this process ends with the one that started it (npm, npx or bin/pulse.mjs)';
  if (process.pid === 1) return 'a container ends with its first process';
  return fds.length === 0 ? 'this node answers no lookups, or this platform passes no sockets on' : undefined;
}

/** Words come one a line; the pipe closes when the successor ends. */
function listenTo(pipe: Readable): { word(expected: string): Promise<boolean> } {
  let text = '';
  const ended = new Promise<boolean>((resolve) => pipe.once('close', () => resolve(false)));
  pipe.setEncoding('utf8').on('data', (chunk) => (text += String(chunk)));
  return {
    word: (expected) =>
      Promise.race([
        ended,
        new Promise<boolean>((resolve) => {
          const look = (): void => void (text.includes(`${expected}\n`) && resolve(true));
          pipe.on('data', look);
          look();
        }),
      ]),
  };
}

export interface Takeover extends Predecessor {
  serving(): void;
}

export function takeoverFrom(numbers: string): Takeover {
  const say = (word: string): void => {
    try {
      writeSync(WORDS_FD, `${word}\n`);
    } catch (error) {
      // A predecessor that was killed has left its place as well.
      if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
    }
  };
  return {
    listeningFds: numbers.split(',').map(Number),
    ready: () => say(READY),
    serving: () => say(SERVING),
  };
}
