import { RISK_TYPES } from '../../../contract/risk.ts';
import { type DerivationRules, DerivedTimes, derivedKind } from '../../../core/collection/derive/derivation-rules.ts';
import type { Address } from '../../../core/ip/address.ts';
import { familyBits, lastAddress } from '../../../core/ip/prefix.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import type { DerivationNote } from '../../../service/ports.ts';
import { keyOfNetwork, keyText, prefixOfKey } from '../prefix-key.ts';
import { RECORD } from '../read/series-fold.ts';
import { type Sql, type SqlRow, type Steps, type Transaction, wait } from '../sql.ts';
import { ListingRecords, proxySeries } from '../write/listing-records.ts';
import {
  type Derivation,
  type DerivationPlan,
  type DerivationState,
  mayBeRange,
  netNumber,
  netPrefix,
  OWN_CAPTURES_MS,
  type SuspectCaptures,
} from './derive-batch.ts';
import { packSupport } from './support-of.ts';

const NOTED = `select o.at, o.prefix, s.name, o.sender from evidence_own_captures o join evidence_sources s on s.id = o.source
  where o.net = $1 and o.at between $2 and $3`;
const ACTORS = `select o.at, o.prefix, s.name, o.sender from evidence_actor_captures o join evidence_sources s on s.id = o.source
  where o.actor = $1 and o.at between $2 and $3`;
/** `at + 0` keeps the databases on the primary key; the index of times would be scanned across all prefixes. */
const DERIVED = `select prefix, risk_type, at from evidence_derivations
  where prefix between $1 and $2 and at + 0 between $3 and $4 and retracted_at is null`;

type NotedRow = readonly [at: UnixMs, prefix: unknown, source: string, sender: string];

export function* readDerivationState(
  tx: Transaction,
  { nets, suspects, actors }: DerivationPlan,
  rules: DerivationRules,
): Steps<DerivationState> {
  const captureOf = ([at, prefix, source, sender]: NotedRow) => ({
    address: prefixOfKey(tx.keyOf(prefix)),
    at,
    source,
    sender,
  });
  const ofNets = yield* wait(
    tx.each<NotedRow>(
      NOTED,
      nets.map(({ net, from, until }) => [net, from, until]),
    ),
  );
  const ofActors = yield* wait(
    tx.each<NotedRow>(
      ACTORS,
      actors.map(({ actor, from, until }) => [actor, from, until]),
    ),
  );
  const noted = new Map(nets.map(({ net }, i) => [net, ofNets[i]!.map(captureOf)]));
  const listed = yield* readProxyCaptures(tx, suspects);
  const bounds: SqlRow[] = [];
  for (const net of nets) {
    if (!mayBeRange(net, noted.get(net.net)!, rules)) continue;
    const prefix = netPrefix(net.net);
    const [low, high] = [keyOfNetwork(prefix, prefix.bits), keyOfNetwork(lastAddress(prefix), 128)];
    bounds.push([tx.keyIn(low), tx.keyIn(high), net.from - rules.renewMs, net.until]);
  }
  for (const address of suspects?.addresses ?? []) {
    if (!listed.has(address)) continue;
    const key = keyIn(tx, address);
    bounds.push([key, key, suspects!.from - rules.renewMs, suspects!.until]);
  }
  const derived = new DerivedTimes();
  // Late captures have derived captures after them.
  for (const rows of yield* wait(tx.each<[unknown, number, UnixMs]>(DERIVED, bounds)))
    for (const [prefix, type, at] of rows)
      derived.note(derivedKind(RISK_TYPES[type]!, prefixOfKey(tx.keyOf(prefix))), at);
  return {
    noted,
    actors: new Map(actors.map(({ actor }, i) => [actor, ofActors[i]!.map((row) => ({ actor, ...captureOf(row) }))])),
    derived,
    listed,
  };
}

/**
 * Reads captures of exactly these addresses by proxy sources: presence intervals that overlap the time asked
 * about, and events in it.
 */
export function* readProxyCaptures(
  tx: Transaction,
  suspects: Omit<SuspectCaptures, 'fresh'> | undefined,
): Steps<ListingRecords> {
  const listed = new ListingRecords(tx.catalogue);
  const series = proxySeries(tx.catalogue).join(', ');
  if (suspects === undefined || series === '') return listed;
  const { addresses, from, until } = suspects;
  const of = `where prefix = $1 and track in (${series})`;
  const asked = addresses.map((address) => [keyIn(tx, address), from, until]);
  for (const [kind, text] of [
    [
      RECORD.presence,
      `select track, first_at, last_at from evidence_spells ${of} and first_at <= $3 and (last_at is null or last_at >= $2) order by first_at`,
    ],
    [RECORD.event, `select track, at, null from evidence_events ${of} and at between $2 and $3`],
  ] as const) {
    const found = yield* wait(tx.each<[track: number, at: number, lastAt: number | null]>(text, asked));
    for (const [i, rows] of found.entries())
      for (const [track, at, lastAt] of rows) listed.add(addresses[i]!, { kind, track, at, lastAt });
  }
  return listed;
}

const keyIn = (tx: Transaction, address: Address): SqlRow[0] =>
  tx.keyIn(keyOfNetwork(address, familyBits(address.family)));

export function* writeDerivation(tx: Transaction, { captures, noted, actors }: Derivation): Steps<void> {
  const ids = new Map([...tx.catalogue.sources.values()].map(({ id, name }) => [name, id]));
  yield* wait(
    tx.insert(
      'evidence_own_captures (net, at, prefix, source, sender)',
      noted.map(({ address, at, source, sender }) => [
        netNumber(address),
        at,
        keyIn(tx, address),
        ids.get(source)!,
        sender,
      ]),
    ),
  );
  yield* wait(
    tx.insert(
      'evidence_actor_captures (actor, at, prefix, source, sender)',
      actors.map(({ actor, address, at, source, sender }) => [actor, at, keyIn(tx, address), ids.get(source)!, sender]),
    ),
  );
  // The reversal keeps the first reason of each risk type, prefix and moment.
  const reasons = new Map<string, SqlRow>();
  for (const { prefix, riskType, at, restsOn, reason } of [...captures].reverse()) {
    const key = keyOfNetwork(prefix, prefix.bits);
    const { sources, spans } = packSupport(restsOn);
    const type = RISK_TYPES.indexOf(riskType);
    reasons.set(`${type} ${at} ${keyText(key)}`, [tx.keyIn(key), type, at, sources, spans, reason]);
  }
  yield* wait(
    tx.insert(
      'evidence_derivations (prefix, risk_type, at, sources, spans, reason)',
      reasons.values(),
      `on conflict (prefix, risk_type, at) do update set sources = excluded.sources, spans = excluded.spans, reason = excluded.reason, retracted_at = null
       where evidence_derivations.retracted_at is not null`,
    ),
  );
}

/**
 * Returns the newest note of each risk type for each prefix that contains the address, as of `at`. Notes
 * withdrawn by then are left out.
 */
export function* derivationsAt(tx: Transaction, address: Address, at: UnixMs): Steps<readonly DerivationNote[]> {
  const keys = tx.catalogue.lengths[address.family].map((bits) => keyOfNetwork(address, bits));
  const found = yield* wait(
    tx.each<[type: number, at: UnixMs, sources: string, reason: string]>(
      `select risk_type, at, sources, reason from evidence_derivations
       where prefix = $1 and at <= $2 and (retracted_at is null or retracted_at > $2) order by at`,
      keys.map((key) => [tx.keyIn(key), at]),
    ),
  );
  return found.flatMap((rows, i) =>
    [...new Map(rows.map((row) => [row[0], row])).values()].map(([type, time, sources, reason]) => ({
      prefix: prefixOfKey(keys[i]!),
      riskType: RISK_TYPES[type]!,
      at: time,
      sources: [...new Set(JSON.parse(sources) as readonly string[])],
      reason,
    })),
  );
}

/**
 * Deletes rows that no later answer needs. @param rows how many per table, ties aside @returns whether there
 * may be more
 */
export function* pruneDerivations(sql: Sql, now: UnixMs, horizon: UnixMs, rows: number): Steps<boolean> {
  const noted = unixMs(now - OWN_CAPTURES_MS);
  yield* wait(sql.query('delete from evidence_withdrawn where made_at < $1', [horizon]));
  let more = false;
  for (const [table, before] of [
    ['evidence_own_captures', noted],
    ['evidence_actor_captures', noted],
    ['evidence_derivations', horizon],
  ] as const) {
    const [cut] = yield* wait(
      sql.query<[number]>(`select at from ${table} where at < $1 order by at limit 1 offset $2`, [before, rows]),
    );
    yield* wait(sql.query(`delete from ${table} where at < $1`, [cut === undefined ? before : cut[0] + 1]));
    more ||= cut !== undefined;
  }
  return more;
}
