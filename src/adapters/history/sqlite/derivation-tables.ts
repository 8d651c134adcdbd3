import { RISK_TYPES } from '../../../contract/risk.ts';
import type { DerivationRules } from '../../../core/collection/derive/derivation-rules.ts';
import type { ActorCapture } from '../../../core/collection/derive/derive-redials.ts';
import { type DerivedCapture, DerivedTimes, derivedKind } from '../../../core/collection/derive/derived-capture.ts';
import type { OwnCapture } from '../../../core/collection/own-capture.ts';
import { familyBits, lastAddress } from '../../../core/ip/prefix.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import type { DerivationNote } from '../../../service/ports.ts';
import type { Catalogue } from '../catalogue.ts';
import {
  type ActorCaptures,
  type Derivation,
  type DerivationPlan,
  type DerivationState,
  mayBeRange,
  type NetCaptures,
  netNumber,
  netPrefix,
  OWN_CAPTURES_MS,
} from '../derive-batch.ts';
import { type ListingRecord, ListingRecords, proxySeries } from '../listing-records.ts';
import { keyOfNetwork, type PrefixKey, prefixOfKey } from '../prefix-key.ts';
import { RECORD } from '../series-fold.ts';
import { packSupport } from '../support-of.ts';
import { numbers, type Statements } from './statements.ts';

/** What the store knows that a plan asks for. Inside a write transaction, in which the catalogue is up to date. */
export function readDerivationState(
  statements: Statements,
  catalogue: Catalogue,
  { nets, suspects, actors }: DerivationPlan,
  rules: DerivationRules,
): DerivationState {
  const derived = new DerivedTimes();
  const noted = new Map(nets.map((net) => [net.net, notedOf(statements, net)]));
  for (const net of nets)
    if (mayBeRange(net, noted.get(net.net)!, rules)) noteDerived(statements, netBounds(net), derived, rules);
  const known = {
    noted,
    derived,
    actors: new Map(actors.map((actor) => [actor.actor, actorCaptures(statements, actor)])),
  };
  const listed = new ListingRecords(catalogue);
  if (suspects === undefined) return { ...known, listed };
  const { from, until } = suspects;
  const series = new Set(proxySeries(catalogue));
  if (series.size === 0) return { ...known, listed };
  for (const address of suspects.addresses) {
    const key = keyOfNetwork(address, familyBits(address.family));
    readListings(statements, key, { from, until, series }, (record) => listed.add(address, record));
    if (listed.has(address)) noteDerived(statements, { low: key, high: key, from, until }, derived, rules);
  }
  return { ...known, listed };
}

function actorCaptures(statements: Statements, { actor, from, until }: ActorCaptures): readonly ActorCapture[] {
  const rows = statements
    .get(
      'select a.at, a.prefix, s.name from actor_captures a join sources s on s.id = a.source where a.actor = ? and a.at between ? and ?',
    )
    .all(actor, from, until) as unknown as readonly (readonly [UnixMs, PrefixKey, string])[];
  return rows.map(([at, key, source]) => ({ actor, address: prefixOfKey(key), at, source }));
}

/** What proxy sources said of exactly one address between two moments. */
function readListings(
  statements: Statements,
  key: PrefixKey,
  { from, until, series }: { readonly from: UnixMs; readonly until: UnixMs; readonly series: ReadonlySet<number> },
  take: (record: ListingRecord) => void,
): void {
  const spells = statements
    .get('select track, first_at, last_at from spells where prefix = ? and first_at <= ?')
    .all(key, until) as unknown as readonly (readonly [number, number, number | null])[];
  for (const [track, at, lastAt] of spells)
    if (series.has(track) && (lastAt === null || lastAt >= from)) take({ kind: RECORD.presence, track, at, lastAt });
  const next = statements.get('select track from events where prefix = ? and track > ? order by track limit 1');
  const events = statements.get('select at from events where prefix = ? and track = ? and at between ? and ?');
  for (let track = numbers(next.get(key, -1))[0]; track !== undefined; track = numbers(next.get(key, track))[0]) {
    if (!series.has(track)) continue;
    for (const row of events.all(key, track, from, until))
      take({ kind: RECORD.event, track, at: numbers(row)[0]!, lastAt: null });
  }
}

function notedOf(statements: Statements, { net, from, until }: NetCaptures): readonly OwnCapture[] {
  const rows = statements
    .get(
      'select o.at, o.prefix, s.name from own_captures o join sources s on s.id = o.source where o.net = ? and o.at between ? and ?',
    )
    .all(net, from, until) as unknown as readonly (readonly [UnixMs, Uint8Array, string])[];
  return rows.map(([at, key, source]) => ({ address: prefixOfKey(key), at, source }));
}

/** Keys between which prefixes lie, and times between which something was derived of them. */
interface Bounds {
  readonly low: PrefixKey;
  readonly high: PrefixKey;
  readonly from: UnixMs;
  readonly until: UnixMs;
}

function netBounds({ net, from, until }: NetCaptures): Bounds {
  const prefix = netPrefix(net);
  return { low: keyOfNetwork(prefix, prefix.bits), high: keyOfNetwork(lastAddress(prefix), 128), from, until };
}

/** What was derived shortly before captures, or after them where they are late. */
function noteDerived(
  statements: Statements,
  { low, high, from, until }: Bounds,
  derived: DerivedTimes,
  { renewMs }: DerivationRules,
): void {
  // `+at` keeps SQLite on the primary key: the index of times would be walked through all prefixes.
  const rows = statements
    .get(
      'select prefix, risk_type, at from derivations where prefix between ? and ? and +at between ? and ? and retracted_at is null',
    )
    .all(low, high, from - renewMs, until) as unknown as readonly (readonly [PrefixKey, number, UnixMs])[];
  for (const [key, type, at] of rows) derived.note(derivedKind(RISK_TYPES[type]!, prefixOfKey(key)), at);
}

/** The newest note of each kind about exactly one prefix, up to `at`, of what counted then. */
export function derivationsOf(statements: Statements, key: PrefixKey, at: UnixMs): readonly DerivationNote[] {
  const rows = statements
    .get(
      'select risk_type, max(at), sources, reason from derivations where prefix = ?1 and at <= ?2 and (retracted_at is null or retracted_at > ?2) group by risk_type',
    )
    .all(key, at) as unknown as readonly (readonly [number, UnixMs, string, string])[];
  return rows.map(([type, time, sources, reason]) => ({
    prefix: prefixOfKey(key),
    riskType: RISK_TYPES[type]!,
    at: time,
    sources: JSON.parse(sources),
    reason,
  }));
}

/** Keeps what later batches are judged by, and why each derived capture is there. Inside the write transaction of the batch. */
export function writeDerivation(
  statements: Statements,
  catalogue: Catalogue,
  { captures, noted, actors }: Derivation,
): void {
  const ids = new Map([...catalogue.sources.values()].map(({ id, name }) => [name, id]));
  const note = statements.get('insert or ignore into own_captures (net, at, prefix, source) values (?, ?, ?, ?)');
  for (const { address, at, source } of noted)
    note.run(netNumber(address), at, keyOfNetwork(address, 128) as Uint8Array, ids.get(source)!);
  const recognise = statements.get(
    'insert or ignore into actor_captures (actor, at, prefix, source) values (?, ?, ?, ?)',
  );
  for (const { actor, address, at, source } of actors)
    recognise.run(actor, at, keyOfNetwork(address, familyBits(address.family)), ids.get(source)!);
  for (const capture of captures) writeReason(statements, capture);
}

function writeReason(statements: Statements, { prefix, riskType, at, restsOn, reason }: DerivedCapture): void {
  const { sources, spans } = packSupport(restsOn);
  statements
    .get(
      `insert into derivations (prefix, risk_type, at, sources, spans, reason) values (?, ?, ?, ?, ?, ?)
       on conflict (prefix, risk_type, at) do update set sources = excluded.sources, spans = excluded.spans, reason = excluded.reason, retracted_at = null
       where retracted_at is not null`,
    )
    .run(keyOfNetwork(prefix, prefix.bits), RISK_TYPES.indexOf(riskType), at, sources, spans, reason);
}

/**
 * Drops what no later capture can follow from, and the reasons of captures whose detail is gone.
 * @param horizon where detail begins
 * @param rows of each table at most, or a few more of one moment
 * @returns whether there may be more
 */
export function pruneDerivations(statements: Statements, now: UnixMs, horizon: UnixMs, rows: number): boolean {
  const before = unixMs(now - OWN_CAPTURES_MS);
  statements.get('delete from withdrawn where made_at < ?').run(horizon);
  const more = [
    prune(statements, 'own_captures', before, rows),
    prune(statements, 'actor_captures', before, rows),
    prune(statements, 'derivations', horizon, rows),
  ];
  return more.includes(true);
}

function prune(
  statements: Statements,
  table: 'own_captures' | 'actor_captures' | 'derivations',
  before: UnixMs,
  rows: number,
): boolean {
  const cut = numbers(
    statements.get(`select at from ${table} where at < ? order by at limit 1 offset ?`).get(before, rows),
  )[0];
  statements.get(`delete from ${table} where at < ?`).run(cut === undefined ? before : cut + 1);
  return cut !== undefined;
}
