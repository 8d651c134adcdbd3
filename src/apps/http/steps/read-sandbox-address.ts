import { parseAddress } from '../../../core/ip/parse-address.ts';
import { isSandboxAddress } from '../../../service/lookup/sandbox.ts';
import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';

/** Reads {ip}, which the framework has decoded, where the documentation ranges are looked up and no other address is. */
export function readSandboxAddress(exchange: Exchange): void {
  const parsed = parseAddress(exchange.segment);
  if (parsed.status === 'invalid') exchange.fault = new Problem('invalid_ip');
  else if (isSandboxAddress(parsed.address)) exchange.address = parsed.address;
  else if (parsed.status === 'reserved') exchange.fault = new Problem('reserved_ip');
  else
    exchange.fault = new Problem('not_found', {
      message: 'The sandbox answers for documentation ranges only; GET /sandbox lists its addresses.',
    });
}
