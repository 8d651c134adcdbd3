import type { Candidate } from './candidates-in-text.ts';
import { CLIENT_RANK, clientRank } from './client-rank.ts';

const WELL_KNOWN_MAX = 1023;
const EPHEMERAL_MIN = 32_768;
const isCaller = (own: number, other: number): boolean =>
  other > 0 && own > WELL_KNOWN_MAX && (other <= WELL_KNOWN_MAX || (own >= EPHEMERAL_MIN && other < EPHEMERAL_MIN));

/** Finds the column of the near end where the client's is that of the remote one. */
export function nearColumn(names: readonly string[], column: number): { readonly nearColumn?: number } {
  if (clientRank([names[column] ?? '']) !== CLIENT_RANK.remote) return {};
  const near = names.findIndex(
    (name) => NEAR.test(name) && !/port/i.test(name) && clientRank([name]) === CLIENT_RANK.other,
  );
  return near < 0 ? {} : { nearColumn: near };
}

const NEAR = /(?:^|[^a-z])(?:local|loc|lcl|l)(?:$|[^a-z]|ip|addr|host)|Local/i;
const DIRECTION =
  /(?<![a-z])(?:dir|direction|role|conn(?:ection)?_?direction)["']?\s?[=:]\s?["']?(out|egress|initiator|in|responder)/i;
const END_PORT =
  /(?<![a-z])(lo?c?a?l?|re?m?o?t?e?)[a-z\d_.-]{0,24}?(?:port["']?\s?[=:]\s?["']?|["']?\s?[=:]\s?["']?(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:]{2,39}\]):)(\d{1,5})(?!\d)/gi;

/**
 * Where `local` and `remote` name the ends of a connection, the stated direction or the ports say who called;
 * without either it is not known.
 * @param text the record, which has the ports
 */
export function nearEnds(candidates: readonly Candidate[], text: string): readonly Candidate[] {
  const near = candidates.find(({ name, rank }) => rank === CLIENT_RANK.other && NEAR.test(name));
  if (near === undefined || Math.min(...candidates.map(({ rank }) => rank)) !== CLIENT_RANK.remote) return candidates;
  const isOut = isOutgoing(text);
  if (isOut === false) return candidates;
  return candidates.map((one) => {
    if (one.rank !== CLIENT_RANK.remote) return one === near && isOut ? { ...one, rank: CLIENT_RANK.source } : one;
    return { ...one, rank: isOut ? CLIENT_RANK.other : CLIENT_RANK.address };
  });
}

export function isOutgoing(text: string): boolean | undefined {
  const stated = DIRECTION.exec(text)?.[1];
  if (stated !== undefined) return !/^(?:in$|responder)/i.test(stated);
  const ports = [...text.matchAll(END_PORT)];
  const portOf = (letter: string): number =>
    Number(ports.find(({ 1: end }) => end!.toLowerCase().startsWith(letter))?.[2] ?? 65_535);
  const [near, far] = [portOf('l'), portOf('r')];
  return isCaller(near, far) ? true : isCaller(far, near) ? false : undefined;
}
