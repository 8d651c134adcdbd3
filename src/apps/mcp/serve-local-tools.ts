import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { type StdioServerHandle, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Account } from '../../core/caller/caller.ts';
import type { Language } from '../../core/texts/said.ts';
import { unixMs } from '../../core/units.ts';
import type { LookupView } from '../../service/ports.ts';
import { Exchange } from '../http/exchange.ts';
import type { HttpServices, LookupServices } from '../http/services.ts';
import { type EvidenceToolsOptions, evidenceTools } from './account-tools.ts';
import { callTool, type McpCall } from './call-tool.ts';
import { mcpServer } from './mcp-server.ts';
import type { McpResource } from './resources.ts';
import { INSTRUCTIONS, LOOKUP_TOOLS, SERVER_INFO } from './tools.ts';

export interface LocalToolsOptions
  extends Pick<HttpServices, 'clock' | 'log' | 'pulse' | 'links' | 'baseUrl'>,
    EvidenceToolsOptions {
  /** Current data, asked for at each call. */
  readonly view: () => Promise<LookupView>;
  readonly resources: readonly McpResource[];
  readonly language: Language;
}

const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** The operator at the machine may ask everything, without a quota. */
const OPERATOR: Account = {
  id: 'local',
  email: '',
  plan: 'local',
  perMin: UNLIMITED,
  perDay: UNLIMITED,
  overagePct: 0,
  dataTier: 'professional',
  dpa: true,
  phoneEligible: true,
  phoneEnabled: true,
  phonePerMin: UNLIMITED,
  phonePerDay: UNLIMITED,
  operator: true,
  disabled: false,
  createdAt: unixMs(0),
};

const UNCOUNTED: LookupServices['ledger'] = {
  charge: () => ({ ok: true, receipt: { units: 0, dayNumber: 0, ids: [] } }),
  windows: () => ({}),
  refund() {},
  usage: () => ({ dayNumber: 0, used: 0, refunded: 0, resetsAt: unixMs(0) }),
};

const LIMITS = { anonPerMin: UNLIMITED, anonPerDay: UNLIMITED, assistantPerMin: UNLIMITED, assistantPerDay: UNLIMITED };

const LOCAL_INSTRUCTIONS = `${INSTRUCTIONS} The answers come from data on this machine: no tier, key or allowance applies.`;

/** Serves the tools over standard input and output to the program that started this process. */
export function serveLocalTools(options: LocalToolsOptions): StdioServerHandle {
  const { clock, log, pulse, links, baseUrl, view, resources, language } = options;
  const tools = [...LOOKUP_TOOLS, ...evidenceTools(options)];
  const services = { clock, log, pulse, links, limits: LIMITS, ledger: UNCOUNTED, keys: { plans: () => [] } };
  let requests = 0;
  const begin = (data: LookupView): McpCall => {
    const request = new IncomingMessage(new Socket());
    request.headers['accept-language'] = language;
    const exchange = new Exchange(request, clock.now(), `local-${++requests}`, { query: '', segment: '' }, data);
    exchange.caller = { kind: 'user', client: 'local', account: OPERATOR };
    return { exchange, services, tools, resources, baseUrl, signedInEndpoint: baseUrl };
  };
  return serveStdio(
    () =>
      mcpServer({
        info: SERVER_INFO,
        instructions: LOCAL_INSTRUCTIONS,
        tools,
        resources,
        baseUrl,
        callTool: async (params) => callTool(begin(await view()), params),
        language,
      }),
    { onerror: (error) => log.debug({ error }, 'mcp transport') },
  );
}
