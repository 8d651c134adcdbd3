import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../../config.ts';
import { redact } from './redact.ts';

export type { Logger } from 'pino';

/**
 * The log: one JSON object a line on standard error. Whatever reaches it passes `redact` as text, after serialising, so that a key or a phone number
 * inside a message, a nested value or an error's stack is masked like one in a field of its own.
 * @param destination a stream in tests; standard error otherwise
 */
export function createLogger(level: Config['logLevel'], destination: DestinationStream = pino.destination({ fd: 2, sync: true })): Logger {
  const redacting: DestinationStream = { write: (line) => destination.write(redact(line)) };
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { error: pino.stdSerializers.err } }, redacting);
}
