import {
  classifyInboundRequest,
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  ProtocolError,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { VERSION } from '../../config.ts';
import { isRecord } from '../../core/kit/json.ts';
import { callTool, type McpCall } from './call-tool.ts';
import { rpcError } from './json-rpc.ts';
import { INSTRUCTIONS, TOOLS } from './tools.ts';

/** Revisions served, newest first (decisions 7.1). */
const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] as const;

export const SERVER_INFO = { name: 'pulse', title: 'Pulse IP risk', version: VERSION } as const;

/** The tool list changes with a release only; clients may keep it for an hour, and every client gets the same one. */
const LIST_CACHE = { ttlMs: 3_600_000, cacheScope: 'public' } as const;

export interface ProtocolAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly allow: string | undefined;
  readonly body: string;
}

/** Hands one parsed message to the protocol library in its era and returns its JSON answer. */
export type Protocol = (call: McpCall, headers: Headers, message: object) => Promise<ProtocolAnswer>;

/**
 * Both eras on one address: messages with the per-request envelope of 2026-07-28 go to the modern leg, all others to a stateless 2025 transport.
 * The library's own 2025 leg answers as an event stream, whose head leaves before the tool has run; ours answers JSON, so that the head can carry
 * allowances. One server object a request, as the library demands.
 * @param url address named to the library; it reads nothing from it
 */
export function createProtocol(url: string, onFault: (error: Error) => void): Protocol {
  const modern = createMcpHandler(build, { legacy: 'reject', maxSubscriptions: 1, keepAliveMs: 0 });
  return async (call, headers, message) => {
    const plain = plainCall(headers, message);
    if (plain !== undefined) return await answerPlainCall(call, plain);
    const request = new Request(url, { method: 'POST', headers });
    // The library passes this through untouched: it is our way to the handler, and no credential is in it.
    const options = { parsedBody: message, authInfo: { token: '', clientId: '', scopes: [], extra: { call } } };
    if (!(await isLegacyRequest(request, message))) return await read(await modern.fetch(request, options));
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

interface PlainCall {
  readonly modern: boolean;
  readonly id: string | number;
  readonly params: { readonly name: string; readonly arguments?: Readonly<Record<string, unknown>> };
}

const isAbsentOrRecord = (value: unknown): boolean => value === undefined || isRecord(value);
const MODERN = REVISIONS[0];
const OLDER: ReadonlySet<string | null> = new Set([null, ...REVISIONS.slice(1)]);
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CLIENT_KEY = 'io.modelcontextprotocol/clientInfo';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';

/**
 * A tool call in its plain form, which is nearly every request there is. For it the transports add nothing to the tool's answer but the envelope, so the
 * envelope is written here, in a quarter of the time. Any other form, doubtful or wrong, goes to the library, which knows how to refuse it.
 */
function plainCall(headers: Headers, message: object): PlainCall | undefined {
  const { jsonrpc, id, method, params, ...more } = message as Readonly<Record<string, unknown>>;
  if (
    method !== 'tools/call' ||
    jsonrpc !== '2.0' ||
    !(typeof id === 'string' || Number.isSafeInteger(id)) ||
    !isRecord(params) ||
    Object.keys(more).length > 0
  )
    return undefined;
  const { name, arguments: given, _meta, ...others } = params;
  if (typeof name !== 'string' || !isAbsentOrRecord(given) || Object.keys(others).length > 0) return undefined;
  const revision = headers.get('mcp-protocol-version');
  const call = { id, params } as { readonly id: string | number; readonly params: PlainCall['params'] };
  if (_meta === undefined && OLDER.has(revision)) {
    const { kind } = classifyInboundRequest({
      httpMethod: 'POST',
      body: message,
      ...(revision === null ? {} : { protocolVersionHeader: revision }),
    });
    return kind === 'legacy' ? { ...call, modern: false } : undefined;
  }
  if (
    revision !== MODERN ||
    headers.get('mcp-method') !== method ||
    headers.get('mcp-name') !== name ||
    !isPlainEnvelope(_meta)
  )
    return undefined;
  return { ...call, modern: true };
}

/** The required keys and at most the client's name, in the right form, and no capability that could mean more than a call. */
function isPlainEnvelope(meta: unknown): boolean {
  if (!isRecord(meta) || meta[VERSION_KEY] !== MODERN) return false;
  const info = meta[CLIENT_KEY];
  const named = info !== undefined;
  if (named && !(isRecord(info) && typeof info['name'] === 'string' && typeof info['version'] === 'string'))
    return false;
  if (Object.keys(meta).length !== (named ? 3 : 2)) return false;
  const capabilities = meta[CAPABILITIES_KEY];
  return isRecord(capabilities) && Object.keys(capabilities).length === 0;
}

const MODERN_RESULT = { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': SERVER_INFO } } as const;

async function answerPlainCall(call: McpCall, { id, params, modern }: PlainCall): Promise<ProtocolAnswer> {
  const answer = { status: 200, contentType: 'application/json', allow: undefined };
  try {
    const result = await callTool(call, params);
    return {
      ...answer,
      body: JSON.stringify({ result: modern ? { ...result, ...MODERN_RESULT } : result, jsonrpc: '2.0', id }),
    };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { ...answer, body: rpcError(id, error.code, error.message) };
  }
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
  server.setRequestHandler('tools/call', async ({ params }) => await callTool(call, params));
  return server;
}

const read = async (response: Response): Promise<ProtocolAnswer> => ({
  status: response.status,
  contentType: response.headers.get('content-type') ?? undefined,
  allow: response.headers.get('allow') ?? undefined,
  body: await response.text(),
});
