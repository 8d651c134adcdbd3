import type { ClientBase } from 'pg';
import { RISK_TYPES } from '../../../contract/risk.ts';
import type { DerivationRules } from '../../../core/collection/derive/derivation-rules.ts';
import type { ActorCapture } from '../../../core/collection/derive/derive-redials.ts';
import { DerivedTimes, derivedKind } from '../../../core/collection/derive/derived-capture.ts';
import type { OwnCapture } from '../../../core/collection/own-capture.ts';
import type { Address } from '../../../core/ip/address.ts';
import { familyBits, lastAddress } from '../../../core/ip/prefix.ts';
import type { UnixMs } from '../../../core/units.ts';
import type { DerivationNote } from '../../../service/ports.ts';
import type { Catalogue } from '../catalogue.ts';
import {
  type ActorCaptures,
  type Derivation,
  type DerivationPlan,
  type DerivationState,
  mayBeRange,
  type NetCaptures,
  type NetNumber,
  netNumber,
  netPrefix,
  OWN_CAPTURES_MS,
  type SuspectCaptures,
} from '../derive-batch.ts';
import { ListingRecords, proxySeries } from '../listing-records.ts';
import { prefixOfKey } from '../prefix-key.ts';
import { packSupport } from '../support-of.ts';
import { byteaArray, int8Array, textArray } from './binary-array.ts';
import { byteaOf, bytesOfPrefix, hexOfNetwork, hexOfPrefix, keyOfHex, type PrefixHex } from './prefix-hex.ts';

/** `offset 0` keeps each /48 a look-up of its own along the index. */
const NOTED = `
select n.net, o.at, encode(o.prefix, 'hex'), s.name
from unnest($1::bigint[], $2::bigint[], $3::bigint[]) n(net, first, last)
join lateral (select * from evidence_own_captures o where o.net = n.net and o.at between n.first and n.last offset 0) o on true
join evidence_sources s on s.id = o.source`;

const ACTORS = `
select n.actor, o.at, encode(o.prefix, 'hex'), s.name
from unnest($1::text[], $2::bigint[], $3::bigint[]) n(actor, first, last)
join lateral (select * from evidence_actor_captures o where o.actor = n.actor and o.at between n.first and n.last offset 0) o on true
join evidence_sources s on s.id = o.source`;

/** `d.at + 0` keeps the planner on the primary key: the index of times would be walked through all prefixes. */
const DERIVED = `
select encode(d.prefix, 'hex'), d.risk_type, d.at
from unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bigint[]) n(low, high, first, last)
join lateral (select * from evidence_derivations d where d.prefix between n.low and n.high and d.at + 0 between n.first and n.last and d.retracted_at is null offset 0) d on true`;

/** What proxy sources said of exactly these addresses: intervals that reach into the time asked about, and events in it. */
const LISTINGS = `
select 0, p.number::integer, s.track, s.first_at, s.last_at from unnest($1::bytea[]) with ordinality p(prefix, number)
join lateral (select * from evidence_spells s where s.prefix = p.prefix and s.first_at <= $4 and (s.last_at is null or s.last_at >= $3) offset 0) s
  on s.track = any($2::integer[])
union all
select 1, p.number::integer, e.track, e.at, null from unnest($1::bytea[]) with ordinality p(prefix, number)
join lateral (select e.track, e.at from evidence_events e where e.prefix = p.prefix and e.at between $3 and $4 offset 0) e on e.track = any($2::integer[])`;

/** What the store knows that a plan asks for. Under the writers' lock. @param catalogue as it was before the batch */
export async function readDerivationState(
  client: ClientBase,
  catalogue: Catalogue,
  { nets, suspects, actors }: DerivationPlan,
  rules: DerivationRules,
): Promise<DerivationState> {
  const derived = new DerivedTimes();
  const noted = await readNoted(client, nets);
  const ranges = nets.filter((net) => mayBeRange(net, noted.get(net.net)!, rules));
  const listed =
    suspects === undefined ? new ListingRecords(catalogue) : await readListings(client, catalogue, suspects);
  const addresses = suspects?.addresses.filter((address) => listed.has(address)) ?? [];
  await noteDerived(
    client,
    [...ranges.map(netBounds), ...addresses.map((address) => addressBounds(address, suspects!))],
    derived,
    rules,
  );
  return { noted, actors: await readActors(client, actors), derived, listed };
}

async function readActors(
  client: ClientBase,
  actors: readonly ActorCaptures[],
): Promise<ReadonlyMap<string, readonly ActorCapture[]>> {
  const known = new Map<string, ActorCapture[]>(actors.map(({ actor }) => [actor, []]));
  if (actors.length === 0) return known;
  const values = [
    textArray(actors.map(({ actor }) => actor)),
    int8Array(actors.map(({ from }) => from)),
    int8Array(actors.map(({ until }) => until)),
  ];
  const { rows } = await client.query({ text: ACTORS, values, rowMode: 'array' });
  for (const [actor, at, hex, source] of rows as unknown as readonly (readonly [string, UnixMs, PrefixHex, string])[])
    known.get(actor)!.push({ actor, address: prefixOfKey(keyOfHex(hex)), at, source });
  return known;
}

async function readListings(
  client: ClientBase,
  catalogue: Catalogue,
  { addresses, from, until }: SuspectCaptures,
): Promise<ListingRecords> {
  const listed = new ListingRecords(catalogue);
  const series = proxySeries(catalogue);
  if (series.length === 0) return listed;
  const values = [
    addresses.map((address) => byteaOf(hexOfNetwork(address, familyBits(address.family)))),
    series,
    from,
    until,
  ];
  const { rows } = await client.query({ text: LISTINGS, values, rowMode: 'array' });
  for (const [kind, number, track, at, lastAt] of rows as unknown as readonly (readonly [
    number,
    number,
    number,
    number,
    number | null,
  ])[])
    listed.add(addresses[number - 1]!, { kind, track, at, lastAt });
  return listed;
}

async function readNoted(
  client: ClientBase,
  nets: readonly NetCaptures[],
): Promise<ReadonlyMap<NetNumber, readonly OwnCapture[]>> {
  const noted = new Map<NetNumber, OwnCapture[]>(nets.map(({ net }) => [net, []]));
  if (nets.length === 0) return noted;
  const values = [nets.map(({ net }) => net), nets.map(({ from }) => from), nets.map(({ until }) => until)];
  const { rows } = await client.query({ text: NOTED, values, rowMode: 'array' });
  for (const [net, at, hex, source] of rows as unknown as readonly (readonly [number, UnixMs, PrefixHex, string])[])
    noted.get(net)!.push({ address: prefixOfKey(keyOfHex(hex)), at, source });
  return noted;
}

/** Prefixes between which something may have been derived, and times. */
interface Bounds {
  readonly low: PrefixHex;
  readonly high: PrefixHex;
  readonly from: UnixMs;
  readonly until: UnixMs;
}

function netBounds({ net, from, until }: NetCaptures): Bounds {
  const prefix = netPrefix(net);
  return { low: hexOfPrefix(prefix), high: hexOfNetwork(lastAddress(prefix), 128), from, until };
}

function addressBounds(address: Address, { from, until }: SuspectCaptures): Bounds {
  const hex = hexOfNetwork(address, familyBits(address.family));
  return { low: hex, high: hex, from, until };
}

/** What was derived shortly before captures, or after them where they are late. */
async function noteDerived(
  client: ClientBase,
  bounds: readonly Bounds[],
  derived: DerivedTimes,
  { renewMs }: DerivationRules,
): Promise<void> {
  if (bounds.length === 0) return;
  const values = [
    bounds.map(({ low }) => byteaOf(low)),
    bounds.map(({ high }) => byteaOf(high)),
    bounds.map(({ from }) => from - renewMs),
    bounds.map(({ until }) => until),
  ];
  const { rows } = await client.query({ text: DERIVED, values, rowMode: 'array' });
  for (const [hex, type, at] of rows as unknown as readonly (readonly [PrefixHex, number, UnixMs])[])
    derived.note(derivedKind(RISK_TYPES[type]!, prefixOfKey(keyOfHex(hex))), at);
}

const NOTES = `
select distinct on (d.prefix, d.risk_type) encode(d.prefix, 'hex'), d.risk_type, d.at, d.sources, d.reason
from evidence_derivations d where d.prefix = any($1::bytea[]) and d.at <= $2 and (d.retracted_at is null or d.retracted_at > $2) order by d.prefix, d.risk_type, d.at desc`;

/** The newest note of each kind about each of these prefixes, up to `at`, of what counted then. */
export async function derivationsOf(
  client: Pick<ClientBase, 'query'>,
  prefixes: readonly PrefixHex[],
  at: UnixMs,
): Promise<readonly DerivationNote[]> {
  const { rows } = await client.query({ text: NOTES, values: [prefixes.map(byteaOf), at], rowMode: 'array' });
  return (rows as unknown as readonly (readonly [PrefixHex, number, UnixMs, string, string])[]).map(
    ([hex, type, time, sources, reason]) => ({
      prefix: prefixOfKey(keyOfHex(hex)),
      riskType: RISK_TYPES[type]!,
      at: time,
      sources: JSON.parse(sources),
      reason,
    }),
  );
}

/** Keeps what later batches are judged by, and why each derived capture is there. Inside the write transaction of the batch. */
export async function writeDerivation(client: ClientBase, { captures, noted, actors }: Derivation): Promise<void> {
  if (noted.length > 0) await writeNoted(client, noted);
  if (actors.length > 0) await writeActors(client, actors);
  if (captures.length > 0) await writeReasons(client, captures);
}

async function writeNoted(client: ClientBase, noted: Derivation['noted']): Promise<void> {
  await client.query(
    `insert into evidence_own_captures (net, at, prefix, source)
     select n.net, n.at, n.prefix, s.id from unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::text[]) n(net, at, prefix, source)
     join evidence_sources s on s.name = n.source on conflict do nothing`,
    [
      int8Array(noted.map(({ address }) => netNumber(address))),
      int8Array(noted.map(({ at }) => at)),
      byteaArray(noted.map(({ address }) => bytesOfAddress(address))),
      textArray(noted.map(({ source }) => source)),
    ],
  );
}

async function writeActors(client: ClientBase, actors: Derivation['actors']): Promise<void> {
  await client.query(
    `insert into evidence_actor_captures (actor, at, prefix, source)
     select n.actor, n.at, n.prefix, s.id from unnest($1::text[], $2::bigint[], $3::bytea[], $4::text[]) n(actor, at, prefix, source)
     join evidence_sources s on s.name = n.source on conflict do nothing`,
    [
      textArray(actors.map(({ actor }) => actor)),
      int8Array(actors.map(({ at }) => at)),
      byteaArray(actors.map(({ address }) => bytesOfAddress(address))),
      textArray(actors.map(({ source }) => source)),
    ],
  );
}

const bytesOfAddress = (address: Address): Uint8Array =>
  bytesOfPrefix({ ...address, bits: familyBits(address.family) });

async function writeReasons(client: ClientBase, captures: Derivation['captures']): Promise<void> {
  const support = captures.map(({ restsOn }) => packSupport(restsOn));
  await client.query(
    `insert into evidence_derivations as d (prefix, risk_type, at, sources, spans, reason)
     select distinct on (n.prefix, n.risk_type, n.at) n.*
     from unnest($1::bytea[], $2::integer[], $3::bigint[], $4::text[], $5::text[], $6::text[]) n(prefix, risk_type, at, sources, spans, reason)
     on conflict (prefix, risk_type, at) do update set sources = excluded.sources, spans = excluded.spans, reason = excluded.reason, retracted_at = null
     where d.retracted_at is not null`,
    [
      captures.map(({ prefix }) => byteaOf(hexOfPrefix(prefix))),
      captures.map(({ riskType }) => RISK_TYPES.indexOf(riskType)),
      captures.map(({ at }) => at),
      support.map(({ sources }) => sources),
      support.map(({ spans }) => spans),
      captures.map(({ reason }) => reason),
    ],
  );
}

/** Drops what no later capture can follow from, and the reasons of captures whose detail is gone. @param horizon where detail begins */
export async function pruneDerivations(client: ClientBase, now: UnixMs, horizon: UnixMs): Promise<void> {
  await client.query('delete from evidence_own_captures where at < $1', [now - OWN_CAPTURES_MS]);
  await client.query('delete from evidence_actor_captures where at < $1', [now - OWN_CAPTURES_MS]);
  await client.query('delete from evidence_derivations where at < $1', [horizon]);
  await client.query('delete from evidence_withdrawn where made_at < $1', [horizon]);
}
