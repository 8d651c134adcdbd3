import { isatty } from 'node:tty';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../../config.ts';
import { Recent } from '../../core/kit/recent.ts';
import { faultText } from './system-fault.ts';
import { CLEAR_LINE } from './terminal-progress.ts';

export type { Logger } from 'pino';

const STANDARD_ERROR = 2;

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

const LEVELS: Readonly<Record<number, string>> = { 40: 'warning: ', 50: 'error: ', 60: 'error: ' };

export function logSentence(line: string): string {
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(line);
  } catch {
    return line;
  }
  const { level, time: _time, msg, ...fields } = entry;
  const texts = Object.entries(fields).map(([name, value]) =>
    isFault(value) ? value.message : `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `pulse: ${LEVELS[Number(level)] ?? ''}${String(msg ?? '')}${texts.length === 0 ? '' : ` (${texts.join(', ')})`}\n`;
}

const isFault = (value: unknown): value is { readonly message: string } =>
  typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string';

const KEY = /\b(p[kb]_)[A-Za-z0-9_-]{6,}/g;
const BEARER = /\b(bearer\s+)[^\s"',;]+/gi;
/**
 * Runs of 7 to 17 digits, with usual separators, that begin with a plus, two zeros or a mainland mobile
 * prefix; and any bare run of 9 to 17 digits. Times in milliseconds have 13 digits and are masked too; the
 * log's own times are ISO text.
 */
const PHONE = /(?<![\w.:-])(?:(?:\+|00)[\d][\d ()-]{5,20}\d|\d{9,17}|1[3-9]\d(?:[ -]?\d{4}){2})(?![\w.:])/g;

/**
 * Mail addresses: up to 64 characters before the @, and a domain with a dot. `name@1.2.3` of a package does
 * not match.
 */
const EMAIL = /[^\s"'`<>()[\]{},;:=/\\@]{1,64}@(?:[\p{L}\p{N}-]+\.)+\p{L}[\p{L}\p{N}-]*/gu;

/** Masks API keys, tokens, mail addresses and phone numbers in log text. IP addresses and ISO times stay. */
export function redact(text: string): string {
  return text.replace(KEY, '$1***').replace(BEARER, '$1***').replace(EMAIL, '***@***').replace(PHONE, '***');
}

const EVERY_MS = 1000;
const MAX_KINDS = 256;

interface Kind {
  printedAt: number;
  held: number;
  last: ((repeated: number) => void) | undefined;
}

/**
 * Holds back equal lines within a second. The first is printed at once; the newest follows with the count of
 * the others.
 */
export class LimitRepeats {
  readonly #kinds = new Recent<string, Kind>(MAX_KINDS, (entry, kind) => this.#release(kind, entry));
  readonly #now: () => number;
  readonly #later: (run: () => void, ms: number) => void;

  constructor(
    now: () => number = () => performance.now(),
    later: (run: () => void, ms: number) => void = (run, ms) => void setTimeout(run, ms).unref(),
  ) {
    this.#now = now;
    this.#later = later;
  }

  take(kind: string, print: (repeated: number) => void): void {
    const now = this.#now();
    const known = this.#kinds.get(kind);
    if (known !== undefined && now - known.printedAt < EVERY_MS) {
      if (known.held === 0) this.#later(() => this.#release(kind, known), EVERY_MS - (now - known.printedAt));
      known.held += 1;
      known.last = print;
      return;
    }
    this.#release(kind, known);
    this.#kinds.set(kind, { printedAt: now, held: 0, last: undefined });
    print(0);
  }

  get size(): number {
    return this.#kinds.size;
  }

  #release(kind: string, entry: Kind | undefined): void {
    if (entry === undefined || entry.held === 0) return;
    const { held, last } = entry;
    entry.held = 0;
    entry.last = undefined;
    if (this.#kinds.get(kind) === entry) entry.printedAt = this.#now();
    last?.(held - 1);
  }
}
