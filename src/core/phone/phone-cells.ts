import type { PhoneProfile, PhoneUnparseable } from '../../contract/documents.ts';
import { codeSlug } from './dictionary.ts';
import type { CardFacts } from './entry.ts';

/** One answer of a batch. */
export type PhoneItem = PhoneProfile | PhoneUnparseable;

/** Columns that are put behind those of a list. */
export const PHONE_COLUMNS = [
  'e164', 'country', 'valid_length', 'hit', 'evidence_state', 'score', 'level', 'tags', 'last_active', 'province', 'city_code', 'carrier', 'attribute', 'card_type', 'problem',
].map((name) => `pulse_phone_${name}`); // biome-ignore format: a list of names

/** Facts of the card: those of the answer; of a number in no library, those of the public numbering plan. */
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

/** Cells of an answer, in the order of the columns; '' for what is not known. */
export function phoneCells(item: PhoneItem, planned: CardFacts | undefined): readonly string[] {
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
