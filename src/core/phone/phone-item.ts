import type { PhoneHit, PhoneMiss, PhoneUnparseable } from '../../contract/documents.ts';
import { csvLine } from '../csv/csv-cell.ts';
import { codeSlug } from './dictionary.ts';
import type { CardFacts } from './entry.ts';
import type { PhoneList, PhoneRecord } from './phone-list.ts';

/** One answer of a batch, as far as it is shown. */
export type PhoneItem =
  | Pick<PhoneHit, Common | 'activity' | 'carrier'>
  | Pick<PhoneMiss, Common | 'miss_reason'>
  | PhoneUnparseable;
type Common = 'query' | 'hit' | 'evidence_state' | 'risk';

/** Columns that are put behind those of a list. */
const PHONE_COLUMNS = [
  'e164', 'country', 'valid_length', 'hit', 'evidence_state', 'score', 'level', 'tags', 'last_active', 'province', 'city_code', 'carrier', 'attribute', 'card_type', 'problem',
].map((name) => `pulse_phone_${name}`); // biome-ignore format: a list of names

/** An answer, and the facts of the public numbering plan about its number. */
export interface PhoneFound {
  readonly item: PhoneItem;
  readonly planned: CardFacts | undefined;
}

/** Header of a list with our columns behind its own; '' where its columns have no names. */
export function phoneCsvHead({ format, header }: Pick<PhoneList, 'format' | 'header'>): string {
  const columns = format === 'lines' ? [LINE] : header;
  return columns === undefined ? '' : csvLine([...columns, ...PHONE_COLUMNS]);
}

/** Name of a record that has no cells. */
const LINE = 'line';

/** A record with its answers: a row for each; one with empty cells where no answer came. */
export const phoneCsvRows = ({ cells }: Pick<PhoneRecord, 'cells'>, found: readonly PhoneFound[]): string =>
  found.length === 0
    ? csvLine([...cells, ...PHONE_COLUMNS.map(() => '')])
    : found.map(({ item, planned }) => csvLine([...cells, ...phoneCells(item, planned)])).join('');

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
