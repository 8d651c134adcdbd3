import { isatty } from 'node:tty';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../../config.ts';
import { LimitRepeats } from './limit-repeats.ts';
import { logSentence } from './log-sentence.ts';
import { redact } from './redact.ts';
import { faultText } from './system-fault.ts';
import { CLEAR_LINE } from './terminal-progress.ts';

export type { Logger } from 'pino';

const STANDARD_ERROR = 2;

/** A terminal gets sentences, which replace a line of progress; programs get JSON. */
function standardError(): DestinationStream {
  const lines = pino.destination({ fd: STANDARD_ERROR, sync: true });
  return isatty(STANDARD_ERROR) ? { write: (line) => lines.write(CLEAR_LINE + logSentence(line)) } : lines;
}

/**
 * Makes the log: one JSON object per line on standard error, or a sentence on a terminal. All output passes
 * `redact` as serialised text, so a key or phone number in a message, a nested value or a stack is masked as
 * well as one in its own field. Equal warnings and errors are one line per second; its field `repeated`
 * counts the others.
 * @param destination a stream in tests; default standard error
 */
export function createLogger(level: Config['logLevel'], destination: DestinationStream = standardError()): Logger {
  const redacting: DestinationStream = { write: (line) => destination.write(redact(line)) };
  const repeats = new LimitRepeats();
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { error: withSentence },
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

const withSentence = (error: unknown): unknown =>
  error instanceof Error ? { ...pino.stdSerializers.err(error), message: faultText(error) } : error;

interface Fields {
  readonly code?: unknown;
  readonly error?: unknown;
  readonly err?: unknown;
}

const NAMES = ['feed', 'source', 'layer', 'file', 'path', 'folder', 'part', 'kind', 'setting', 'reason', 'cause'];

function kindOf(severity: number, fields: Fields, texts: readonly unknown[]): string {
  const { code, error = fields.err } = fields;
  const names = NAMES.map((name) => (fields as Readonly<Record<string, unknown>>)[name]);
  const { name, message, code: errorCode } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  return JSON.stringify([severity, texts, names, code, name, errorCode, message ?? String(error)]);
}
