import type { IncomingMessage } from 'node:http';
import { ownAddress } from '../../core/caller/client-address.ts';
import { isRecord, parseJsonBytes } from '../../core/kit/json.ts';
import { oauthAddresses } from '../../core/oauth/oauth-addresses.ts';
import { REQUEST_MS, withDeadline } from '../../service/deadline.ts';
import { answerProblem } from '../http/answer/answer-problem.ts';
import { COUNTED } from '../http/answer/request-counts.ts';
import { bytesOf } from '../http/connection/bytes-of.ts';
import type { LookupLane } from '../http/connection/create-http-server.ts';
import { Exchange } from '../http/exchange.ts';
import { OK_LINES, okLines } from '../http/lane/fast-lane.ts';
import { identifyOpenCaller } from '../http/steps/identify-account.ts';
import { isJson } from '../http/steps/require.ts';
import { answerPlainCall, type McpCall } from './call-tool.ts';
import { LOOKUP_TOOL } from './lookup-tool.ts';
import { isRpcId } from './rpc.ts';
import { LOOKUP_TOOLS, OLD_REVISIONS } from './tools.ts';

/** Cap on the body: a plain call has about 200 bytes, and a longer one must be counted before it is read. */
const BODY_BYTES = 1024;
const COUNTED_AS = COUNTED.indexOf('mcp');
const REVISIONS: ReadonlySet<string | string[] | undefined> = new Set([undefined, ...OLD_REVISIONS]);
/** Requests with one of these headers need the thread that has the protocol library. */
const DOUBTFUL = ['content-encoding', 'transfer-encoding', 'origin', 'mcp-method', 'mcp-name'] as const;

/** Answers plain calls of `ip_risk_lookup` and relays all others to the thread with the protocol library. */
export const plainLane: LookupLane = ({ services, batch, nextId, relay }) => {
  const addressFor = ownAddress(services.baseUrl);
  return (request, response) => {
    if (request.url !== '/mcp' || request.method !== 'POST' || !isPlain(request)) return false;
    const answer = async (): Promise<void> => {
      const body = await bytesOf(request);
      const plain = readPlainCall(body);
      if (plain === undefined) return relay(request, response, body);
      const exchange = new Exchange(request, services.clock.now(), nextId(), NO_PATH, services.view());
      batch.counts.begin(response, exchange.requestId);
      try {
        const call: McpCall = {
          exchange,
          services,
          tools: LOOKUP_TOOLS,
          resources: [],
          baseUrl: addressFor(request.headers.host),
          signedInEndpoint: oauthAddresses(addressFor(request.headers.host)).resource('zh'),
        };
        const message = await withDeadline(REQUEST_MS, async () => {
          await identifyOpenCaller(exchange, services);
          return await answerPlainCall(call, plain);
        });
        const lines = okLines(OK_LINES, exchange, call.degraded === true);
        const wait = call.retryAfterSec === undefined ? '' : `Retry-After: ${call.retryAfterSec}\r\n`;
        batch.counts.end(response, COUNTED_AS, 200);
        batch.answerOk(response, lines + wait, JSON.stringify(message));
      } catch (error) {
        const { code, status, headers, body: text } = answerProblem(error, exchange, services.log);
        batch.counts.end(response, COUNTED_AS, status);
        batch.counts.failed(response, code);
        batch.answer(response, status, ['X-Request-Id', exchange.requestId, ...headers], text);
      }
    };
    // A body that breaks off means that the client has left.
    answer().catch(() => response.destroy());
    return true;
  };
};

/** Access tokens are known to the other thread alone. */
const KEY = /^\s*bearer\s+pk_/i;

const NO_PATH = { query: '', segment: '' } as const;

const isPlain = ({ headers }: IncomingMessage): boolean =>
  headers.host !== undefined &&
  isJson(headers['content-type']) &&
  Number(headers['content-length']) <= BODY_BYTES &&
  REVISIONS.has(headers['mcp-protocol-version']) &&
  (headers.authorization === undefined || KEY.test(headers.authorization)) &&
  DOUBTFUL.every((name) => headers[name] === undefined);

const hasOnly = (value: object, names: readonly string[]) => Object.keys(value).every((name) => names.includes(name));

function readPlainCall(body: Buffer) {
  const message = parseJsonBytes(body);
  if (!isRecord(message) || !hasOnly(message, ['jsonrpc', 'id', 'method', 'params'])) return undefined;
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !isRpcId(id)) return undefined;
  if (!isRecord(params) || !hasOnly(params, ['name', 'arguments']) || params['name'] !== LOOKUP_TOOL.definition.name)
    return undefined;
  const { arguments: given = {} } = params;
  return isRecord(given) ? { id, params: { name: LOOKUP_TOOL.definition.name, arguments: given } } : undefined;
}
