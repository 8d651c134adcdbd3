import {
  classifyInboundRequest,
  createMcpHandler,
  type InboundClassificationOutcome,
  type McpRequestContext,
  ProtocolError,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { isRecord, parseJsonBytes } from '../../core/kit/json.ts';
import { type Said, said } from '../../core/texts/said.ts';
import {
  answerPlainCall,
  callTool,
  countMinute,
  inItsLanguage,
  type McpCall,
  type PlainCall,
  refusalBody,
} from './call-tool.ts';
import { RPC, type RpcAnswer, RpcFault, readMessage, rpcError, TRANSPORT_HEADERS } from './rpc.ts';
import { INSTRUCTIONS, OLDER_REVISIONS, SERVER_INFO, TOOLS } from './tools.ts';

/** Revisions served, newest first (decisions 7.1). */
const MODERN = '2026-07-28';
const REVISIONS = [MODERN, ...OLDER_REVISIONS];
const OLDER: ReadonlySet<string | null> = new Set([null, ...OLDER_REVISIONS]);

/** The tool list changes with a release only; clients may keep it for an hour, and every client gets the same one. */
const LIST_CACHE = { ttlMs: 3_600_000, cacheScope: 'public' } as const;

export interface ProtocolAnswer {
  readonly status: number;
  readonly allow?: string | undefined;
  /** Undefined: there is nothing to say, as to a notification. */
  readonly message?: RpcAnswer | undefined;
}

/** Answers the body of one POST. `headers` are those of the transport. */
export type Protocol = (call: McpCall, headers: Headers, body: unknown) => Promise<ProtocolAnswer>;

/**
 * One way in: the message is parsed and classified once, a plain tool call is answered here, and any other form by the library's server of its era. The answer
 * is a value until the route writes it.
 * @param url address named to the library; it reads nothing from it
 */
export function createProtocol(url: string, onFault: (error: Error) => void): Protocol {
  const library = createLibraryAnswer(url, onFault);
  return async (call, headers, body) => {
    const refusal = (status: number, id: string | number | null, code: number, text: Said): ProtocolAnswer => ({
      status,
      message: rpcError(id, code, inItsLanguage(call, text)),
    });
    const message = Buffer.isBuffer(body) ? parseJsonBytes(body) : undefined;
    if (message === undefined) return refusal(400, null, RPC.parse, said('Parse error: the body is not valid JSON.'));
    // Batches were taken out of the protocol in 2025-06-18; one would be many calls under one set of allowance headers.
    if (Array.isArray(message))
      return refusal(400, null, RPC.invalidRequest, said('Invalid request: batches are not supported.'));
    if (!isRecord(message))
      return refusal(400, null, RPC.invalidRequest, said('Invalid request: not a JSON-RPC message.'));
    const { id = null, method } = readMessage(message);
    if (method === 'subscriptions/listen')
      return refusal(404, id, RPC.methodNotFound, said('Method not found: this server sends nothing by itself.'));
    const outcome = classify(headers, message);
    const plain = plainCall(outcome, headers, message);
    if (plain !== undefined) return { status: 200, message: await answerPlainCall(call, plain) };
    if (method !== undefined && method !== 'tools/call') {
      const refused = await countMinute(call);
      // As HTTP 200: clients drop the body of a 429 and would never see the next step (decisions 7.2).
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

const refusedHandshake = (id: string | number, error: ReturnType<typeof refusalBody>): RpcAnswer =>
  rpcError(id, RPC.refused, error.message, { error });

/** Which era a message is of, or why it is of none. */
function classify(headers: Headers, body: object): InboundClassificationOutcome {
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
 * The library reports params of the wrong form in its validator's own notation, over many lines, and calls them an internal error where the method is its own
 * (initialize, tools/list). Either is -32602 in one sentence here (interface, MCP result rule 5).
 */
function inOneSentence(call: McpCall, message: RpcAnswer, id: string | number | null): RpcAnswer {
  const { error } = message;
  return error !== undefined && WRONG_PARAMS.has(error.code) && error.message.includes('\n')
    ? rpcError(
        id,
        RPC.invalidParams,
        inItsLanguage(call, said('Invalid params: they are not of the form that the method takes.')),
      )
    : message;
}

const WRONG_PARAMS: ReadonlySet<number> = new Set([RPC.invalidParams, RPC.internal]);

/**
 * A tool call to whose answer the transports add nothing but the envelope. Any other form, doubtful or wrong, goes to the library, which knows how to refuse it.
 */
function plainCall(outcome: InboundClassificationOutcome, headers: Headers, message: object): PlainCall | undefined {
  const { id, method, params } = message as Readonly<Record<string, unknown>>;
  if (outcome.kind === 'reject' || id === undefined || method !== 'tools/call' || !isRecord(params)) return undefined;
  const { name, arguments: given = {}, _meta, ...others } = params;
  if (typeof name !== 'string' || !isRecord(given) || Object.keys(others).length > 0) return undefined;
  const [version, methodNamed, nameNamed] = TRANSPORT_HEADERS.map((header) => headers.get(header));
  const isServed =
    outcome.kind === 'modern'
      ? version === MODERN && methodNamed === method && nameNamed === name
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
 * Messages with the per-request envelope of 2026-07-28 go to the library's handler, all others to a stateless 2025 transport: the library's own 2025 leg answers
 * as an event stream, whose head leaves before the tool has run, and ours carries allowances in its head. One server object a request, as the library demands.
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
    // The library passes this through untouched: it is our way to the handler, and no credential is in it.
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
  const server = new Server(SERVER_INFO, {
    capabilities: { tools: {} },
    instructions: INSTRUCTIONS,
    supportedProtocolVersions: [...REVISIONS],
    cacheHints: { 'tools/list': LIST_CACHE, 'server/discover': LIST_CACHE },
  });
  server.setRequestHandler('tools/list', async () => ({ tools: TOOLS.map(({ definition }) => definition) }));
  server.setRequestHandler('tools/call', ({ params }) =>
    callTool(call, params).catch((error) => {
      throw error instanceof RpcFault ? new ProtocolError(error.code, error.message) : error;
    }),
  );
  return server;
}

async function read(response: Response): Promise<ProtocolAnswer> {
  const text = await response.text();
  return {
    status: response.status,
    allow: response.headers.get('allow') ?? undefined,
    message: text === '' ? undefined : (JSON.parse(text) as RpcAnswer),
  };
}
