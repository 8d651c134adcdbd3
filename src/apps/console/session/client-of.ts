import type { FastifyRequest } from 'fastify';
import { clientAddress, countedClient } from '../../../core/caller/client-address.ts';
import type { Prefix } from '../../../core/ip/address.ts';
import { parseAnyAddress } from '../../../core/ip/parse-address.ts';

/** The client address attempts are counted under: the same rule that look-ups are counted by (decisions 5.6), IPv6 as its /64. */
export function clientOf(request: FastifyRequest, trustedProxies: readonly Prefix[]): string {
  const peer = parseAnyAddress((request.raw.socket.remoteAddress ?? '').replace(/%.*$/, ''));
  if (peer === undefined) return 'unknown';
  return countedClient(clientAddress(peer, request.exchange.headers.forwardedFor, trustedProxies));
}
