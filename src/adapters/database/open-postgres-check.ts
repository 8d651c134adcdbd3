import type { Pool } from 'pg';
import { openPool } from './open-pool.ts';

/** An operator can act on these codes of PostgreSQL (appendix A) and the system; other errors keep their text. */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED/, 'nothing listens at the address'],
  [/^(ENOTFOUND|EAI_)/, 'the name of its host is not known'],
  [/^(ETIMEDOUT|57014|EHOST|ENET)/, 'it does not answer'],
  [/^28/, 'it refuses user or password of the address'],
  [/^3D/, 'there is no database of this name'],
  [/^42501/, 'its user lacks a right; make it the owner of the database'],
  [/^53300/, 'its connections are used up; raise max_connections, or put a pooler in front'],
  [/^53100/, 'its disk is full'],
  [/^25006/, 'it is read-only, as a standby is; lead the address to the primary'],
  [/^57P03/, 'it is starting or recovering'],
  [/^(57P|08|ECONNRESET|EPIPE)/, 'it was stopped'],
];
const NO_ANSWER = /^(timeout exceeded|Query read timeout|Connection terminated due to connection timeout)/;
const CLOSED = /^(Connection terminated|Client (has encountered|was closed))/;

/** Says why PostgreSQL cannot be used, without anything secret. */
function postgresCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  const known = CAUSES.find(([pattern]) => pattern.test(code))?.[1];
  if (known !== undefined) return known;
  if (NO_ANSWER.test(error.message)) return 'it does not answer';
  return CLOSED.test(error.message) ? 'it was stopped' : error.message.slice(0, 200);
}

export function postgresAddress(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port === '' ? 5432 : port}${pathname}`;
}

export interface PostgresCheck {
  /** @returns the cause why records cannot be read and written now, or undefined */
  ask(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Opens a connection for checks alone. Each answer comes within twice `withinMs`. */
export function openPostgresCheck(url: string, withinMs: number): PostgresCheck {
  const pool: Pool = openPool(url, { max: 1, connectMs: withinMs, patience: { answerMs: withinMs } });
  return {
    async ask() {
      try {
        const { rows } = await pool.query<{ state: string }>(
          "select current_setting('transaction_read_only') as state",
        );
        return rows[0]?.state === 'on' ? postgresCause(Object.assign(new Error(), { code: '25006' })) : undefined;
      } catch (error) {
        return postgresCause(error);
      }
    },
    close: () => pool.end(),
  };
}
