import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../core/caller/caller.ts';
import type { Beacon } from '../../core/collection/beacon.ts';
import type { Address } from '../../core/ip/address.ts';
import type { NetworkName } from '../../core/ip/network-name.ts';
import { PrefixPeriods } from '../../core/ip/prefix-periods.ts';
import type { CostClass, LimitCounter } from '../../core/limits/limits.ts';
import type { Receipt, WindowState } from '../../core/quota/quota.ts';
import { type Protection, withOverrides } from '../../core/risk/known-good.ts';
import type { UnixMs } from '../../core/units.ts';
import type { IpBatch } from '../../service/lookup/read-ip-batch.ts';
import type { PhoneInput } from '../../service/phone/lookup-phone.ts';
import type { LookupView } from '../../service/ports.ts';
import type { Problem } from '../../service/problem.ts';
import type { Session } from '../../service/sign-in/session.ts';

/** The request headers that steps read. Lines of one name are joined with a comma, as HTTP has it. */
interface RequestHeaders {
  apiKey: string | undefined;
  authorization: string | undefined;
  forwardedFor: string | undefined;
  userAgent: string | undefined;
  cookie: string | undefined;
  host: string | undefined;
}

/** Reads the raw list in one pass. Names are compared by length first, so most lines cost one comparison. */
function readHeaders(raw: readonly string[]): RequestHeaders {
  const headers: RequestHeaders = {
    apiKey: undefined,
    authorization: undefined,
    forwardedFor: undefined,
    userAgent: undefined,
    cookie: undefined,
    host: undefined,
  };
  let hosts = 0;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!;
    switch (name.length) {
      case 4:
        if (is(name, 'host')) headers.host = hosts++ === 0 ? raw[i + 1] : undefined;
        break;
      case 6:
        if (is(name, 'cookie')) headers.cookie = join(headers.cookie, raw[i + 1]!, '; ');
        break;
      case 9:
        if (is(name, 'x-api-key')) headers.apiKey = join(headers.apiKey, raw[i + 1]!, ',');
        break;
      case 10:
        if (is(name, 'user-agent')) headers.userAgent = raw[i + 1];
        break;
      case 13:
        if (is(name, 'authorization')) headers.authorization = join(headers.authorization, raw[i + 1]!, ',');
        break;
      case 15:
        if (is(name, 'x-forwarded-for')) headers.forwardedFor = join(headers.forwardedFor, raw[i + 1]!, ',');
        break;
    }
  }
  return headers;
}

const is = (name: string, lower: string): boolean => name === lower || name.toLowerCase() === lower;
const join = (known: string | undefined, value: string, by: string): string =>
  known === undefined || known === value ? value : `${known}${by}${value}`;

const UNPROTECTED: Protection = { knownGood: () => undefined, isOwn: () => false };

/**
 * One request on its way through the steps. Both lanes use it; every field is set from the start so that all
 * have one shape.
 */
export class Exchange {
  readonly request: IncomingMessage;
  readonly headers: RequestHeaders;
  /** The clock is read once: the verdict, the charge and every expiry are judged at this instant. */
  readonly at: UnixMs;
  readonly requestId: string;
  readonly query: string;
  readonly segment: string;
  readonly #view: LookupView | undefined;
  caller: Caller | undefined = undefined;
  /** The real client address; the caller's `client` is the text it is counted under. */
  client: Address | undefined = undefined;
  isClientNamed = false;
  address: Address | undefined = undefined;
  network: NetworkName | undefined = undefined;
  moment: UnixMs | undefined = undefined;
  /**
   * A fault of the input is reported after the minute was counted, and then no day is charged (decisions
   * 4.9).
   */
  fault: Problem | undefined = undefined;
  /** Set where a tool's result reports a bad credential instead of a 401 (MCP). */
  credentialFault: Problem | undefined = undefined;
  session: Session | undefined = undefined;
  beacon: Beacon | undefined = undefined;
  /** Questions to stores might still have taken this long when the body began to be read. */
  leftMs = 0;
  body: unknown = undefined;
  addresses: IpBatch | undefined = undefined;
  numbers: readonly PhoneInput[] | undefined = undefined;
  quotaUnits = 0;
  minute: WindowState | undefined = undefined;
  day: WindowState | undefined = undefined;
  cost: CostClass | undefined = undefined;
  counted: readonly LimitCounter[] = [];
  receipt: Receipt | undefined = undefined;

  constructor(
    request: IncomingMessage,
    at: UnixMs,
    requestId: string,
    path: { readonly query: string; readonly segment: string },
    view: LookupView | undefined,
  ) {
    this.request = request;
    this.headers = readHeaders(request.rawHeaders);
    this.at = at;
    this.requestId = requestId;
    this.query = path.query;
    this.segment = path.segment;
    this.#view = view;
  }

  /**
   * Gives one generation of data for the whole request, with the allow list of the caller's account;
   * undefined while data is loading.
   */
  get view(): LookupView | undefined {
    const { caller } = this;
    const allowed = caller?.kind === 'key' || caller?.kind === 'user' ? caller.account.allowed : undefined;
    if (allowed === undefined || this.#view === undefined) return this.#view;
    return {
      ...this.#view,
      protection: withOverrides(this.#view.protection ?? UNPROTECTED, new PrefixPeriods(allowed)),
    };
  }
}
