import type { IPBatch, IPRisk } from '../../contract/documents.ts';
import type { Address } from '../../core/ip/address.ts';
import { formatAddress } from '../../core/ip/format-address.ts';
import { ByteWriter } from '../../core/kit/byte-writer.ts';
import { orderOf } from '../../core/policy/order.ts';
import { DEFAULT_POLICY } from '../../core/policy/policy.ts';
import type { UnixMs } from '../../core/units.ts';
import { verdictOf } from '../../service/lookup/lookup-ip.ts';
import { lookupIps } from '../../service/lookup/lookup-ips.ts';
import { batchOfInputs } from '../../service/lookup/read-ip-batch.ts';
import type { LookupView } from '../../service/ports.ts';
import { Problem } from '../../service/problem.ts';
import { chargeAddresses, giveBackUnused } from '../http/steps/charge-addresses.ts';
import { addressMeant } from './lookup-tool.ts';
import { defineTool, type McpTool, READING, REPORTED, type ToolArguments } from './mcp-tool.ts';

/** Caps of one call, so that its answer does not fill the client's context: addresses, and those of a full page. */
const IPS_MAX = 100;
const FULL_MAX = 50;
/** Size of an answer with that many typical lookups. */
const CAPACITY_BYTES = 64 * 1024;

/** Tool with the lookups of POST /v1/ip/batch, and the same charges (decisions 10.1). */
export const BATCH_TOOL: McpTool = {
  definition: defineTool(
    'ip_risk_batch',
    'IP risk lookup of many addresses',
    `Reports for each of up to ${IPS_MAX} public IPv4 or IPv6 addresses whether it ${REPORTED} ` +
      `Per address: score, level, state, signals, order (allow, challenge, deny), or {"ip","error"}, which is free. ${READING}`,
    {
      ips: {
        type: 'array',
        description: 'Public IPv4 or IPv6 addresses, also as texts have them (8.8.8[.]8). No networks.',
        items: { type: 'string' },
        minItems: 1,
        maxItems: IPS_MAX,
      },
      detail: {
        type: 'string',
        enum: ['short', 'full'],
        description: `full: the documents of ip_risk_lookup, in pages of ${FULL_MAX}. Default short.`,
      },
      page: { type: 'integer', minimum: 1, description: 'Page of a full answer: next_page of the one before.' },
    },
    ['ips'],
  ),
  read: (exchange, given) => {
    const { ips, page = 1 } = given as { readonly ips?: readonly string[]; readonly page?: number };
    if (ips === undefined) return new Problem('missing_ip', { message: 'The argument ips is missing.' });
    const asked = isFull(given) ? ips.slice((page - 1) * FULL_MAX, page * FULL_MAX) : ips;
    if (asked.length === 0) return new Problem('bad_request', { message: 'There is no such page.' });
    exchange.addresses = batchOfInputs(asked.map(plain));
    return undefined;
  },
  charge: chargeAddresses,
  answer: async (exchange, services, given) => {
    const { view, addresses, at } = exchange;
    const { bytes, billable, degraded } = await lookupIps(addresses!, view!, at, {
      form: 'document',
      writer: new ByteWriter(CAPACITY_BYTES),
    });
    await giveBackUnused(exchange, services, billable);
    const read = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()) as IPBatch;
    const columns = addresses!.addresses;
    const shorten = isFull(given) ? full : (item: IPRisk, i: number) => short(item, view!, columns.at(i)!, at);
    const results = read.results.map((item, i) => ('error' in item ? item : shorten(item, i)));
    const { ips, page = 1 } = given as { readonly ips: readonly string[]; readonly page?: number };
    const hasNext = isFull(given) && page * FULL_MAX < ips.length;
    const { risk, geo } = view!.dataVersion;
    const meta = { data_version: { risk, geo } };
    return { text: JSON.stringify({ ...read, results, meta, ...(hasNext && { next_page: page + 1 }) }), degraded };
  },
};

const isFull = (given: ToolArguments) => given['detail'] === 'full';

function plain(text: string) {
  const meant = addressMeant(text);
  return meant instanceof Problem ? text : formatAddress(meant);
}

const overrideOf = ({ meta: { override } }: IPRisk) => override === true && { override };

function full(item: IPRisk) {
  const { meta: _, ...rest } = item;
  return { ...rest, ...overrideOf(item) };
}

function short(item: IPRisk, view: LookupView, address: Address, at: UnixMs) {
  const { ip, risk, evidence_state: state } = item;
  const { action: order } = orderOf(DEFAULT_POLICY, verdictOf(view, address, at));
  return { ip, ...risk, state, order, ...overrideOf(item) };
}
