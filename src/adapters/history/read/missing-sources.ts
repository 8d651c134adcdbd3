import { MINUTE_MS, type UnixMs, unixMs } from '../../../core/units.ts';
import {
  isDegraded,
  type MissingSourcesReport,
  type MissingTime,
  NO_SOURCES,
  type SourcesReport,
} from '../../../service/ports.ts';
import { type Sql, type Steps, wait } from '../sql.ts';

/** A note arrives once a minute. After this long without one the missing sources are unknown. */
const SILENT_MS = 5 * MINUTE_MS;

/** The row holds from `at` until the next one. `sources` is null while no notes arrived. */
interface LeftOutRow {
  readonly at: number;
  readonly sources: string | null;
}

export function sourcesReportText(note: SourcesReport | undefined): string {
  const { ids, retired, expected, since } = note ?? NO_SOURCES;
  return JSON.stringify({ ids: [...ids].sort(), retired: [...retired].sort(), expected, since } satisfies {
    [K in keyof SourcesReport]: unknown;
  });
}

function rowsOfNote(
  known: { readonly newest: LeftOutRow | undefined; readonly heardAt: number | undefined },
  text: string,
  at: UnixMs,
): readonly LeftOutRow[] {
  const { newest, heardAt } = known;
  const silent =
    heardAt !== undefined && heardAt + SILENT_MS < at ? [{ at: heardAt + SILENT_MS + 1, sources: null }] : [];
  return silent.length === 0 && newest?.sources === text ? [] : [...silent, { at, sources: text }];
}

export function missingSourcesIn(
  row: LeftOutRow | undefined,
  any: boolean,
  heardAt: number | undefined,
  at: UnixMs,
): MissingSourcesReport | undefined {
  if (row === undefined) return any ? { ...NO_SOURCES, silent: true } : undefined;
  const silent = row.sources === null || (heardAt !== undefined && at > heardAt + SILENT_MS);
  return { ...(row.sources === null ? NO_SOURCES : (JSON.parse(row.sources) as SourcesReport)), silent };
}

/**
 * Reads the row in force at a moment, the newest row, and the time of the newest note, in one statement and
 * so from one state.
 */
export function* readMissingSources(
  sql: Sql,
  at: UnixMs,
): Steps<{
  readonly row: LeftOutRow | undefined;
  readonly newest: LeftOutRow | undefined;
  readonly heardAt: number | undefined;
}> {
  type Row = [number | null, string | null, number | null, string | null, number | null];
  const [found] = yield* wait(
    sql.query<Row>(
      `select o.at, o.sources, n.at, n.sources, (select value from evidence_facts where name = 'heard') from (select 1 as one) q
       left join (select at, sources from evidence_left_out where at <= $1 order by at desc limit 1) o on true
       left join (select at, sources from evidence_left_out order by at desc limit 1) n on true`,
      [at],
    ),
  );
  const [rowAt, row, newestAt, newest, heardAt] = found!;
  return {
    row: rowAt === null ? undefined : { at: rowAt, sources: row },
    newest: newestAt === null ? undefined : { at: newestAt, sources: newest },
    heardAt: heardAt ?? undefined,
  };
}

export function* writeSourcesReport(sql: Sql, text: string | undefined, at: UnixMs): Steps<void> {
  const known = yield* readMissingSources(sql, at);
  if (text === undefined && known.newest === undefined) return;
  const put =
    'insert into evidence_left_out (at, sources) values ($1, $2) on conflict (at) do update set sources = excluded.sources';
  for (const row of rowsOfNote(known, text ?? sourcesReportText(undefined), at))
    yield* wait(sql.query(put, [row.at, row.sources]));
  yield* wait(
    text === undefined
      ? sql.query(`delete from evidence_facts where name = 'heard'`)
      : sql.query(
          `insert into evidence_facts (name, value) values ('heard', $1) on conflict (name) do update set value = excluded.value`,
          [at],
        ),
  );
  yield* wait(
    sql.query(
      `delete from evidence_left_out where at < (
         select max(at) from evidence_left_out where at <= (select value from evidence_facts where name = 'answerable'))`,
    ),
  );
}

/** Returns when sources were missing in [from, to]; neighbouring times with the same number are one. */
export function* missingBetween(sql: Sql, from: UnixMs, to: UnixMs): Steps<readonly MissingTime[]> {
  const rows = yield* wait(
    sql.query<[number, string | null]>(
      `select at, sources from evidence_left_out where at <= $2
         and at >= coalesce((select max(at) from evidence_left_out where at <= $1), $1) order by at`,
      [from, to],
    ),
  );
  const times: MissingTime[] = [];
  for (const [i, [at, sources]] of rows.entries()) {
    const report = missingSourcesIn({ at, sources }, true, undefined, unixMs(at));
    const begin = unixMs(Math.max(at, from));
    const end = unixMs(Math.min(rows[i + 1]?.[0] ?? to, to));
    if (!isDegraded(report) || end <= begin) continue;
    const missing = report!.silent ? undefined : report!.ids.length;
    const last = times.at(-1);
    const goesOn = last?.to === begin && last.missing === missing;
    if (goesOn) times.pop();
    times.push({ from: goesOn ? last.from : begin, to: end, ...(missing !== undefined && { missing }) });
  }
  return times;
}
