import type { PhoneHit, PhoneMiss, PhoneUnparseable } from '../../contract/documents.ts';
import { csvLine } from '../csv/csv-cell.ts';
import { codeSlug } from './dictionary.ts';
import type { CardFacts } from './entry.ts';
import type { PhoneList, PhoneRecord } from './phone-list.ts';

export type PhoneItem =
  | Pick<PhoneHit, Common | 'activity' | 'carrier'>
  | Pick<PhoneMiss, Common | 'miss_reason'>
  | PhoneUnparseable;
type Common = 'query' | 'hit' | 'evidence_state' | 'risk';

const PHONE_COLUMNS = [
  'e164',
  'country',
  'valid_length',
  'hit',
  'evidence_state',
  'score',
  'level',
  'tags',
  'last_active',
  'province',
  'city_code',
  'carrier',
  'attribute',
  'card_type',
  'problem',
].map((name) => `pulse_phone_${name}`);

export interface PhoneFound {
  readonly item: PhoneItem;
  readonly planned: CardFacts | undefined;
}

export function phoneCsvHead({ format, header }: Pick<PhoneList, 'format' | 'header'>): string {
  const columns = format === 'lines' ? [LINE] : header;
  return columns === undefined ? '' : csvLine([...columns, ...PHONE_COLUMNS]);
}

const LINE = 'line';

export const phoneCsvRows = ({ cells }: Pick<PhoneRecord, 'cells'>, found: readonly PhoneFound[]): string =>
  found.length === 0
    ? csvLine([...cells, ...PHONE_COLUMNS.map(() => '')])
    : found.map(({ item, planned }) => csvLine([...cells, ...phoneCells(item, planned)])).join('');

/** A hit has its card; a number in no library has the facts of the public numbering plan. */
export function cardOf(item: PhoneItem, planned: CardFacts | undefined): CardCodes {
  if (item.hit) {
    const { province, city_code: cityCode, carrier, attribute, card_type: cardType } = item.carrier ?? {};
    return { province, cityCode, carrier, attribute: attribute?.slug, cardType: cardType?.slug };
  }
  const { province, cityCode, carrier, attribute } = planned ?? {};
  return {
    province,
    cityCode,
    carrier,
    attribute: attribute === undefined ? undefined : codeSlug(attribute).slug,
    cardType: undefined,
  };
}

export interface CardCodes {
  readonly province: string | undefined;
  readonly cityCode: string | undefined;
  readonly carrier: string | undefined;
  readonly attribute: string | undefined;
  readonly cardType: string | undefined;
}

function phoneCells(item: PhoneItem, planned: CardFacts | undefined): readonly string[] {
  if ('error' in item) return [...Array(PHONE_COLUMNS.length - 1).fill(''), item.error.code];
  const { query, risk } = item;
  const card = cardOf(item, planned);
  return [
    query.e164,
    query.country.iso2 ?? '',
    String(query.valid_length ?? ''),
    String(item.hit),
    item.evidence_state,
    String(risk.score ?? ''),
    risk.level,
    risk.tags.map((tag) => tag.slug).join(' '),
    item.hit ? item.activity.last_active : '',
    card.province ?? '',
    card.cityCode ?? '',
    card.carrier ?? '',
    card.attribute ?? '',
    card.cardType ?? '',
    item.hit ? '' : item.miss_reason,
  ];
}
