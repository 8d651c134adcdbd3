import {
  classifyInboundRequest,
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  ProtocolError,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { callTool, type McpCall } from './call-tool.ts';
import { rpcError } from './json-rpc.ts';
import { INSTRUCTIONS, TOOL } from './tool.ts';

/** Revisions served, newest first (decisions 7.1). */
export const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] as const;

export const SERVER_INFO = { name: 'pulse', title: 'Pulse IP risk', version: '0.1.0' } as const;

/** The tool list changes with a release only; clients may keep it for an hour, and everybody gets the same one. */
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
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true, supportedProtocolVersions: [...REVISIONS] });
    await server.connect(transport);
    try {
      return await read(await transport.handleRequest(request, options));
    } finally {
      server.close().catch(onFault);
    }
  };
}

interface PlainCall {
  readonly id: string | number;
  readonly params: { readonly name: string; readonly arguments?: Readonly<Record<string, unknown>> };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null && !Array.isArray(value);
const isAbsentOrRecord = (value: unknown): boolean => value === undefined || isRecord(value);
const KNOWN_REVISIONS: ReadonlySet<string | null> = new Set([null, ...REVISIONS.slice(1)]);

/**
 * A tool call of the 2025 revisions in its plain form, which is nearly every request there is. There the transport adds nothing to the tool's answer but the
 * envelope, so it is written here, in a quarter of the time; any other form goes to the library, which knows how to refuse it.
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
  if (typeof name !== 'string' || !isAbsentOrRecord(given) || _meta !== undefined || Object.keys(others).length > 0) return undefined;
  const revision = headers.get('mcp-protocol-version');
  if (!KNOWN_REVISIONS.has(revision)) return undefined;
  const { kind } = classifyInboundRequest({ httpMethod: 'POST', body: message, ...(revision === null ? {} : { protocolVersionHeader: revision }) });
  return kind === 'legacy' ? (message as unknown as PlainCall) : undefined;
}

async function answerPlainCall(call: McpCall, { id, params }: PlainCall): Promise<ProtocolAnswer> {
  const answer = { status: 200, contentType: 'application/json', allow: undefined };
  try {
    return { ...answer, body: JSON.stringify({ result: await callTool(call, params), jsonrpc: '2.0', id }) };
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
  server.setRequestHandler('tools/list', async () => ({ tools: [TOOL] }));
  server.setRequestHandler('tools/call', async ({ params }) => await callTool(call, params));
  return server;
}

const read = async (response: Response): Promise<ProtocolAnswer> => ({
  status: response.status,
  contentType: response.headers.get('content-type') ?? undefined,
  allow: response.headers.get('allow') ?? undefined,
  body: await response.text(),
});
