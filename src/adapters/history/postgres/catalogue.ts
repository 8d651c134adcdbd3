import type { ClientBase } from 'pg';
import { RISK_TYPES } from '../../../contract/risk.ts';
import type { EvidenceSource, SourceMode } from '../../../core/evidence/observation.ts';
import { RunCalendar } from '../../../core/evidence/run-calendar.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import { continues, type EvidencePosition, NOWHERE } from '../../../engine/evidence/evidence-delta.ts';
import type { EvidenceHead } from '../../../service/ports.ts';
import { Catalogue } from '../catalogue.ts';
import type { SeriesKind } from '../judge-batch.ts';

type Asked = Pick<ClientBase, 'query'>;

/**
 * Loads what the transaction of `client` sees. It must see one state throughout: repeatable read, or the writers' lock. Reads share the newest catalogue and
 * never change it, so a query's rows are always judged by the catalogue of their own moment.
 * @param before an earlier one, whose run times are taken over
 */
export async function loadCatalogue(client: Asked, before: Catalogue): Promise<Catalogue> {
  const next = new Catalogue();
  const of = async <Row>(text: string, values: unknown[] = []): Promise<readonly Row[]> =>
    (await client.query({ text, values, rowMode: 'array' })).rows as unknown as readonly Row[];
  next.head = await readHead(client);
  // Run times of another state, which was restored meanwhile, are not this one's.
  const isKnown = before.head.sequence > 0 && continues(before.head, await positionAt(client, before.head.sequence));
  const calendars = new Map(isKnown ? [...before.sources].map(([id, { runs }]) => [id, runs]) : []);
  const copied = new Set<number>();
  const since = isKnown ? before.head.sequence : -1;
  for (const [source, at] of await of<[number, UnixMs]>(
    'select source, at from evidence_runs where sequence > $1 order by source, at',
    [since],
  )) {
    if (!copied.has(source)) calendars.set(source, calendars.get(source)?.copy() ?? new RunCalendar());
    copied.add(source);
    calendars.get(source)!.add(at);
  }
  type SourceRow = [id: number, name: string, family: string, mode: SourceMode, sharedBy: 'tor' | 'relay' | null];
  for (const [id, name, family, mode, sharedBy] of await of<SourceRow>(
    'select id, name, family, mode, shared_by from evidence_sources order by id',
  ))
    next.putSource({ id, name, family, mode, sharedBy: sharedBy ?? undefined }, calendars.get(id));
  type TrackRow = [id: number, source: number, type: number, pool: string, presence: boolean];
  for (const [id, source, type, pool, presence] of await of<TrackRow>(
    'select id, source, risk_type, pool, presence from evidence_tracks',
  ))
    next.putSeries({ id, source, riskType: RISK_TYPES[type]!, pool, presence });
  type RetractionRow = [source: number, from: UnixMs, to: UnixMs, madeAt: UnixMs];
  for (const [source, from, to, madeAt] of await of<RetractionRow>(
    'select source, from_at, to_at, made_at from evidence_retractions order by id',
  ))
    next.retractions.add(source, { from, to, madeAt });
  const lengths: Record<4 | 6, number[]> = { 4: [], 6: [] };
  for (const [family, bits] of await of<[4 | 6, number]>(
    'select family, bits from evidence_lengths order by family, bits',
  ))
    lengths[family].push(bits);
  next.lengths = lengths;
  return next;
}

/** The catalogue after a batch of the same transaction, which is loaded again only where the batch brought a source or a series. @param before is used up */
export async function catalogueAfterBatch(client: Asked, before: Catalogue): Promise<Catalogue> {
  const { rows } = await client.query<{ sequence: number; source: number; track: number }>(
    `select (select coalesce(max(sequence), 0) from evidence_batches) as sequence, (select coalesce(max(id), 0) from evidence_sources) as source,
       (select coalesce(max(id), 0) from evidence_tracks) as track`,
  );
  const { sequence, source, track } = rows[0]!;
  const isSame = (source === 0 || before.sources.has(source)) && (track === 0 || before.tracks.has(track));
  if (!isSame) return loadCatalogue(client, before);
  before.head = { ...before.head, sequence };
  return before;
}

/** Where the store stands, in one statement and so of one state. */
export async function readHead(client: Asked): Promise<EvidenceHead> {
  const { rows } = await client.query<{
    store: string;
    sequence: number | null;
    mark: string | null;
    latest: number | null;
  }>(
    `select i.store, b.sequence, b.mark, (select max(last_run_at) from evidence_sources) as latest
     from evidence_identity i left join (select sequence, mark from evidence_batches order by sequence desc limit 1) b on true`,
  );
  const { store, sequence, mark, latest } = rows[0]!;
  return { store, sequence: sequence ?? 0, mark: mark ?? '', ...(latest === null ? {} : { latestAt: unixMs(latest) }) };
}

/** Where the store stood at a batch; undefined where it has none of this number. */
export async function positionAt(client: Asked, sequence: number): Promise<EvidencePosition | undefined> {
  const { rows } = await client.query<{ store: string; mark: string | null }>(
    'select i.store, b.mark from evidence_identity i left join evidence_batches b on b.sequence = $1',
    [sequence],
  );
  const { store, mark } = rows[0]!;
  if (sequence === 0) return { ...NOWHERE, store };
  return mark === null ? undefined : { store, sequence, mark };
}

/** The id of the source's row, made or brought up to date. Single captures sent in under a listing's name do not redefine it. */
export async function upsertSource(client: Asked, source: EvidenceSource): Promise<number> {
  await client.query(
    `insert into evidence_sources as s (name, family, mode, risk_type, shared_by) values ($1, $2, $3, $4, $5)
     on conflict (name) do update set family = excluded.family, mode = excluded.mode, risk_type = excluded.risk_type, shared_by = excluded.shared_by
     where s.mode = 'events' or excluded.mode <> 'events'`,
    [source.id, source.family, source.mode, source.riskType ?? null, source.sharedBy ?? null],
  );
  const { rows } = await client.query<{ id: number }>('select id from evidence_sources where name = $1', [source.id]);
  return rows[0]!.id;
}

/** The id of one (source, risk type, pool), made when it is new. */
export async function upsertSeries(
  client: Asked,
  source: number,
  { type, pool, presence }: SeriesKind,
): Promise<number> {
  const key = [source, type, pool, presence];
  await client.query(
    'insert into evidence_tracks (source, risk_type, pool, presence) values ($1, $2, $3, $4) on conflict do nothing',
    key,
  );
  const { rows } = await client.query<{ id: number }>(
    'select id from evidence_tracks where source = $1 and risk_type = $2 and pool = $3 and presence = $4',
    key,
  );
  return rows[0]!.id;
}

export async function addLengths(client: Asked, used: Readonly<Record<4 | 6, ReadonlySet<number>>>): Promise<void> {
  const lengths = ([4, 6] as const).flatMap((family) => [...used[family]].map((bits) => 1000 * family + bits));
  if (lengths.length === 0) return;
  await client.query(
    'insert into evidence_lengths (family, bits) select l / 1000, l % 1000 from unnest($1::integer[]) l on conflict do nothing',
    [lengths],
  );
}
