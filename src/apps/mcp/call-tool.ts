import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ErrorDetail } from '../../contract/documents.ts';
import { ERRORS, type ErrorCode, type ErrorRow } from '../../contract/errors.ts';
import { lookupAllowances } from '../../core/quota/allowances.ts';
import type { WindowState } from '../../core/quota/quota.ts';
import { inLanguage, type Language, type Said, said } from '../../core/texts/said.ts';
import { isoTime } from '../../service/iso-time.ts';
import type { KeyDirectory } from '../../service/ports.ts';
import { asProblem, Problem, problemText } from '../../service/problem.ts';
import type { Exchange } from '../http/exchange.ts';
import { languageAsked } from '../http/pages/page-language.ts';
import type { HttpServices, LookupServices } from '../http/services.ts';
import { charge, giveBack } from '../http/steps/charge.ts';
import { requireData } from '../http/steps/require.ts';
import { LOOKUP_TOOL } from './lookup-tool.ts';
import type { McpTool, ToolArguments } from './mcp-tool.ts';
import type { McpResource } from './resources.ts';
import { RPC, type RpcAnswer, RpcFault, rpcError } from './rpc.ts';

export interface McpCall {
  readonly exchange: Exchange;
  readonly services: LookupServices & Pick<HttpServices, 'log'> & { readonly keys: Pick<KeyDirectory, 'plans'> };
  readonly tools: readonly McpTool[];
  readonly resources: readonly McpResource[];
  readonly baseUrl: string;
  /** Account endpoint that is offered when the anonymous quota is used up. */
  readonly signedInEndpoint: string;
  isMinuteCounted?: boolean;
  retryAfterSec?: number | undefined;
  degraded?: boolean;
}

/**
 * Language of errors and notices: English unless Accept-Language asks for Chinese. Documents have no
 * language.
 */
export const languageOf = ({ exchange }: McpCall): Language =>
  languageAsked(exchange.request.headers['accept-language']) ?? 'en';

export const inClientLanguage = (call: McpCall, sentence: Said): string => inLanguage(languageOf(call), sentence);

interface CallParams {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A tool call in plain form, as nearly all requests are. Its answer's envelope is written here, without the
 * library.
 */
export interface PlainCall {
  readonly id: string | number;
  readonly params: CallParams;
  /** Members that the protocol revision adds to every result. */
  readonly more?: Readonly<Record<string, unknown>>;
}

export async function answerPlainCall(call: McpCall, { id, params, more }: PlainCall): Promise<RpcAnswer> {
  try {
    return { result: { ...(await callTool(call, params)), ...more }, jsonrpc: '2.0', id };
  } catch (error) {
    if (!(error instanceof RpcFault)) throw error;
    return rpcError(id, error.code, error.message);
  }
}

/**
 * Below a fifth of the daily quota a successful result has a notice (interface, MCP result rule 4). The test
 * multiplies whole numbers, because 35 * 0.2 exceeds 7.
 */
const isLow = ({ remaining, limit }: WindowState): boolean => remaining * 5 < limit;

/**
 * Answers tools/call with the steps of REST, in their order (decisions 4.9).
 * @throws RpcFault -32601, -32602
 */
export async function callTool(call: McpCall, params: CallParams): Promise<CallToolResult> {
  const { exchange, services } = call;
  const { name, arguments: sent = {} } = params;
  const tool = call.tools.find(({ definition }) => definition.name === name);
  const read = tool && readArguments(tool, sent);
  const misuse = misuseOf(call, read);
  const given = read?.given ?? {};
  try {
    exchange.fault = misuse === undefined ? (exchange.credentialFault ?? tool!.read(exchange, given)) : MISUSED;
    requireData(exchange);
    call.isMinuteCounted = true;
    await (tool ?? LOOKUP_TOOL).charge(exchange, services, given);
    const { text, degraded, order } = await tool!.answer(exchange, services, given);
    call.degraded = degraded;
    const last = order === undefined ? [] : [{ type: 'text' as const, text: JSON.stringify({ order }) }];
    return {
      content: [{ type: 'text', text }, ...lowQuotaNotice(call), ...last],
      structuredContent: JSON.parse(text) as Record<string, unknown>,
    };
  } catch (error) {
    await giveBack(exchange, services);
    const problem = asProblem(error);
    const result = refusal(call, problem);
    if (problem === MISUSED || ARGUMENT_ERRORS.has(problem.code)) await lookAtAllowances(call);
    if (misuse !== undefined && problem === MISUSED) throw misuse;
    return result;
  }
}

/**
 * Faults of the argument do not cost a lookup; the headers show the remaining quota (interface, MCP result
 * rule 3).
 */
const ARGUMENT_ERRORS: ReadonlySet<ErrorCode> = new Set(['missing_ip', 'invalid_ip', 'reserved_ip', 'not_found']);

async function lookAtAllowances({ exchange, services }: McpCall): Promise<void> {
  const { minute, day } = await services.ledger.windows(
    lookupAllowances(exchange.caller!, services.limits),
    services.clock.now(),
  );
  exchange.minute = minute;
  exchange.day = day;
}

/** Placeholder for an argument error until the minute has been counted, which comes first. */
const MISUSED = new Problem('bad_request');

export const namesOf = (tools: readonly McpTool[]): string => tools.map(({ definition }) => definition.name).join(', ');

function misuseOf(call: McpCall, read: ReturnType<typeof readArguments> | undefined): RpcFault | undefined {
  if (read === undefined)
    return new RpcFault(
      RPC.methodNotFound,
      inClientLanguage(call, said('There is no tool of this name; there are {names}.', { names: namesOf(call.tools) })),
    );
  return read.fault && new RpcFault(RPC.invalidParams, inClientLanguage(call, read.fault));
}

/** Returns a refusal as a result with isError and the REST error body as text, and logs faults of ours. */
function refusal(call: McpCall, problem: Problem): CallToolResult {
  if (problem.code === 'internal_error')
    call.services.log.error(
      { request_id: call.exchange.requestId, error: problem.cause ?? problem },
      'tool call failed',
    );
  return { content: [{ type: 'text', text: JSON.stringify({ error: refusalBody(call, problem) }) }], isError: true };
}

/**
 * Returns the error object of a refused call, with retry_after and next-step fields where they apply. It also
 * decides which quota headers are sent, and Retry-After.
 */
export function refusalBody(
  call: McpCall,
  problem: Problem,
): { readonly code: string; readonly message: string } & ErrorDetail {
  const { exchange } = call;
  const row: ErrorRow = ERRORS[problem.code];
  const retryAfter = problem.extras.retry_after ?? row.retryAfterSec;
  call.retryAfterSec = retryAfter;
  // As in REST, the headers show all quotas for a used-up day, only the minute for rate_limited, and
  // otherwise none.
  if (problem.status !== 429 || problem.code === 'rate_limited') exchange.day = undefined;
  if (problem.status !== 429) exchange.minute = undefined;
  const resetsAt =
    problem.code === 'rate_limited' && exchange.minute !== undefined
      ? { resets_at: isoTime(exchange.minute.resetsAt) }
      : {};
  return {
    ...problem.body().error,
    message: problemText(problem, languageOf(call)),
    ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
    ...resetsAt,
    ...(problem.code === 'quota_exceeded_anon' || problem.code === 'quota_exceeded_ai_agent' ? signInStep(call) : {}),
  };
}

/**
 * Offers an anonymous caller the next step. Operators set the free plan's quota, so it is read from the plan.
 */
function signInStep(call: McpCall): ErrorDetail {
  const { services, signedInEndpoint } = call;
  const { signup } = services.links;
  const free = services.keys.plans().find((plan) => plan.name === 'free');
  const more =
    free === undefined
      ? said('a larger daily allowance')
      : said('{count:lookup|lookups} per day', { count: free.perDay });
  return {
    next_step: inClientLanguage(
      call,
      said('Connect to {endpoint} and sign in: a free account has {more}.', { endpoint: signedInEndpoint, more }),
    ),
    ...(signup !== undefined && { signup_url: signup }),
    signed_in_endpoint: signedInEndpoint,
  };
}

function lowQuotaNotice(call: McpCall): CallToolResult['content'] {
  const { day, caller } = call.exchange;
  // Phone numbers have an allowance of their own.
  if (day === undefined || !isLow(day) || call.exchange.numbers !== undefined) return [];
  const steps: ErrorDetail =
    caller?.kind === 'anonymous' || caller?.kind === 'assistant'
      ? signInStep(call)
      : {
          next_step: inClientLanguage(call, said('Choose a larger plan, or wait for the reset.')),
          console_url: call.services.links.console,
          pricing_url: call.services.links.pricing,
        };
  const { remaining, limit } = day;
  const at = isoTime(day.resetsAt);
  const sentence = said('{remaining} of {limit:lookup is|lookups are} left until {at}.', { remaining, limit, at });
  const message = inClientLanguage(call, sentence);
  const notice = { code: 'quota_low', message, remaining, resets_at: at, ...steps };
  return [{ type: 'text', text: JSON.stringify({ notice }) }];
}

/** Counts a request that is not a tool call, in the minute only. @returns the refusal, if there is no room */
export async function countMinute(call: McpCall): Promise<Problem | undefined> {
  const { exchange, services } = call;
  call.isMinuteCounted = true;
  try {
    await charge(exchange, services, {
      units: 1,
      minute: lookupAllowances(exchange.caller!, services.limits).minute,
      day: [],
    });
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

interface Schema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
}

/**
 * Reads the arguments of a call by the tool's input schema. Models fill in every argument: null and an empty text
 * of an optional one mean that it is left out.
 */
function readArguments(
  { definition, misuse }: McpTool,
  sent: ToolArguments,
): { readonly given: ToolArguments; readonly fault?: Said | undefined } {
  const { properties = {}, required = [] } = definition.inputSchema;
  const names = Object.keys(properties).join(', ');
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(sent)) {
    const schema = Object.hasOwn(properties, name) ? (properties[name] as Schema) : undefined;
    if (schema === undefined) return { given, fault: unknownArgument(name, names) };
    if ((value === null || value === '') && !required.includes(name)) continue;
    const fault = faultOf(name, value, schema);
    if (fault !== undefined) return { given, fault };
    given[name] = value;
  }
  return { given, fault: misuse?.(given) };
}

const unknownArgument = (name: string, names: string): Said =>
  names === ''
    ? said('This tool takes no argument.')
    : said('There is no argument {name}; there are {names}.', { name: JSON.stringify(name.slice(0, 40)), names });

function faultOf(name: string, value: unknown, { type, enum: values, minItems, maxItems = 0, minimum = 0 }: Schema) {
  if (type === 'array') {
    const isList = Array.isArray(value) && value.length >= minItems! && value.length <= maxItems;
    if (isList && value.every((item) => typeof item === 'string')) return undefined;
    return said('The argument {name} must be a list of 1 to {max} strings.', { name, max: maxItems });
  }
  if (type === 'integer')
    return Number.isSafeInteger(value) && Number(value) >= minimum
      ? undefined
      : said('The argument {name} must be a whole number from {min} on.', { name, min: minimum });
  if (typeof value !== 'string') return said('The argument {name} must be a string.', { name });
  return values === undefined || values.includes(value)
    ? undefined
    : said('The argument {name} must be one of {values}.', { name, values: values.join(', ') });
}
