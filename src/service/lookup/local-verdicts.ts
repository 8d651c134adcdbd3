import type { IPRisk, PulseIPRisk } from '../../contract/documents.ts';
import type { VerdictsAtHand } from '../../core/enrich/verdict-suffixes.ts';
import type { FieldPath } from '../../core/fields/field-path.ts';
import { fieldValue } from '../../core/fields/field-value.ts';
import type { Address } from '../../core/ip/address.ts';
import { formatAddress } from '../../core/ip/format-address.ts';
import { isReserved } from '../../core/ip/special-purpose.ts';
import { verdictFacts } from '../../core/summary/verdict-facts.ts';
import type { UnixMs } from '../../core/units.ts';
import type { GeoImage } from '../../engine/geo/geo-image.ts';
import type { LookupView } from '../ports.ts';
import { type Judgement, withAsName } from './describe-network.ts';
import { lookupIp } from './lookup-ip.ts';
import type { PulseLookup, PulseText } from './lookup-pulse.ts';

interface LocalVerdictsOptions {
  readonly view: LookupView;
  readonly geo: Pick<GeoImage, 'placeId' | 'placeJson' | 'networkId' | 'places' | 'asName'>;
  readonly fields: readonly FieldPath[];
  readonly at: UnixMs;
  readonly pulse: PulseLookup | undefined;
}

export const LOCAL_ACCOUNT = { id: 'local', dpa: true } as const;

const RESERVED = 0xffff_ffff;

export class LocalVerdicts implements VerdictsAtHand {
  readonly classWords = new Uint32Array(2);
  readonly #options: LocalVerdictsOptions;
  readonly #placeFields: readonly FieldPath[];
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

  /** Without evidence a verdict depends on place, network and family alone. */
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
    return (
      pulse.lookup({ view, address, account: LOCAL_ACCOUNT, now: at, moment: undefined }) as PulseText | undefined
    )?.json;
  }
}

export const SUMMARY_FIELDS: readonly FieldPath[] = ['geo.country'];

export class LocalFacts {
  readonly #verdicts: Pick<LocalVerdicts, 'documentOf' | 'isInClass' | 'classWords'>;
  readonly #judgements = new Map<number, Judgement>();

  /** @param verdicts must have classes that share `SUMMARY_FIELDS` */
  constructor(verdicts: Pick<LocalVerdicts, 'documentOf' | 'isInClass' | 'classWords'>) {
    this.#verdicts = verdicts;
  }

  of(address: Address): Judgement {
    const { classWords } = this.#verdicts;
    if (!this.#verdicts.isInClass(address)) return judgementOf(this.#verdicts.documentOf(address));
    const key = classWords[0]! * 2 ** 32 + classWords[1]!;
    const known = this.#judgements.get(key);
    if (known !== undefined) return known;
    const judged = judgementOf(this.#verdicts.documentOf(address));
    this.#judgements.set(key, judged);
    return judged;
  }
}

export const judgementOf = (document: object): Judgement =>
  'error' in document ? 'not_found' : verdictFacts(document as IPRisk | PulseIPRisk);
