import { createHash } from 'node:crypto';
import { RISK_TYPES } from '../../../contract/risk.ts';
import { DERIVATION_RULES, DERIVED_ID, type RestingOn } from '../../../core/collection/derive/derivation-rules.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import type { RetractionOutcome, RetractionRequest } from '../../../service/ports.ts';
import { readProxyCaptures } from '../derive/read-derivation-state.ts';
import { supportOf, TakenBack } from '../derive/support-of.ts';
import { prefixOfKey } from '../prefix-key.ts';
import type { Catalogue, SourceEntry } from '../read/catalogue.ts';
import { ChangeLog } from '../read/change-log.ts';
import { type OpenBatch, type SqlRow, type Steps, type Transaction, wait } from '../sql.ts';
import { MERGE_LIMITS, writeJournal } from './journal.ts';
import { NOTHING_RETRACTED, type RetractedTime } from './retraction-table.ts';
import { beginBatch } from './write-batch.ts';

/** Retracts captures, and derived ones that rest on nothing else. Each source gets a batch of its own. */
export function* retractCaptures(tx: Transaction, request: RetractionRequest): Steps<RetractionOutcome> {
  const sources = sourcesOf(tx.catalogue, request);
  if (sources.length === 0) return { status: 'unknown_source' };
  const { from, to, madeAt, sender = '' } = request;
  let captures: number | undefined;
  for (const source of sources) {
    const sequence = yield* beginRetraction(tx, source.id, request);
    if (sequence === undefined) continue;
    captures = (captures ?? 0) + (yield* retractFrom(tx, source, { sender, from, to, madeAt }, sequence));
  }
  if (captures === undefined) return NOTHING_RETRACTED;
  return { status: 'retracted', captures, ...(yield* withdrawDerived(tx, request)) };
}

function sourcesOf(catalogue: Catalogue, { source: name, sender }: RetractionRequest): readonly SourceEntry[] {
  if (sender === undefined) return [...catalogue.sources.values()].filter((source) => source.name === name);
  const sent = [...catalogue.tracks.values()].filter((series) => series.sender === sender);
  const sources = new Map(sent.map(({ source }) => [source.id, source]));
  return [...sources.values()].filter((source) => name === undefined || source.name === name);
}

function* retractFrom(tx: Transaction, source: SourceEntry, time: RetractedTime, sequence: number): Steps<number> {
  const { sender, from, to, madeAt } = time;
  yield* wait(
    tx.query('insert into evidence_retractions (source, sender, from_at, to_at, made_at) values ($1, $2, $3, $4, $5)', [
      source.id,
      sender,
      from,
      to,
      madeAt,
    ]),
  );
  tx.catalogue.retractions.add(source.id, time);
  for (const table of ['evidence_own_captures', 'evidence_actor_captures'])
    yield* wait(
      tx.query(`delete from ${table} where source = $1 and at >= $2 and at < $3 and $4 in ('', sender)`, [
        source.id,
        from,
        to,
        sender,
      ]),
    );
  return yield* noteRetracted(tx, source, time, sequence);
}

/**
 * A retraction of [$1, $2) concerns these rows: events, memory with its first or last capture in that time,
 * and presence intervals that overlap it.
 */
const EVENTS = `from evidence_events where at >= $1 and at < $2 and track in (select id from evidence_tracks where source = $3 and $4 in ('', sender))`;
const MEMORY = `from evidence_memory where track in (select id from evidence_tracks where source = $3 and $4 in ('', sender))
  and (first_at >= $1 and first_at < $2 or last_at >= $1 and last_at < $2)`;
const INTERVALS = `from evidence_spells where track in (select id from evidence_tracks where source = $3 and $4 in ('', sender) and not presence)
  and first_at < $2 and (last_at is null or last_at >= $1)`;

function* noteRetracted(
  tx: Transaction,
  { id, runs }: SourceEntry,
  { sender, from, to, madeAt }: RetractedTime,
  sequence: number,
): Steps<number> {
  const changes = new ChangeLog(MERGE_LIMITS.touched);
  const touched = `select prefix ${EVENTS} union select prefix ${MEMORY} limit ${MERGE_LIMITS.touched + 1}`;
  // Rows of open presence intervals follow from the runs, so all of them change.
  if (runs.length > 0) changes.everything();
  else for (const [prefix] of yield* wait(tx.query(touched, [from, to, id, sender]))) changes.touched(tx.keyOf(prefix));
  yield* writeJournal(tx, { sequence, acceptedAt: madeAt }, changes);
  const [row] = yield* wait(
    tx.query<[number]>(`select (select count(*) ${EVENTS}) + (select count(*) ${INTERVALS})`, [from, to, id, sender]),
  );
  return row![0];
}

function beginRetraction(
  tx: Transaction,
  source: number,
  { source: name, sender, from, to, madeAt }: RetractionRequest,
): Steps<number | undefined> {
  const hash = createHash('sha256')
    .update(JSON.stringify([name, sender, from, to]))
    .digest();
  return beginBatch(tx, source, { kind: 'retraction', at: madeAt, acceptedAt: madeAt, rows: 0 }, hash);
}

const concerns = (request: RetractionRequest, { source, sender }: Pick<RestingOn, 'source' | 'sender'>): boolean =>
  (request.source === undefined || request.source === source) &&
  (request.sender === undefined || request.sender === sender);

function* withdrawDerived(
  tx: Transaction,
  request: RetractionRequest,
): Steps<{ readonly derivedRetracted: number; readonly derivedKept: number }> {
  const derived = tx.catalogue.named(DERIVED_ID);
  if (derived === undefined) return { derivedRetracted: 0, derivedKept: 0 };
  const taken = new TakenBack(tx.catalogue);
  const [column, name] = request.source === undefined ? ['spans', request.sender] : ['sources', request.source];
  const rows = yield* wait(
    tx.query<[prefix: SqlRow[0], type: number, at: UnixMs, sources: string, spans: string]>(
      `select prefix, risk_type, at, sources, spans from evidence_derivations
       where at >= $1 and replace(${column}, $2, '') <> ${column} and retracted_at is null`,
      [request.from, JSON.stringify(name)],
    ),
  );
  const alone: DerivationRow[] = [];
  let derivedKept = 0;
  for (const [prefix, type, at, sources, spans] of rows) {
    const restsOn = supportOf({ sources, spans });
    const isConcerned = restsOn.some(
      (support) => concerns(request, support) && support.first < request.to && support.last >= request.from,
    );
    if (!isConcerned) continue;
    if (taken.coversAll(restsOn)) alone.push({ prefix, type, at });
    else derivedKept++;
  }
  const listed = yield* listedHijacks(tx, request, taken);
  alone.push(...listed.alone);
  derivedKept += listed.partly;
  if (alone.length === 0) return { derivedRetracted: 0, derivedKept };
  const sequence = yield* beginRetraction(tx, derived.id, request);
  const batch = { sequence: sequence!, acceptedAt: request.madeAt };
  return { derivedRetracted: yield* withdraw(tx, derived, alone, batch), derivedKept };
}

/**
 * Finds hijacked_proxy captures that rested on a listing by the retracted source: those that no list supports
 * any more, and the number that another list still does.
 */
function* listedHijacks(
  tx: Transaction,
  request: RetractionRequest,
  taken: TakenBack,
): Steps<{ readonly alone: readonly DerivationRow[]; readonly partly: number }> {
  const { from, to } = request;
  const within = DERIVATION_RULES.hijackedProxy.listedWithinMs;
  const type = RISK_TYPES.indexOf('hijacked_proxy');
  const rows = yield* wait(
    tx.query<[prefix: SqlRow[0], at: UnixMs, sources: string]>(
      `select prefix, at, sources from evidence_derivations
       where at >= $1 and at < $2 and risk_type = $3 and retracted_at is null`,
      [from, to + within, type],
    ),
  );
  const addresses = rows.map(([prefix]) => prefixOfKey(tx.keyOf(prefix)));
  const listings = yield* readProxyCaptures(tx, {
    addresses,
    from: unixMs(Math.max(0, from - within)),
    until: unixMs(to + within),
  });
  const alone: DerivationRow[] = [];
  let partly = 0;
  for (const [i, [prefix, at, sources]] of rows.entries()) {
    const attackers = JSON.parse(sources) as readonly string[];
    // `taken` applies the retractions made after this instant.
    const newestBy = (until: UnixMs) =>
      listings
        .at(addresses[i]!, until)
        .filter(({ source, capturedAt }) => !attackers.includes(source) && capturedAt > at - within);
    const before = unixMs(Math.min(at, to - 1));
    if (!newestBy(before).some((listed) => concerns(request, listed) && listed.capturedAt >= from)) continue;
    let counts = false;
    for (let listed = newestBy(at); !counts && listed.length > 0; ) {
      const starts = listed.map((one) => taken.from(one, one.capturedAt) ?? Number.POSITIVE_INFINITY);
      counts = starts.includes(Number.POSITIVE_INFINITY);
      if (!counts) listed = newestBy(unixMs(Math.max(...starts) - 1));
    }
    if (counts) partly++;
    else alone.push({ prefix, type, at });
  }
  return { alone, partly };
}

interface DerivationRow {
  readonly prefix: SqlRow[0];
  readonly type: number;
  readonly at: UnixMs;
}

function* withdraw(
  tx: Transaction,
  derived: SourceEntry,
  rows: readonly DerivationRow[],
  batch: OpenBatch,
): Steps<number> {
  yield* wait(
    tx.withRows(
      `update evidence_derivations set retracted_at = ${batch.acceptedAt}`,
      ['prefix', 'risk_type', 'at'],
      rows.map(({ prefix, type, at }) => [prefix, type, at]),
    ),
  );
  const series = [...tx.catalogue.tracks.values()].filter(({ source }) => source.id === derived.id);
  const events: SqlRow[] = [];
  const changes = new ChangeLog();
  let withdrawn = 0;
  const held = 'select track from evidence_events where prefix = $1 and at = $2';
  const found = yield* wait(
    tx.each<[number]>(
      held,
      rows.map(({ prefix, at }) => [prefix, at]),
    ),
  );
  for (const [i, { prefix, type, at }] of rows.entries()) {
    const own = series.filter(
      ({ id, riskType }) => riskType === RISK_TYPES[type] && found[i]!.some(([track]) => track === id),
    );
    if (own.length === 0) continue;
    for (const { id } of own) events.push([prefix, id, at]);
    changes.touched(tx.keyOf(prefix));
    withdrawn++;
  }
  yield* wait(tx.withRows('delete from evidence_events', ['prefix', 'track', 'at'], events));
  yield* wait(
    tx.insert(
      'evidence_withdrawn (prefix, track, at, made_at)',
      events.map((event) => [...event, batch.acceptedAt]),
      'on conflict (prefix, track, at) do update set made_at = excluded.made_at',
    ),
  );
  yield* writeJournal(tx, batch, changes);
  return withdrawn;
}
