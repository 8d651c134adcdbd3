import { clockOffset } from '../../core/clock-offset.ts';
import { databaseAddresses } from '../../core/data-folder/folder-record.ts';
import { unixMs } from '../../core/units.ts';
import { type NetworkFault, NO_ANSWER, networkFault } from '../system/system-fault.ts';
import { openPool } from './open-pool.ts';

/** An operator can act on these codes of PostgreSQL (appendix A); other errors keep their text. */
const CAUSES: readonly (readonly [RegExp, NetworkFault])[] = [
  [/^57014/, NO_ANSWER],
  [/^28/, { cause: 'it refuses user or password of the address', kind: 'credentials' }],
  [/^3D/, { cause: 'there is no database of this name', kind: 'no_database' }],
  [/^42501/, { cause: 'its user lacks a right; make it the owner of the database', kind: 'no_right' }],
  [
    /^53300/,
    {
      cause: 'its connections are used up; raise max_connections, or put a pooler in front',
      kind: 'connections_used_up',
    },
  ],
  [/^53100/, { cause: 'its disk is full', kind: 'disk' }],
  [/^25006/, { cause: 'it is read-only, as a standby is; lead the address to the primary', kind: 'read_only' }],
  [/^57P03/, { cause: 'it is starting or recovering', kind: 'starting' }],
  [/^(57P|08|ECONNRESET|EPIPE)/, { cause: 'it was stopped', kind: 'stopped' }],
];
/** PgBouncer gives this code for each of its own refusals; only the text tells them apart. */
const OF_POOLER = '08P01';
const SILENT = /^(timeout exceeded|Query read timeout|Connection terminated due to connection timeout)/;
const CLOSED = /^(Connection terminated|Client (has encountered|was closed))/;

const STOPPED: NetworkFault = { cause: 'it was stopped', kind: 'stopped' };

export function postgresFault(error: unknown): NetworkFault {
  if (!(error instanceof Error)) return { cause: String(error), kind: 'other' };
  const code = 'code' in error ? String(error.code) : '';
  if (code === OF_POOLER) return { cause: `it says: ${error.message.slice(0, 200)}`, kind: 'other' };
  const known = CAUSES.find(([pattern]) => pattern.test(code))?.[1] ?? networkFault(code);
  if (known !== undefined) return known;
  if (SILENT.test(error.message)) return NO_ANSWER;
  return CLOSED.test(error.message) ? STOPPED : { cause: error.message.slice(0, 200), kind: 'other' };
}

export function postgresAddress(url: string): string {
  const places = databaseAddresses(url).map((address) => new URL(address));
  return places.map(({ hostname, port }) => `${hostname}:${port === '' ? 5432 : port}`).join() + places[0]!.pathname;
}

export interface PostgresCheck {
  ask(): Promise<
    { readonly cause: string } | { readonly cause?: never; readonly version: string; readonly offsetMs: number }
  >;
  close(): Promise<void>;
}

const ASKED = `select current_setting('transaction_read_only') as state, current_setting('server_version') as version,
  extract(epoch from clock_timestamp()) * 1000 as at`;

/** Opens a connection for checks alone. Each answer comes within twice `withinMs`. */
export function openPostgresCheck(url: string, withinMs: number): PostgresCheck {
  const pool = openPool(url, { max: 1, connectMs: withinMs, patience: { answerMs: withinMs } });
  return {
    async ask() {
      const before = Date.now();
      try {
        const { rows } = await pool.query<Record<'state' | 'version' | 'at', string>>(ASKED);
        const { state, version, at } = rows[0]!;
        const offsetMs = clockOffset(unixMs(Math.floor(Number(at))), before, Date.now());
        if (state === 'on') throw Object.assign(new Error(), { code: '25006' });
        return { version: version.split(' ')[0]!, offsetMs };
      } catch (error) {
        return { cause: postgresFault(error).cause };
      }
    },
    close: () => pool.end(),
  };
}
