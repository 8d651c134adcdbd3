import { isatty } from 'node:tty';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../../config.ts';
import { LimitRepeats } from './limit-repeats.ts';
import { logSentence } from './log-sentence.ts';
import { redact } from './redact.ts';
import { CLEAR_LINE } from './terminal-progress.ts';

export type { Logger } from 'pino';

const STANDARD_ERROR = 2;

/** JSON for programs; sentences on a terminal, in place of a line of progress. */
function standardError(): DestinationStream {
  const lines = pino.destination({ fd: STANDARD_ERROR, sync: true });
  return isatty(STANDARD_ERROR) ? { write: (line) => lines.write(CLEAR_LINE + logSentence(line)) } : lines;
}

/**
 * The log: one JSON object a line on standard error, or a sentence where that is a terminal. All that reaches it passes `redact` as text, after serialising, so that a key or a phone number
 * inside a message, a nested value or an error's stack is masked like one in a field of its own. Warnings and errors that say the same are one line a second,
 * with the field `repeated`: how many more there were.
 * @param destination a stream in tests; standard error otherwise
 */
export function createLogger(level: Config['logLevel'], destination: DestinationStream = standardError()): Logger {
  const redacting: DestinationStream = { write: (line) => destination.write(redact(line)) };
  const repeats = new LimitRepeats();
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { error: pino.stdSerializers.err },
      hooks: {
        logMethod(args, method, severity) {
          if (severity < pino.levels.values['warn']!) return method.apply(this, args);
          const [fields, ...rest] = typeof args[0] === 'object' ? args : [{}, ...args];
          repeats.take(kindOf(severity, fields as Fields, rest), (repeated) =>
            method.apply(
              this,
              repeated === 0 ? args : ([{ ...(fields as Fields), repeated }, ...rest] as unknown as typeof args),
            ),
          );
        },
      },
    },
    redacting,
  );
}

interface Fields {
  readonly code?: unknown;
  readonly error?: unknown;
}

/** Equality of two lines: everything but the request and the moment. */
function kindOf(severity: number, { code, error }: Fields, texts: readonly unknown[]): string {
  const { name, message, code: errorCode } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  return JSON.stringify([severity, texts, code, name, errorCode, message ?? String(error)]);
}
