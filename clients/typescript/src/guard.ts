import { type Decision, decide, type Policy } from './decide.ts';
import type { IPRisk, PulseIPRisk } from './openapi.generated.ts';
import type { Pulse } from './pulse.ts';
import { PulseError } from './pulse-error.ts';

export interface GuardOptions {
  readonly pulse: Pick<Pulse, 'ip' | 'pulseIp'>;
  /** What to do without a verdict, when something is broken or late: `open` lets the request through, `closed` refuses it. There is no default. */
  readonly failure: 'open' | 'closed';
  readonly policy?: Policy;
  /** Ask for the professional document: it names Tor exits and relays, which `spareShared` then spares too. Default false. */
  readonly professional?: boolean;
  /** Milliseconds a request waits for its verdict. Default 300. */
  readonly timeoutMs?: number;
  /** Called with every outcome, for a log or a counter. */
  readonly onOutcome?: (outcome: Outcome) => void;
}

/** What became of one request. Requests with `allow`, `unknown` and `challenge` go on: a challenge is the application's to make. */
export interface Outcome extends Decision {
  /** The client address as it was asked for. */
  readonly ip: string | undefined;
  readonly verdict?: IPRisk | PulseIPRisk;
  /** Why the verdict that was asked for did not come. */
  readonly error?: unknown;
}

/** Answer to a request that does not go on. */
export interface Refusal {
  readonly status: 403 | 503;
  readonly body: string;
}

const TIMEOUT_MS = 300;

/** Options, once they were looked at. @throws TypeError where one that is needed is missing */
export function checkedOptions<Options extends GuardOptions & { readonly clientAddress: unknown }>(options: Options): Options {
  if (options.failure !== 'open' && options.failure !== 'closed') throw new TypeError("failure must be 'open' or 'closed'.");
  if (typeof options.clientAddress !== 'function') throw new TypeError('clientAddress must be a function that returns the address of the client.');
  decide({ risk: { score: 0, level: 'none' }, evidence_state: 'none' }, options.policy);
  return options;
}

/** What to do about a request from an address. Never throws for a fault of the service: `failure` decides. */
export async function judge(options: GuardOptions, ip: string | undefined): Promise<Outcome> {
  const outcome = await outcomeOfAddress(options, ip);
  options.onOutcome?.(outcome);
  return outcome;
}

async function outcomeOfAddress(options: GuardOptions, ip: string | undefined): Promise<Outcome> {
  if (ip === undefined || ip === '') return failed(options, ip, new TypeError('clientAddress gave no address.'));
  try {
    const { pulse, timeoutMs = TIMEOUT_MS } = options;
    const verdict = options.professional === true ? await pulse.pulseIp(ip, { timeoutMs }) : await pulse.ip(ip, { timeoutMs });
    return { ...decide(verdict, options.policy), ip, verdict };
  } catch (error) {
    if (error instanceof PulseError && (error.code === 'reserved_ip' || error.code === 'not_found'))
      return { action: 'unknown', reason: `no verdict for this address: ${error.code}`, ip };
    return failed(options, ip, error);
  }
}

function failed({ failure }: GuardOptions, ip: string | undefined, error: unknown): Outcome {
  const code = error instanceof PulseError ? error.code : String(error);
  return { action: failure === 'open' ? 'unknown' : 'deny', reason: `no verdict: ${code}`, ip, error };
}

/** How a request is refused; undefined: it goes on. Where a fault is the reason, the answer says that another attempt may succeed. */
export function refusalOf({ action, error }: Outcome): Refusal | undefined {
  if (action !== 'deny') return undefined;
  return error === undefined ? { status: 403, body: '{"error":"forbidden"}' } : { status: 503, body: '{"error":"unavailable"}' };
}

const outcomes = new WeakMap<object, Outcome>();

/** Keeps an outcome with the request it belongs to. */
export const keepOutcome = (request: object, outcome: Outcome): void => void outcomes.set(request, outcome);

/** The outcome of a request that went through the middleware; undefined for any other. */
export const outcomeOf = (request: object): Outcome | undefined => outcomes.get(request);
