import type { IncomingMessage } from 'node:http';
import { IP_BATCH_BODY_MAX_BYTES } from '../../../contract/ip-batch.ts';
import { Problem } from '../../../service/problem.ts';

/** @throws Problem payload_too_large, bad_request when the body breaks off */
export function bytesOf(request: IncomingMessage): Promise<Buffer> {
  if (request.readableEnded) return Promise.resolve(Buffer.alloc(0));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const take = (chunk: Buffer): void => {
      chunks.push(chunk);
      length += chunk.length;
      if (length <= IP_BATCH_BODY_MAX_BYTES) return;
      request.off('data', take);
      reject(new Problem('payload_too_large'));
    };
    request.on('data', take);
    request.once('end', () => resolve(Buffer.concat(chunks, length)));
    request.once('close', () => reject(new Problem('bad_request')));
  });
}
