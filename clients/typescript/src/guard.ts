import { AllowList } from './allow-list.ts';
import { type Decision, decide, type Policy } from './decide.ts';
import type { IPRisk, PulseIPRisk } from './openapi.generated.ts';
import type { Pulse } from './pulse.ts';
import { PulseError } from './pulse-error.ts';

export interface GuardOptions {
  readonly pulse: Pick<Pulse, 'ip' | 'pulseIp'>;
  /**
   * Decision without a verdict, when something is broken or late: `open` lets the request through, `closed`
   * refuses it. There is no default.
   */
  readonly failure: 'open' | 'closed';
  /** The same for the day of the account or key being used up, which lasts until its reset. Default: as `failure`. */
  readonly dayUsedUp?: 'open' | 'closed';
  readonly policy?: Policy;
  /** `observe` decides and reports to `onOutcome`, and lets every request through. Default `enforce`. */
  readonly mode?: 'enforce' | 'observe';
  /** Clients that are never asked about: addresses and prefixes, and accounts of your own. */
  readonly allow?: { readonly prefixes?: readonly string[]; readonly accounts?: readonly string[] };
  /** Ask for the professional document: it tells Tor exits and relays. Default false. */
  readonly professional?: boolean;
  /** Milliseconds a request waits for its verdict. Default 300. */
  readonly timeoutMs?: number;
  /** Called with every outcome, for a log or a counter. */
  readonly onOutcome?: (outcome: Outcome) => void;
}

/**
 * Outcome of one request. Requests with `allow`, `unknown` and `challenge` go on: a challenge is the
 * application's to make.
 */
export interface Outcome extends Decision {
  /** The client address as it was asked for. */
  readonly ip: string | undefined;
  /** True in mode `observe`: the request goes on whatever the action is. */
  readonly observed?: true;
  readonly verdict?: IPRisk | PulseIPRisk;
  /**
   * Why there is no verdict: something is broken or late, the day of the account is used up, or too many
   * addresses of the client's /64 came within a second.
   */
  readonly without?: 'fault' | 'day' | 'flood';
  /** The error behind `fault` and `day`. */
  readonly error?: unknown;
}

/** Answer to a request that does not go on. */
export interface Refusal {
  readonly status: 403 | 429 | 503;
  readonly body: string;
}

const TIMEOUT_MS = 300;

/** Options, once they were looked at. @throws TypeError where one that is needed is missing */
export function checkedOptions<Options extends GuardOptions & { readonly clientAddress: unknown }>(
  options: Options,
): Options {
  for (const name of ['failure', 'dayUsedUp'] as const) {
    const choice = options[name] ?? (name === 'dayUsedUp' ? options.failure : undefined);
    if (choice !== 'open' && choice !== 'closed') throw new TypeError(`${name} must be 'open' or 'closed'.`);
  }
  if (typeof options.clientAddress !== 'function')
    throw new TypeError('clientAddress must be a function that returns the address of the client.');
  if (options.mode !== undefined && options.mode !== 'enforce' && options.mode !== 'observe')
    throw new TypeError("mode must be 'enforce' or 'observe'.");
  allowListOf(options);
  decide({ risk: { score: 0, level: 'none' }, evidence_state: 'none' }, options.policy);
  return options;
}

/**
 * Decision about a request from an address. Never throws for a fault of the service: `failure` decides.
 * @param account your own name of the client's account, for `allow.accounts`
 */
export async function judge(options: GuardOptions, client: string | undefined, account?: string): Promise<Outcome> {
  const ip = client === undefined ? undefined : bareAddress(client);
  const reason = allowListOf(options).reasonFor(ip, account);
  const found: Outcome = reason === undefined ? await outcomeOfAddress(options, ip) : { action: 'allow', reason, ip };
  const outcome: Outcome = options.mode === 'observe' ? { ...found, observed: true } : found;
  options.onOutcome?.(outcome);
  return outcome;
}

/** Takes off what proxies write around an address, as the service does: blanks, brackets, a port and a zone. */
const bareAddress = (text: string): string =>
  text
    .trim()
    .replace(/^\[([^\]]+)\](?::\d{1,5})?$/, '$1')
    .replace(/^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/, '$1')
    .replace(/(?<=:[^%]*)%[\w.~-]+$/, '');

const allowLists = new WeakMap<GuardOptions, AllowList>();

/** @throws TypeError for a text that is neither an address nor a prefix */
function allowListOf(options: GuardOptions): AllowList {
  let list = allowLists.get(options);
  if (list === undefined) {
    list = new AllowList(options.allow);
    allowLists.set(options, list);
  }
  return list;
}

async function outcomeOfAddress(options: GuardOptions, ip: string | undefined): Promise<Outcome> {
  if (ip === undefined || ip === '') return failed(options, ip, new TypeError('clientAddress gave no address.'));
  try {
    const verdict = await questionOf(options, ip);
    if (verdict === undefined)
      return { action: 'deny', reason: 'too many addresses of one /64 in a second', ip, without: 'flood' };
    return { ...decide(verdict, options.policy), ip, verdict };
  } catch (error) {
    if (error instanceof PulseError && (error.code === 'reserved_ip' || error.code === 'not_found'))
      return { action: 'unknown', reason: `no verdict for this address: ${error.code}`, ip };
    return failed(options, ip, error);
  }
}

/** Questions of one guard in one second of the clock, by address, and how many of them each client of IPv6 had. */
interface Second {
  readonly number: number;
  readonly questions: Map<string, Promise<IPRisk | PulseIPRisk>>;
  readonly ofClient: Map<string, number>;
}
const seconds = new WeakMap<GuardOptions, Second>();

/** Addresses of one /64 that are asked about in a second. */
const CLIENT_MAX = 10;

/**
 * The one question about an address in a second, which all its requests of that second share; undefined where
 * its /64 has had its share. So a client that sends a thousand requests a second costs one lookup a second,
 * and one that changes its address within its network ten.
 */
function questionOf(options: GuardOptions, ip: string): Promise<IPRisk | PulseIPRisk> | undefined {
  const number = Math.floor(Date.now() / 1000);
  let second = seconds.get(options);
  if (second?.number !== number) {
    second = { number, questions: new Map(), ofClient: new Map() };
    seconds.set(options, second);
  }
  const known = second.questions.get(ip);
  if (known !== undefined) return known;
  const client = slash64(ip);
  const asked = second.ofClient.get(client) ?? 0;
  if (asked >= CLIENT_MAX) return undefined;
  second.ofClient.set(client, asked + 1);
  const { pulse, timeoutMs = TIMEOUT_MS } = options;
  const question = options.professional === true ? pulse.pulseIp(ip, { timeoutMs }) : pulse.ip(ip, { timeoutMs });
  second.questions.set(ip, question);
  return question;
}

/** The first four groups of an IPv6 address; any other text as it is, an IPv4 address in IPv6 form too. */
function slash64(ip: string): string {
  if (!ip.includes(':') || ip.includes('.')) return ip;
  const [left, right] = ip.split('::', 2).map((half) => (half === '' ? [] : half.split(':')));
  const zeros = right === undefined ? 0 : Math.max(0, 8 - left!.length - right.length);
  return [...left!, ...Array<string>(zeros).fill('0'), ...(right ?? [])].slice(0, 4).join(':');
}

const USED_UP: ReadonlySet<string> = new Set([
  'quota_exceeded',
  'quota_exceeded_anon',
  'key_quota_exceeded',
  'quota_exceeded_ai_agent',
]);

function failed({ failure, dayUsedUp = failure }: GuardOptions, ip: string | undefined, error: unknown): Outcome {
  const code = error instanceof PulseError ? error.code : String(error);
  const without = USED_UP.has(code) ? 'day' : 'fault';
  return {
    action: (without === 'day' ? dayUsedUp : failure) === 'open' ? 'unknown' : 'deny',
    reason: `no verdict: ${code}`,
    ip,
    without,
    error,
  };
}

/** How a request is refused; undefined: it goes on. Without a verdict, the answer says that another attempt may succeed. */
export function refusalOf({ action, without, observed }: Outcome): Refusal | undefined {
  if (action !== 'deny' || observed === true) return undefined;
  if (without === 'flood') return { status: 429, body: '{"error":"too_many_requests"}' };
  return without === undefined
    ? { status: 403, body: '{"error":"forbidden"}' }
    : { status: 503, body: '{"error":"unavailable"}' };
}

const outcomes = new WeakMap<object, Outcome>();

/** Keeps an outcome with the request it belongs to. */
export const keepOutcome = (request: object, outcome: Outcome): void => void outcomes.set(request, outcome);

/** The outcome of a request that went through the middleware; undefined for any other. */
export const outcomeOf = (request: object): Outcome | undefined => outcomes.get(request);
