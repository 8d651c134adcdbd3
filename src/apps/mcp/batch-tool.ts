import { ByteWriter } from '../../core/kit/byte-writer.ts';
import { said } from '../../core/texts/said.ts';
import { lookupIps } from '../../service/lookup/lookup-ips.ts';
import { batchOfInputs } from '../../service/lookup/read-ip-batch.ts';
import { Problem } from '../../service/problem.ts';
import { chargeAddresses, giveBackUnused } from '../http/steps/charge-addresses.ts';
import { annotationsOf, type McpTool, READING, REPORTED } from './mcp-tool.ts';

/** Cap on addresses per call: a longer answer would fill the client's context. */
const IPS_MAX = 100;
/** Size of an answer with that many typical lookups. */
const CAPACITY_BYTES = 64 * 1024;

/** Tool with the lookups of POST /v1/ip/batch, and the same charges (decisions 10.1). */
export const BATCH_TOOL: McpTool = {
  definition: {
    name: 'ip_risk_batch',
    title: 'IP risk lookup of many addresses',
    description:
      `Reports for each of up to ${IPS_MAX} public IPv4 or IPv6 addresses whether it ${REPORTED} ` +
      `Returns {"count","billable","results"}: per address what ip_risk_lookup returns, or {"ip","error"}, which costs nothing. ${READING}`,
    inputSchema: {
      type: 'object',
      properties: {
        ips: {
          type: 'array',
          description: 'Public IPv4 or IPv6 addresses, without port, prefix length or zone.',
          items: { type: 'string' },
          minItems: 1,
          maxItems: IPS_MAX,
        },
      },
      required: ['ips'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        count: { type: 'integer' },
        billable: { type: 'integer' },
        results: { type: 'array', items: { type: 'object', properties: { ip: { type: 'string' } }, required: ['ip'] } },
      },
      required: ['count', 'billable', 'results'],
    },
    annotations: annotationsOf('IP risk lookup of many addresses'),
  },
  misuse: (given) => {
    for (const key of Object.keys(given)) if (key !== 'ips') return said('The only argument is ips.');
    const { ips } = given as { readonly ips?: unknown };
    if (ips === undefined) return undefined;
    const isList =
      Array.isArray(ips) && ips.length >= 1 && ips.length <= IPS_MAX && ips.every((ip) => typeof ip === 'string');
    return isList ? undefined : said('The argument ips must be a list of 1 to {max} strings.', { max: IPS_MAX });
  },
  read: (exchange, given) => {
    const { ips } = given as { readonly ips?: readonly string[] };
    if (ips === undefined) return new Problem('missing_ip', { message: 'The argument ips is missing.' });
    exchange.addresses = batchOfInputs(ips);
    return undefined;
  },
  charge: chargeAddresses,
  answer: async (exchange, services) => {
    const { view, addresses, at } = exchange;
    const { bytes, billable, degraded } = await lookupIps(addresses!, view!, at, {
      form: 'document',
      writer: new ByteWriter(CAPACITY_BYTES),
    });
    await giveBackUnused(exchange, services, billable);
    return { text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(), degraded };
  },
};
