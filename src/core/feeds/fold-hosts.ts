import { CaptureBatchBuilder } from '../evidence/capture-batch-builder.ts';
import type { CaptureBatch } from '../evidence/observation.ts';
import { DAY_MS } from '../units.ts';

/**
 * A single subscriber has 2^64 hosts of one IPv6 /64 and can have any number listed, so a source may name
 * only so many one by one.
 */
const HOSTS_MAX = 1024;

export interface FoldedHosts {
  readonly batch: CaptureBatch;
  readonly hosts: number;
}

/** Names hosts by their /64 where a batch has more than HOSTS_MAX of one; the newest of each UTC date stays. */
export function foldHosts(batch: CaptureBatch): FoldedHosts {
  const crowded = crowdedNetworks(batch);
  if (crowded.size === 0) return { batch, hosts: 0 };
  const newest = newestRows(batch, crowded);
  const builder = new CaptureBatchBuilder(batch.length);
  const pools = batch.pools.map((name) => builder.poolId(name) ?? 0);
  const { words, family, bits, type, capturedAt, pool } = batch;
  for (let row = 0; row < batch.length; row++) {
    const isHost = crowded.has(networkOf(batch, row));
    if (isHost && newest.get(captureKey(batch, row)) !== row) continue;
    const [w0, w1, w2, w3] = [
      words[4 * row]!,
      words[4 * row + 1]!,
      isHost ? 0 : words[4 * row + 2]!,
      isHost ? 0 : words[4 * row + 3]!,
    ];
    builder.append(
      family[row] as 4 | 6,
      w0,
      w1,
      w2,
      w3,
      isHost ? 64 : bits[row]!,
      type[row]!,
      capturedAt[row]!,
      pools[pool[row]!]!,
    );
  }
  return { batch: builder.build(), hosts: [...crowded.values()].reduce((sum, hosts) => sum + hosts, 0) };
}

const networkOf = ({ family, bits, words }: CaptureBatch, row: number): string =>
  family[row] === 6 && bits[row]! > 64 ? `${words[4 * row]} ${words[4 * row + 1]}` : '';

const captureKey = (batch: CaptureBatch, row: number): string =>
  `${networkOf(batch, row)} ${batch.type[row]} ${batch.pool[row]} ${Math.floor(batch.capturedAt[row]! / DAY_MS)}`;

function crowdedNetworks(batch: CaptureBatch): ReadonlyMap<string, number> {
  const hosts = new Map<string, Set<string>>();
  for (let row = 0; row < batch.length; row++) {
    const network = networkOf(batch, row);
    if (network === '') continue;
    const host = `${batch.words[4 * row + 2]} ${batch.words[4 * row + 3]} ${batch.bits[row]}`;
    const known = hosts.get(network);
    if (known === undefined) hosts.set(network, new Set([host]));
    else known.add(host);
  }
  return new Map([...hosts].filter(([, { size }]) => size > HOSTS_MAX).map(([network, { size }]) => [network, size]));
}

function newestRows(batch: CaptureBatch, crowded: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const newest = new Map<string, number>();
  for (let row = 0; row < batch.length; row++) {
    if (!crowded.has(networkOf(batch, row))) continue;
    const key = captureKey(batch, row);
    const known = newest.get(key);
    if (known === undefined || batch.capturedAt[row]! > batch.capturedAt[known]!) newest.set(key, row);
  }
  return newest;
}
