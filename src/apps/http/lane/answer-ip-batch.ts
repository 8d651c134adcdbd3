import type { IncomingMessage, ServerResponse } from 'node:http';
import { IP_BATCH_BODY_MAX_BYTES } from '../../../contract/ip-batch.ts';
import { ByteWriter } from '../../../core/kit/byte-writer.ts';
import { BATCH_MS, startDeadline } from '../../../service/deadline.ts';
import { lookupIps, lookupPulseBatch } from '../../../service/lookup/lookup-ips.ts';
import type { IpBatchBody } from '../../../service/lookup/read-ip-batch.ts';
import { Problem } from '../../../service/problem.ts';
import { JSON_TYPE, weighed } from '../answer/reply-headers.ts';
import { bytesOf } from '../connection/bytes-of.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';
import { chargeAddresses, giveBackUnused, readAddresses } from '../steps/charge-addresses.ts';
import { refuseEncoded, requireData } from '../steps/require.ts';

const CAPACITY_BYTES = 512 * 1024;
/** A thread keeps so many writers of at most this size, 16 MiB in all. */
const KEPT = 8;
const KEPT_BYTES = 2 * 1024 * 1024;

/** Reuses the memory of large answers once the system took the whole answer, never after a broken one. */
export class WriterPool {
  readonly #free: ByteWriter[] = [];

  takeFor(response: ServerResponse): ByteWriter {
    const writer = this.#free.pop() ?? new ByteWriter(CAPACITY_BYTES);
    response.once('finish', () => {
      if (this.#free.length < KEPT && writer.capacity <= KEPT_BYTES) this.#free.push(writer);
    });
    return writer;
  }
}

interface IpBatchRules {
  readonly tier: 'basic' | 'professional';
  readonly takesMoment: boolean;
  /** Takes a batch about the past with its body, where this thread has no evidence store. */
  readonly callProvider?: (body: Buffer) => void;
}

interface IpBatchReply {
  readonly bytes: Buffer;
  readonly type: string;
  readonly degraded: boolean;
}

const LINES_TYPE = 'application/x-ndjson';
const writers = new WriterPool();

/**
 * Answers up to 1,000 lookups in one request, an extension of the interface (decisions 10.1): reads the body,
 * charges, writes the items over several turns of the event loop, and gives back items without a verdict. The
 * steps of the route's chain have run.
 * @param response where the reply will be sent
 * @returns undefined when it was handed over
 * @throws Problem
 */
export async function answerIpBatch(
  exchange: Exchange,
  services: HttpServices,
  response: ServerResponse,
  { tier, takesMoment, callProvider }: IpBatchRules,
): Promise<IpBatchReply | undefined> {
  const { request, view, at } = exchange;
  const body = await readBody(request).catch(async (fault: unknown) => {
    // A body that was not read counts in the minute like any refused input.
    await chargeAddresses(exchange, services);
    throw fault;
  });
  startDeadline(BATCH_MS);
  exchange.body = body;
  readAddresses(exchange, services, takesMoment);
  if (callProvider !== undefined && exchange.addresses?.moment !== undefined) {
    callProvider(body!.bytes);
    return undefined;
  }
  requireData(exchange);
  await chargeAddresses(exchange, services);
  const addresses = exchange.addresses!;
  const form = asksForLines(request.headers.accept) ? 'lines' : 'document';
  const output = { form, writer: writers.takeFor(response) } as const;
  const { bytes, billable, degraded } =
    tier === 'basic'
      ? await lookupIps(addresses, view!, at, output)
      : await lookupPulseBatch(
          addresses,
          services.pulse,
          { view: view!, account: accountOf(exchange), now: at },
          output,
        );
  await giveBackUnused(exchange, services, billable);
  return {
    bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
    type: form === 'lines' ? `${LINES_TYPE}; charset=utf-8` : JSON_TYPE,
    degraded,
  };
}

function accountOf({ caller }: Exchange) {
  if (caller?.kind !== 'key' && caller?.kind !== 'user') throw new Problem('key_required');
  return caller.account;
}

/** A wildcard gets the document; lines go only to callers who name their type, and not JSON before it. */
function asksForLines(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const types = weighed(accept);
  const weightOf = (type: string): number => types.find(([name]) => name === type)?.[1] ?? 0;
  return weightOf(LINES_TYPE) > 0 && weightOf(LINES_TYPE) >= weightOf('application/json');
}

const FORM_OF: Readonly<Record<string, IpBatchBody['form']>> = { 'application/json': 'json', 'text/plain': 'lines' };

/**
 * @returns undefined without a body
 * @throws Problem unsupported_media_type, payload_too_large, bad_request when it breaks off
 */
async function readBody(request: IncomingMessage): Promise<IpBatchBody | undefined> {
  const { 'content-type': type, 'content-encoding': coding, 'content-length': length = '0' } = request.headers;
  refuseEncoded(coding, false);
  if (type === undefined && length === '0' && request.headers['transfer-encoding'] === undefined) return undefined;
  const form = FORM_OF[(type ?? '').split(';', 1)[0]!.trim().toLowerCase()];
  if (form === undefined)
    throw new Problem('unsupported_media_type', {
      message: 'Send application/json, or text/plain with one address a line.',
    });
  if (Number(length) > IP_BATCH_BODY_MAX_BYTES) throw new Problem('payload_too_large');
  return { form, bytes: await bytesOf(request) };
}
