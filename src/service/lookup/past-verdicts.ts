import type { ErrorCode } from '../../contract/errors.ts';
import type { AddressAt } from '../../core/enrich/gathered-suffixes.ts';
import type { Address } from '../../core/ip/address.ts';
import { formatAddress } from '../../core/ip/format-address.ts';
import { isReserved } from '../../core/ip/special-purpose.ts';
import type { UnixMs } from '../../core/units.ts';
import type { GeoImage } from '../../engine/geo/geo-image.ts';
import type { LookupView } from '../ports.ts';
import { Problem } from '../problem.ts';
import { withAsName } from './describe-network.ts';
import { LOCAL_ACCOUNT } from './local-verdicts.ts';
import type { PulseLookup, PulseQuery } from './lookup-pulse.ts';
import type { VerdictSource } from './verdict-source.ts';

const TOGETHER = 32;

export interface PastVerdictsOptions {
  readonly pulse: PulseLookup;
  readonly view: LookupView;
  readonly geo: Pick<GeoImage, 'asName'>;
  readonly now: UnixMs;
  readonly moment: UnixMs | undefined;
}

/** Verdicts as they stood at a moment, or each at its own, from the evidence store; one question for each address. */
export class PastVerdicts implements VerdictSource {
  readonly #options: PastVerdictsOptions;
  readonly #refusals: Partial<Record<Address['family'], Promise<ErrorCode | undefined>>> = {};

  constructor(options: PastVerdictsOptions) {
    this.#options = options;
  }

  /** @throws Problem at_out_of_window, history_not_enabled, history_unavailable */
  async verdictsOf(addresses: readonly AddressAt[]): Promise<readonly object[]> {
    const documents: object[] = [];
    for (let from = 0; from < addresses.length; from += TOGETHER)
      documents.push(
        ...(await Promise.all(addresses.slice(from, from + TOGETHER).map((address) => this.#documentOf(address)))),
      );
    return documents;
  }

  async #documentOf(address: AddressAt): Promise<object> {
    const { pulse, view, geo, now, moment = address.at } = this.#options;
    if (isReserved(address)) return refusal(address, 'reserved_ip');
    if (moment === undefined || moment > now) return refusal(address, 'invalid_time');
    const question = { view, address, account: LOCAL_ACCOUNT, now, moment };
    const refused = await this.#refusedFor(question);
    if (refused !== undefined) return refusal(address, refused);
    const text = await pulse.lookup(question);
    return text === undefined ? refusal(address, 'not_found') : withAsName(JSON.parse(text.json) as object, geo);
  }

  #refusedFor(query: PulseQuery & { readonly moment: UnixMs }): Promise<ErrorCode | undefined> {
    const { family } = query.address;
    if (this.#options.moment === undefined) return this.#ask(query, ['history_no_ipv6', 'at_out_of_window']);
    this.#refusals[family] ??= this.#ask(query, ['history_no_ipv6']);
    return this.#refusals[family];
  }

  #ask(query: PulseQuery & { readonly moment: UnixMs }, ofOne: readonly ErrorCode[]): Promise<ErrorCode | undefined> {
    return this.#options.pulse.checkMoment(query).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof Problem && ofOne.includes(error.code)) return error.code;
        throw error;
      },
    );
  }
}

const refusal = (address: Address, code: ErrorCode): object => ({ ip: formatAddress(address), error: { code } });
