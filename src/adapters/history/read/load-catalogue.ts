import { RISK_TYPES } from '../../../contract/risk.ts';
import type { EvidenceSource, SourceMode } from '../../../core/evidence/observation.ts';
import { RunTimes } from '../../../core/evidence/run-times.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import { continues, type EvidencePosition, NO_POSITION } from '../../../engine/evidence/evidence-delta.ts';
import type { EvidenceHead } from '../../../service/ports.ts';
import type { SeriesKind } from '../receive/judge-batch.ts';
import { type Sql, type Steps, type Transaction, wait } from '../sql.ts';
import { Catalogue, type Series, type SourceEntry } from './catalogue.ts';

type SourceRow = [id: number, name: string, family: string, mode: SourceMode, sharedBy: 'tor' | 'relay' | null];
type SeriesRow = [id: number, source: number, type: number, pool: string, presence: boolean | number, sender: string];

const SOURCES = 'select id, name, family, mode, shared_by from evidence_sources';

export function* readHead(sql: Sql): Steps<EvidenceHead> {
  type HeadRow = [store: string, sequence: number | null, mark: string | null, latest: number | null];
  const [row] = yield* wait(
    sql.query<HeadRow>(
      `select i.store, b.sequence, b.mark, (select max(last_run_at) from evidence_sources)
       from evidence_identity i left join (select sequence, mark from evidence_batches order by sequence desc limit 1) b on true`,
    ),
  );
  const [store, sequence, mark, latest] = row!;
  return { store, sequence: sequence ?? 0, mark: mark ?? '', ...(latest === null ? {} : { latestAt: unixMs(latest) }) };
}

export function* positionAt(sql: Sql, sequence: number): Steps<EvidencePosition | undefined> {
  const [row] = yield* wait(
    sql.query<[string, string | null]>(
      'select i.store, b.mark from evidence_identity i left join evidence_batches b on b.sequence = $1',
      [sequence],
    ),
  );
  const [store, mark] = row!;
  if (sequence === 0) return { ...NO_POSITION, store };
  return mark === null ? undefined : { store, sequence, mark };
}

export function* loadCatalogue(sql: Sql, before: Catalogue): Steps<Catalogue> {
  const next = new Catalogue();
  next.head = yield* readHead(sql);
  // The run times of the earlier catalogue are reused only if the store continues it; after a restore they
  // may be wrong.
  const isKnown = before.head.sequence > 0 && continues(before.head, yield* positionAt(sql, before.head.sequence));
  const calendars = new Map(isKnown ? [...before.sources].map(([id, { runs }]) => [id, runs]) : []);
  const copied = new Set<number>();
  const since = isKnown ? before.head.sequence : -1;
  for (const [source, at] of yield* wait(
    sql.query<[number, UnixMs]>('select source, at from evidence_runs where sequence > $1 order by source, at', [
      since,
    ]),
  )) {
    if (!copied.has(source)) calendars.set(source, calendars.get(source)?.copy() ?? new RunTimes());
    copied.add(source);
    calendars.get(source)!.add(at);
  }
  for (const row of yield* wait(sql.query<SourceRow>(`${SOURCES} order by id`)))
    next.putSource(sourceOfRow(row), calendars.get(row[0]));
  const series = 'select id, source, risk_type, pool, presence, sender from evidence_tracks';
  for (const [id, source, type, pool, presence, sender] of yield* wait(sql.query<SeriesRow>(series)))
    next.putSeries({ id, source, riskType: RISK_TYPES[type]!, pool, presence: Boolean(presence), sender });
  const retractions = 'select source, sender, from_at, to_at, made_at from evidence_retractions order by id';
  for (const [source, sender, from, to, madeAt] of yield* wait(
    sql.query<[number, string, UnixMs, UnixMs, UnixMs]>(retractions),
  ))
    next.retractions.add(source, { sender, from, to, madeAt });
  const lengths: Record<4 | 6, number[]> = { 4: [], 6: [] };
  for (const [family, bits] of yield* wait(
    sql.query<[4 | 6, number]>('select family, bits from evidence_lengths order by family, bits'),
  ))
    lengths[family].push(bits);
  next.lengths = lengths;
  return next;
}

const sourceOfRow = ([id, name, family, mode, sharedBy]: SourceRow): Omit<SourceEntry, 'runs'> => ({
  id,
  name,
  family,
  mode,
  sharedBy: sharedBy ?? undefined,
});

/** Creates or updates the row of a source. Single captures under the name of a listing do not redefine it. */
export function* putSource(tx: Transaction, source: EvidenceSource): Steps<SourceEntry> {
  yield* wait(
    tx.query(
      `insert into evidence_sources as s (name, family, mode, risk_type, shared_by) values ($1, $2, $3, $4, $5)
       on conflict (name) do update set family = excluded.family, mode = excluded.mode, risk_type = excluded.risk_type, shared_by = excluded.shared_by
       where s.mode = 'events' or excluded.mode <> 'events'`,
      [source.id, source.family, source.mode, source.riskType ?? null, source.sharedBy ?? null],
    ),
  );
  const [row] = yield* wait(tx.query<SourceRow>(`${SOURCES} where name = $1`, [source.id]));
  return tx.catalogue.putSource(sourceOfRow(row!));
}

export function* putSeries(
  tx: Transaction,
  source: SourceEntry,
  { type, pool, presence, sender }: SeriesKind,
): Steps<Series> {
  const key = [source.id, type, pool, presence, sender];
  yield* wait(
    tx.query(
      'insert into evidence_tracks (source, risk_type, pool, presence, sender) values ($1, $2, $3, $4, $5) on conflict do nothing',
      key,
    ),
  );
  const [row] = yield* wait(
    tx.query<[number]>(
      'select id from evidence_tracks where source = $1 and risk_type = $2 and pool = $3 and presence = $4 and sender = $5',
      key,
    ),
  );
  return tx.catalogue.putSeries({
    id: row![0],
    source: source.id,
    riskType: RISK_TYPES[type]!,
    pool,
    presence,
    sender,
  });
}

export function* addLengths(tx: Transaction, used: Readonly<Record<4 | 6, ReadonlySet<number>>>): Steps<void> {
  const { catalogue } = tx;
  for (const family of [4, 6] as const)
    for (const bits of used[family]) {
      if (catalogue.lengths[family].includes(bits)) continue;
      yield* wait(
        tx.query('insert into evidence_lengths (family, bits) values ($1, $2) on conflict do nothing', [family, bits]),
      );
      catalogue.lengths = {
        ...catalogue.lengths,
        [family]: [...catalogue.lengths[family], bits].sort((a, b) => a - b),
      };
    }
}
