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
import { type RequestHeaders, readHeaders } from './lane/request-headers.ts';

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
