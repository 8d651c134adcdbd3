import {
  classifyInboundRequest,
  createMcpHandler,
  type InboundClassificationOutcome,
  type McpRequestContext,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { isRecord, parseJsonBytes } from '../../core/kit/json.ts';
import { type Said, said } from '../../core/texts/said.ts';
import {
  answerPlainCall,
  callTool,
  countMinute,
  inClientLanguage,
  languageOf,
  type McpCall,
  type PlainCall,
  refusalBody,
} from './call-tool.ts';
import { mcpServer } from './mcp-server.ts';
import { RPC, type RpcAnswer, readMessage, rpcError, TRANSPORT_HEADERS } from './rpc.ts';
import { INSTRUCTIONS, NEWEST, OLD_REVISIONS, REVISIONS, SERVER_INFO, serverInfoAt } from './tools.ts';

const OLDER: ReadonlySet<string | null> = new Set([null, ...OLD_REVISIONS]);

export interface ProtocolAnswer {
  readonly status: number;
  readonly allow?: string | undefined;
  /** Undefined if there is nothing to answer, as for a notification. */
  readonly message?: RpcAnswer | undefined;
}

/** Answers the body of a POST. @param headers those in TRANSPORT_HEADERS */
export type Protocol = (call: McpCall, headers: Headers, body: unknown) => Promise<ProtocolAnswer>;

/**
 * Creates the entry for all messages, each of which is parsed and classified once. Plain tool calls are
 * answered here, others by the library's server for their era. The answer stays a value until the route
 * writes it.
 * @param url address that the library requires and does not use
 */
export function createProtocol(url: string, onFault: (error: Error) => void): Protocol {
  const library = createLibraryAnswer(url, onFault);
  return async (call, headers, body) => {
    const refusal = (status: number, id: string | number | null, code: number, text: Said): ProtocolAnswer => ({
      status,
      message: rpcError(id, code, inClientLanguage(call, text)),
    });
    const message = Buffer.isBuffer(body) ? parseJsonBytes(body) : undefined;
    if (message === undefined) return refusal(400, null, RPC.parse, said('Parse error: the body is not valid JSON.'));
    // The protocol dropped batches in 2025-06-18. A batch would be many calls under one set of quota headers.
    if (Array.isArray(message))
      return refusal(400, null, RPC.invalidRequest, said('Invalid request: batches are not supported.'));
    if (!isRecord(message))
      return refusal(400, null, RPC.invalidRequest, said('Invalid request: not a JSON-RPC message.'));
    const { id = null, method } = readMessage(message);
    if (typeof message['id'] === 'number' && id === null)
      return refusal(400, null, RPC.invalidRequest, said('Invalid request: the id is not a safe whole number.'));
    if (method === 'subscriptions/listen')
      return refusal(404, id, RPC.methodNotFound, said('Method not found: this server sends nothing by itself.'));
    const outcome = classify(headers, message);
    const plain = plainCall(outcome, headers, message);
    if (plain !== undefined) return { status: 200, message: await answerPlainCall(call, plain) };
    if (method !== undefined && method !== 'tools/call') {
      const refused = await countMinute(call);
      // The status is 200 because clients drop the body of a 429 and would never see the next step (decisions
      // 7.2).
      if (refused !== undefined)
        return id === null
          ? { status: 202 }
          : {
              status: 200,
              message: refusedHandshake(id, refusalBody(call, refused)),
            };
    }
    const answer = await library(call, headers, message, outcome);
    return { ...answer, message: answer.message && inOneSentence(call, answer.message, id) };
  };
}

const refusedHandshake = (id: string | number, error: ReturnType<typeof refusalBody>) =>
  rpcError(id, RPC.refused, error.message, { error });

/** Returns the era of a message, or the reason why it belongs to none. */
function classify(headers: Headers, body: object) {
  const [protocolVersionHeader, mcpMethodHeader, mcpNameHeader] = TRANSPORT_HEADERS.map(
    (name) => headers.get(name) ?? undefined,
  );
  return classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(protocolVersionHeader !== undefined && { protocolVersionHeader }),
    ...(mcpMethodHeader !== undefined && { mcpMethodHeader }),
    ...(mcpNameHeader !== undefined && { mcpNameHeader }),
  });
}

/**
 * For invalid params the library answers with many lines of its validator, and for its own methods
 * (initialize, tools/list) as an internal error. Both become -32602 in one sentence (interface, MCP result
 * rule 5).
 */
function inOneSentence(call: McpCall, message: RpcAnswer, id: string | number | null) {
  const { error } = message;
  return error !== undefined && WRONG_PARAMS.has(error.code) && error.message.includes('\n')
    ? rpcError(
        id,
        RPC.invalidParams,
        inClientLanguage(call, said('Invalid params: they are not of the form that the method takes.')),
      )
    : message;
}

const WRONG_PARAMS: ReadonlySet<number> = new Set([RPC.invalidParams, RPC.internal]);

/**
 * Returns a tool call to whose answer the transports would only add the envelope. All other forms go to the
 * library, which knows how to refuse them.
 */
function plainCall(outcome: InboundClassificationOutcome, headers: Headers, message: object) {
  const { id, method, params } = message as Readonly<Record<string, unknown>>;
  if (outcome.kind === 'reject' || id === undefined || method !== 'tools/call' || !isRecord(params)) return undefined;
  const { name, arguments: given = {}, _meta, ...others } = params;
  if (typeof name !== 'string' || !isRecord(given) || Object.keys(others).length > 0) return undefined;
  const [version, methodNamed, nameNamed] = TRANSPORT_HEADERS.map((header) => headers.get(header));
  const isServed =
    outcome.kind === 'modern'
      ? version === NEWEST && methodNamed === method && nameNamed === name
      : _meta === undefined && OLDER.has(version!);
  return isServed
    ? {
        id: id as string | number,
        params: params as unknown as PlainCall['params'],
        ...(outcome.kind === 'modern' && { more: MODERN_RESULT }),
      }
    : undefined;
}

const MODERN_RESULT = { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': SERVER_INFO } } as const;

/**
 * Passes messages with the per-request envelope of 2026-07-28 to the library's handler, all others to a
 * stateless 2025 transport. The library's own 2025 path would answer as an event stream, whose headers are
 * sent before the tool runs, but ours carry quotas.
 * The library requires a new server object per request.
 */
function createLibraryAnswer(url: string, onFault: (error: Error) => void) {
  const modern = createMcpHandler(build, { legacy: 'reject', maxSubscriptions: 1, keepAliveMs: 0 });
  return async (
    call: McpCall,
    headers: Headers,
    message: object,
    outcome: InboundClassificationOutcome,
  ): Promise<ProtocolAnswer> => {
    const request = new Request(url, { method: 'POST', headers });
    // The library passes this through unchanged, which brings the call to the handler. It contains no
    // credential.
    const options = { parsedBody: message, authInfo: { token: '', clientId: '', scopes: [], extra: { call } } };
    if (outcome.kind !== 'legacy') return await read(await modern.fetch(request, options));
    const server = build({ era: 'legacy', authInfo: options.authInfo, requestInfo: request });
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: true,
      supportedProtocolVersions: [...REVISIONS],
    });
    await server.connect(transport);
    try {
      return await read(await transport.handleRequest(request, options));
    } finally {
      server.close().catch(onFault);
    }
  };
}

function build({ authInfo }: McpRequestContext): Server {
  const call = authInfo?.extra?.['call'] as McpCall;
  const { tools, resources, baseUrl } = call;
  return mcpServer({
    info: serverInfoAt(baseUrl),
    tools,
    resources,
    baseUrl,
    callTool: (params) => callTool(call, params),
    instructions: INSTRUCTIONS,
    language: languageOf(call),
  });
}

async function read(response: Response) {
  const text = await response.text();
  return {
    status: response.status,
    allow: response.headers.get('allow') ?? undefined,
    message: text === '' ? undefined : (JSON.parse(text) as RpcAnswer),
  };
}
