import { parsePathAddress } from '../../../core/ip/parse-path-address.ts';
import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';

/** Reads {ip}. A fault is reported after the minute was counted. */
export function readAddress(exchange: Exchange): void {
  const parsed = parsePathAddress(exchange.segment);
  if (parsed.status === 'ok') exchange.address = parsed.address;
  else exchange.fault = new Problem(parsed.status === 'reserved' ? 'reserved_ip' : 'invalid_ip');
}
