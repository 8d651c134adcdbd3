import type { FastifyRequest } from 'fastify';
import { clientAddress } from '../../../core/caller/client-address.ts';
import type { Address, Prefix } from '../../../core/ip/address.ts';
import { parseAnyAddress } from '../../../core/ip/parse-address.ts';
import { peerAddress } from '../../http/app-pipe.ts';

/** A peer without an address has left already. */
const GONE: Address = { family: 6, w0: 0, w1: 0, w2: 0, w3: 0 };

/** The client address attempts are counted under: the same rule that look-ups are counted by (decisions 5.6). */
export function clientOf(request: FastifyRequest, trustedProxies: readonly Prefix[]): Address {
  const peer = parseAnyAddress(peerAddress(request.raw)) ?? GONE;
  return clientAddress(peer, request.exchange.headers.forwardedFor, trustedProxies);
}
