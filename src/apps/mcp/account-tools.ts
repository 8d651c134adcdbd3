import { parseRfc3339 } from '../../core/evidence/parse-rfc3339.ts';
import { lookupAllowances } from '../../core/quota/allowances.ts';
import { sayOrder } from '../../core/report/say-order.ts';
import { wordsEn } from '../../core/report/words-en.ts';
import { said } from '../../core/texts/said.ts';
import { unixMs } from '../../core/units.ts';
import { isoTime } from '../../service/iso-time.ts';
import { describeNetwork } from '../../service/lookup/describe-network.ts';
import type { TimelineLookup } from '../../service/lookup/describe-timeline.ts';
import type { ExplainLookup } from '../../service/lookup/explain-lookup.ts';
import { lookupPhone, type PhoneData } from '../../service/phone/lookup-phone.ts';
import { Problem } from '../../service/problem.ts';
import type { Exchange } from '../http/exchange.ts';
import { describeCaller, type MeOptions } from '../http/routes/me/me-route.ts';
import type { LookupServices } from '../http/services.ts';
import { charge, chargeAllowance } from '../http/steps/charge.ts';
import { chargeNumbers, readPhoneNumber } from '../http/steps/charge-numbers.ts';
import { badTime, checkHistory, keepFault, readNetworkText, readRange } from '../http/steps/read.ts';
import { requireDataTier, requirePhone } from '../http/steps/require.ts';
import { addressArgument, IP_ARGUMENT } from './lookup-tool.ts';
import { defineTool, type McpTool, type ToolArguments } from './mcp-tool.ts';

export interface EvidenceToolsOptions {
  readonly explain: Pick<ExplainLookup, 'explain'>;
  readonly timeline: Pick<TimelineLookup, 'changes'>;
  readonly phone: PhoneData | undefined;
}

export interface AccountToolsOptions extends EvidenceToolsOptions {
  readonly me: MeOptions;
}

/** Tools of the account endpoints beside the lookups: each is read-only and charged as its REST counterpart. */
export const accountTools = (options: AccountToolsOptions): readonly McpTool[] => [
  ...evidenceTools(options),
  quotaTool(options.me),
];

export const evidenceTools = ({ explain, timeline, phone }: EvidenceToolsOptions): readonly McpTool[] => [
  explainTool(explain),
  historyTool(timeline),
  NETWORK_TOOL,
  phoneTool(phone),
];

const AT_ARGUMENT = { type: 'string', description: 'A past moment, RFC 3339, IPv4 only: 2026-11-20T08:00:00Z.' };

const explainTool = (explain: AccountToolsOptions['explain']): McpTool => ({
  definition: defineTool(
    'ip_risk_explain',
    'Why an IP address has its score',
    'Explains the risk score of one public IP address, now or at a past moment: each row of evidence with its age, weight and what is left of it, when the level will fall if nothing new is seen, and why the address is shared. Needs the professional tier. ' +
      'The document is that of GET /pulse/v1/ip/{ip}/explain; the last text says the order: allow, challenge or deny.',
    { ip: IP_ARGUMENT, at: AT_ARGUMENT },
    ['ip'],
  ),
  read: readMomentOf,
  charge: chargeMoment,
  answer: async (exchange) => {
    const query = queryOf(exchange);
    const { document, degraded } = await explain.explain(query);
    const { usageType: usage_type } = query.view.network(query.address);
    const { sentence: order } = sayOrder({ ...document, risk: document, network: { usage_type } }, document, wordsEn);
    return { text: JSON.stringify(document), degraded, order };
  },
});

const historyTool = (timeline: AccountToolsOptions['timeline']): McpTool => ({
  definition: defineTool(
    'ip_risk_history',
    'Past of an IP address',
    'Gives the past of one public IPv4 address. With at: the verdict exactly as it stood at that moment, with evidence rows and sharing tier; for an incident, ask for the moment of the log line. ' +
      'Without at: every change of the verdict between from and to, by default the whole record. Needs the professional tier; at_out_of_window names the earliest moment in window_from.',
    {
      ip: { type: 'string', description: 'One public IPv4 address; also as texts have it: 8.8.8[.]8.' },
      at: AT_ARGUMENT,
      from: { type: 'string', description: 'Begin of the changes, RFC 3339.' },
      to: { type: 'string', description: 'End of the changes; default now.' },
    },
    ['ip'],
  ),
  misuse: (given) =>
    given['at'] !== undefined && (given['from'] ?? given['to']) !== undefined
      ? said('Give at, or from and to.')
      : undefined,
  read: (exchange, given) => {
    if (given['at'] !== undefined) return readMomentOf(exchange, given);
    const fault = addressArgument(exchange, given);
    if (fault !== undefined) return fault;
    keepFault(exchange, () => {
      exchange.moment = rangeOf(exchange, given).from ?? exchange.at;
    });
    return exchange.fault;
  },
  charge: chargeMoment,
  answer: async (exchange, { pulse }, given) => {
    if (given['at'] === undefined) {
      const document = await timeline.changes({ ...queryOf(exchange), ...rangeOf(exchange, given) });
      return { text: JSON.stringify(document), degraded: false };
    }
    const found = await pulse.lookup(queryOf(exchange));
    if (found === undefined) throw new Problem('not_found', { message: 'There is no record for this address.' });
    return { text: found.json, degraded: found.degraded };
  },
});

const rangeOf = ({ at }: Exchange, given: ToolArguments) =>
  readRange((name) => (given[name] === undefined ? [] : [String(given[name])]), at, SUCH_AS);

const SUCH_AS = ', such as 2026-11-20T08:00:00Z';

const NETWORK_TOOL: McpTool = {
  definition: defineTool(
    'network_risk',
    'Risk of a network',
    'Sums up the evidence held inside a prefix (/8 to /32, IPv6 /16 to /64) or an AS: addresses with evidence by level, type and state, and the riskiest. Use it to judge a block or provider instead of many single lookups; costs one. Needs the professional tier.',
    { network: { type: 'string', description: 'A prefix such as 203.0.114.0/24, or AS60729.' } },
    ['network'],
  ),
  read: (exchange, given) => {
    readNetworkText(exchange, String(given['network'] ?? '').trim());
    return exchange.fault;
  },
  charge: (exchange, services) => {
    requireDataTier(exchange, false);
    return chargeAllowance(exchange, services);
  },
  answer: async ({ view, network, at }) => {
    const document = await describeNetwork({ view: view!, network: network!, now: at });
    return { text: JSON.stringify(document), degraded: view!.degraded };
  },
};

const phoneTool = (phone: PhoneData | undefined): McpTool => ({
  definition: defineTool(
    'phone_risk_lookup',
    'Phone number risk',
    'Reports whether a phone number is on record as SIM-farm, account-farming or recycled number. hit false means not in the database, not safe; evidence_state stale means it may be back with a legitimate user. For enterprise accounts with the phone capability; each parseable number counts against its own allowance.',
    { number: { type: 'string', description: 'One number, international (+86 138…) or as people write it.' } },
    ['number'],
  ),
  read: (exchange, given) => {
    if (given['number'] === undefined)
      return new Problem('bad_request', { message: 'The argument number is missing.' });
    exchange.body = given;
    readPhoneNumber(exchange);
    return exchange.fault;
  },
  charge: (exchange, services) => {
    if (phone === undefined) throw new Problem('phone_disabled');
    requirePhone(exchange);
    return chargeNumbers(exchange, services);
  },
  answer: async ({ numbers, at, requestId }) => ({
    text: await lookupPhone(phone!, numbers![0]!, { now: at, requestId }),
    degraded: false,
  }),
});

const quotaTool = (me: MeOptions): McpTool => ({
  definition: defineTool(
    'my_quota',
    'Allowance of this account',
    'Reports plan, allowance per minute and day, use and rest of today, and the time of the reset (resets_at) of the signed-in account. Costs nothing of the day. Use it before a large job.',
    {},
    [],
  ),
  read: () => undefined,
  charge: (exchange, services) => {
    const { minute } = lookupAllowances(exchange.caller!, services.limits);
    return charge(exchange, services, { units: 1, minute, day: [] });
  },
  answer: async (exchange, services) => ({
    text: JSON.stringify(withTimes(await describeCaller(exchange, services, me))),
    degraded: false,
  }),
});

const withTimes = (me: Awaited<ReturnType<typeof describeCaller>>): object => ({
  ...me,
  ...(me.reset_unix !== undefined && { resets_at: isoTime(unixMs(me.reset_unix * 1000)) }),
});

function readMomentOf(exchange: Exchange, given: ToolArguments): Problem | undefined {
  const fault = addressArgument(exchange, given);
  if (fault !== undefined || given['at'] === undefined) return fault;
  const moment = parseRfc3339(String(given['at']));
  if (moment === undefined || moment > exchange.at) return badTime('at', SUCH_AS);
  exchange.moment = moment;
  return undefined;
}

async function chargeMoment(exchange: Exchange, services: LookupServices, { at }: ToolArguments): Promise<void> {
  requireDataTier(exchange, at !== undefined);
  await checkHistory(exchange, services);
  await chargeAllowance(exchange, services);
}

/** The account endpoints only let keys and signed-in accounts in. */
function queryOf({ view, address, caller, at, moment }: Exchange) {
  if (caller?.kind !== 'key' && caller?.kind !== 'user') throw new Problem('key_required');
  return { view: view!, address: address!, account: caller.account, now: at, moment };
}
