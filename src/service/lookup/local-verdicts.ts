import type { VerdictsAtHand } from '../../core/enrich/verdict-suffixes.ts';
import type { FieldPath } from '../../core/fields/field-path.ts';
import { fieldValue } from '../../core/fields/field-value.ts';
import type { Address } from '../../core/ip/address.ts';
import { formatAddress } from '../../core/ip/format-address.ts';
import { isReserved } from '../../core/ip/special-purpose.ts';
import type { UnixMs } from '../../core/units.ts';
import type { GeoImage } from '../../engine/geo/geo-image.ts';
import type { LookupView } from '../ports.ts';
import { lookupIp } from './lookup-ip.ts';
import type { PulseLookup, PulseText } from './lookup-pulse.ts';
import { withAsName } from './with-as-name.ts';

export interface LocalVerdictsOptions {
  readonly view: LookupView;
  /** The places and networks of the view. */
  readonly geo: Pick<GeoImage, 'placeId' | 'placeJson' | 'networkId' | 'places' | 'asName'>;
  /** Fields that are wanted of the documents. */
  readonly fields: readonly FieldPath[];
  readonly at: UnixMs;
  /** Gives the professional document; undefined: the free one is enough. */
  readonly pulse: PulseLookup | undefined;
}

/** Whose documents those of the command line are: the operator at the machine sees everything. */
export const LOCAL_ACCOUNT = { id: 'local', dpa: true } as const;

/** The class of all addresses that are reserved, in both words. */
const RESERVED = 0xffff_ffff;

/** Verdicts at one moment from data in this process: documents of the single look-up. */
export class LocalVerdicts implements VerdictsAtHand {
  readonly classWords = new Uint32Array(2);
  readonly #options: LocalVerdictsOptions;
  readonly #placeFields: readonly FieldPath[];
  /** Place record → its class; 0: not asked for yet, or record 0, where nothing is known. */
  readonly #placeClasses: Uint32Array;
  readonly #classesByText = new Map<string, number>();

  constructor(options: LocalVerdictsOptions) {
    this.#options = options;
    this.#placeFields = options.fields.filter((field) => field.startsWith('geo.'));
    this.#placeClasses = new Uint32Array(options.geo.places.count);
  }

  documentOf(address: Address): object {
    const ip = formatAddress(address);
    if (isReserved(address)) return { ip, error: { code: 'reserved_ip' } };
    const text = this.#textOf(address);
    if (text === undefined) return { ip, error: { code: 'not_found' } };
    const { fields, geo } = this.#options;
    const document = JSON.parse(text) as object;
    return fields.includes('network.as_name') ? withAsName(document, geo) : document;
  }

  /** Without evidence, place, network and family are all that a verdict depends on. */
  isInClass(address: Address): boolean {
    const { view, geo } = this.#options;
    const words = this.classWords;
    if (isReserved(address)) {
      words[0] = words[1] = RESERVED;
      return true;
    }
    if (view.observations(address).length > 0) return false;
    words[0] = this.#placeClass(geo.placeId(address));
    words[1] = 2 * geo.networkId(address) + (address.family === 4 ? 0 : 1);
    return true;
  }

  /** Places that are the same in the fields that are wanted are one class. */
  #placeClass(id: number): number {
    const known = this.#placeClasses[id]!;
    if (known !== 0 || id === 0) return known;
    const document = { geo: JSON.parse(this.#options.geo.placeJson(id)) as object };
    const text = JSON.stringify(this.#placeFields.map((field) => fieldValue(document, field) ?? null));
    const number = this.#classesByText.get(text) ?? this.#classesByText.size + 1;
    this.#classesByText.set(text, number);
    this.#placeClasses[id] = number;
    return number;
  }

  #textOf(address: Address): string | undefined {
    const { view, at, pulse } = this.#options;
    if (pulse === undefined) return lookupIp(view, address, at);
    // Without a moment of the past the answer is there at once.
    return (
      pulse.lookup({ view, address, account: LOCAL_ACCOUNT, now: at, moment: undefined }) as PulseText | undefined
    )?.json;
  }
}
