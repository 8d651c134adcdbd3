import type { UnixMs } from '../../../core/units.ts';
import type { RetractionOutcome, SourceTrust, Trust } from '../../../service/ports.ts';
import { type Sql, type Steps, type Transaction, wait } from '../sql.ts';

export function* untrusted(sql: Sql): Steps<ReadonlySet<string>> {
  const rows = yield* wait(
    sql.query<[string]>(
      `select s.name from evidence_trust t join evidence_sources s on s.id = t.source where t.trust = 'none'`,
    ),
  );
  return new Set(rows.map(([name]) => name));
}

/** @returns the reason why no decision can be stored; undefined on success */
export function* putTrust(
  tx: Transaction,
  { source: name, trust, madeAt, actor, reason }: SourceTrust,
): Steps<RetractionOutcome | undefined> {
  const source = tx.catalogue.named(name);
  if (source === undefined) return { status: 'unknown_source' };
  yield* wait(
    tx.query(
      `insert into evidence_trust as t (source, trust, made_at, actor, reason) values ($1, $2, $3, $4, $5) on conflict (source) do update set trust = excluded.trust,
       made_at = case when t.trust = excluded.trust then t.made_at else excluded.made_at end, actor = excluded.actor, reason = excluded.reason`,
      [source.id, trust, madeAt, actor, reason],
    ),
  );
  return undefined;
}

export function* readTrusts(sql: Sql): Steps<readonly SourceTrust[]> {
  const rows = yield* wait(
    sql.query<[string, Trust, UnixMs, string, string]>(
      `select s.name, t.trust, t.made_at, t.actor, t.reason from evidence_trust t join evidence_sources s on s.id = t.source order by s.name`,
    ),
  );
  return rows.map(([source, trust, madeAt, actor, reason]) => ({ source, trust, madeAt, actor, reason }));
}
