import type { ClientBase } from 'pg';
import { RISK_TYPES } from '../../../contract/risk.ts';
import { DERIVATION_RULES } from '../../../core/collection/derivation-rules.ts';
import { DerivedTimes, derivedKind } from '../../../core/collection/derived-capture.ts';
import type { OwnCapture } from '../../../core/collection/own-capture.ts';
import { lastAddress } from '../../../core/ip/prefix.ts';
import type { UnixMs } from '../../../core/units.ts';
import type { DerivationNote } from '../../../service/ports.ts';
import {
  type Derivation,
  type DerivationPlan,
  type DerivationState,
  type NetCaptures,
  type NetNumber,
  netNumber,
  netPrefix,
  OWN_CAPTURES_MS,
} from '../derive-batch.ts';
import { prefixOfKey } from '../prefix-key.ts';
import { byteaOf, hexOfNetwork, hexOfPrefix, keyOfHex, type PrefixHex } from './prefix-hex.ts';

/** `offset 0` keeps each /48 a look-up of its own along the index. */
const NOTED = `
select n.net, o.at, encode(o.prefix, 'hex'), s.name
from unnest($1::bigint[], $2::bigint[], $3::bigint[]) n(net, first, last)
join lateral (select * from evidence_own_captures o where o.net = n.net and o.at between n.first and n.last offset 0) o on true
join evidence_sources s on s.id = o.source`;

const DERIVED = `
select encode(d.prefix, 'hex'), d.risk_type, d.at
from unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bigint[]) n(low, high, first, last)
join lateral (select * from evidence_derivations d where d.prefix between n.low and n.high and d.at between n.first and n.last offset 0) d on true`;

/** What the store knows that a plan asks for. Under the writers' lock. */
export async function readDerivationState(client: ClientBase, { nets }: DerivationPlan): Promise<DerivationState> {
  return { noted: await readNoted(client, nets), derived: await readDerived(client, nets) };
}

async function readNoted(client: ClientBase, nets: readonly NetCaptures[]): Promise<ReadonlyMap<NetNumber, readonly OwnCapture[]>> {
  const values = [nets.map(({ net }) => net), nets.map(({ from }) => from), nets.map(({ until }) => until)];
  const { rows } = await client.query({ text: NOTED, values, rowMode: 'array' });
  const noted = new Map<NetNumber, OwnCapture[]>(nets.map(({ net }) => [net, []]));
  for (const [net, at, hex, source] of rows as unknown as readonly (readonly [number, UnixMs, PrefixHex, string])[])
    noted.get(net)!.push({ address: prefixOfKey(keyOfHex(hex)), at, source });
  return noted;
}

/** Ranges derived inside a /48 shortly before the captures, or after them where they are late. */
async function readDerived(client: ClientBase, nets: readonly NetCaptures[]): Promise<DerivedTimes> {
  const low = nets.map(({ net }) => byteaOf(hexOfPrefix(netPrefix(net))));
  const high = nets.map(({ net }) => byteaOf(hexOfNetwork(lastAddress(netPrefix(net)), 128)));
  const values = [low, high, nets.map(({ from }) => from - DERIVATION_RULES.renewMs), nets.map(({ until }) => until)];
  const { rows } = await client.query({ text: DERIVED, values, rowMode: 'array' });
  const derived = new DerivedTimes();
  for (const [hex, type, at] of rows as unknown as readonly (readonly [PrefixHex, number, UnixMs])[])
    derived.note(derivedKind(RISK_TYPES[type]!, prefixOfKey(keyOfHex(hex))), at);
  return derived;
}

const NOTES = `
select distinct on (d.prefix, d.risk_type) encode(d.prefix, 'hex'), d.risk_type, d.at, d.sources, d.reason
from evidence_derivations d where d.prefix = any($1::bytea[]) and d.at <= $2 order by d.prefix, d.risk_type, d.at desc`;

/** The newest note of each kind about each of these prefixes, up to `at`. */
export async function derivationsOf(client: Pick<ClientBase, 'query'>, prefixes: readonly PrefixHex[], at: UnixMs): Promise<readonly DerivationNote[]> {
  const { rows } = await client.query({ text: NOTES, values: [prefixes.map(byteaOf), at], rowMode: 'array' });
  return (rows as unknown as readonly (readonly [PrefixHex, number, UnixMs, string, string])[]).map(([hex, type, time, sources, reason]) => ({
    prefix: prefixOfKey(keyOfHex(hex)),
    riskType: RISK_TYPES[type]!,
    at: time,
    sources: JSON.parse(sources),
    reason,
  }));
}

/** Keeps what later batches are judged by, and why each derived capture is there. Inside the write transaction of the batch. */
export async function writeDerivation(client: ClientBase, { captures, noted }: Derivation): Promise<void> {
  await client.query(
    `insert into evidence_own_captures (net, at, prefix, source)
     select n.net, n.at, n.prefix, s.id from unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::text[]) n(net, at, prefix, source)
     join evidence_sources s on s.name = n.source on conflict do nothing`,
    [
      noted.map(({ address }) => netNumber(address)),
      noted.map(({ at }) => at),
      noted.map(({ address }) => byteaOf(hexOfNetwork(address, 128))),
      noted.map(({ source }) => source),
    ],
  );
  if (captures.length === 0) return;
  await client.query(
    `insert into evidence_derivations (prefix, risk_type, at, sources, reason)
     select * from unnest($1::bytea[], $2::integer[], $3::bigint[], $4::text[], $5::text[]) on conflict do nothing`,
    [
      captures.map(({ prefix }) => byteaOf(hexOfPrefix(prefix))),
      captures.map(({ riskType }) => RISK_TYPES.indexOf(riskType)),
      captures.map(({ at }) => at),
      captures.map(({ sources }) => JSON.stringify(sources)),
      captures.map(({ reason }) => reason),
    ],
  );
}

/** Drops what no later capture can follow from, and the reasons of captures whose detail is gone. @param horizon where detail begins */
export async function pruneDerivations(client: ClientBase, now: UnixMs, horizon: UnixMs): Promise<void> {
  await client.query('delete from evidence_own_captures where at < $1', [now - OWN_CAPTURES_MS]);
  await client.query('delete from evidence_derivations where at < $1', [horizon]);
}
