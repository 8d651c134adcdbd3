import {
  type CallToolRequestParams,
  type CallToolResult,
  type Implementation,
  ProtocolError,
  ResourceNotFoundError,
  Server,
} from '@modelcontextprotocol/server';
import { inLanguage, type Language, type Said, said } from '../../core/texts/said.ts';
import type { McpTool } from './mcp-tool.ts';
import { PROMPTS, readPromptArguments } from './prompts.ts';
import type { McpResource } from './resources.ts';
import { RPC, RpcFault } from './rpc.ts';
import { REVISIONS } from './tools.ts';

export interface McpServerOptions {
  readonly info: Implementation;
  readonly tools: readonly McpTool[];
  readonly resources: readonly McpResource[];
  readonly baseUrl: string;
  /** @throws RpcFault */
  readonly callTool: (params: CallToolRequestParams) => Promise<CallToolResult>;
  readonly instructions: string;
  readonly language: Language;
}

/**
 * Lists only change with a release and are the same for all clients of an endpoint, which may cache them for an
 * hour.
 */
const LIST_CACHE = { ttlMs: 3_600_000, cacheScope: 'public' } as const;

/** Creates the server object of the protocol library, whose messages may come over HTTP or stdio. */
export function mcpServer({
  info,
  tools,
  resources,
  baseUrl,
  callTool,
  instructions,
  language,
}: McpServerOptions): Server {
  const server = new Server(info, {
    capabilities: { tools: {}, prompts: {}, resources: {} },
    instructions,
    supportedProtocolVersions: [...REVISIONS],
    cacheHints: {
      'tools/list': LIST_CACHE,
      'prompts/list': LIST_CACHE,
      'resources/list': LIST_CACHE,
      'server/discover': LIST_CACHE,
    },
  });
  const refuse = (sentence: Said) => new ProtocolError(RPC.invalidParams, inLanguage(language, sentence));
  const names = new Set(tools.map(({ definition }) => definition.name));

  server.setRequestHandler('tools/list', async () => ({ tools: tools.map(({ definition }) => definition) }));
  server.setRequestHandler('tools/call', ({ params }) =>
    callTool(params).catch((error) => {
      throw error instanceof RpcFault ? new ProtocolError(error.code, error.message) : error;
    }),
  );
  server.setRequestHandler('prompts/list', async () => ({
    prompts: PROMPTS.map(({ definition }) => definition),
  }));
  server.setRequestHandler('prompts/get', async ({ params }) => {
    const prompt = PROMPTS.find(({ definition }) => definition.name === params.name);
    if (prompt === undefined)
      throw refuse(
        said('There is no prompt of this name; there are {names}.', {
          names: PROMPTS.map(({ definition }) => definition.name).join(', '),
        }),
      );
    const read = readPromptArguments(prompt, params.arguments ?? {});
    if ('fault' in read) throw refuse(read.fault);
    const text = prompt.text(read.given, (tool) => names.has(tool));
    return {
      description: prompt.definition.description,
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
    };
  });
  server.setRequestHandler('resources/list', async () => ({
    resources: resources.map(({ definition }) => definition),
  }));
  server.setRequestHandler('resources/templates/list', async () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const resource = resources.find(({ definition }) => definition.uri === uri);
    if (resource === undefined) throw new ResourceNotFoundError(uri);
    return { contents: [{ uri, mimeType: resource.definition.mimeType, text: resource.read(baseUrl) }] };
  });
  return server;
}
