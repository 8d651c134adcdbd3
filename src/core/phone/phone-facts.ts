import { fillWords } from '../texts/said.ts';
import type { CardFacts } from './entry.ts';
import { namesCountry } from './normalise.ts';
import { type CardCodes, cardOf, type PhoneItem } from './phone-item.ts';
import type { PhoneWords } from './phone-words.ts';

/** '' stands for an unknown value. */
export interface PhoneFacts {
  readonly number: string;
  readonly country: string;
  readonly found: string;
  readonly state: string;
  readonly risk: string;
  readonly level: 'high' | 'medium' | 'low' | 'none';
  readonly tags: string;
  readonly carrier: string;
  readonly lineType: string;
  readonly cardType: string;
  readonly firstSeen: string;
  readonly lastActive: string;
  readonly daysAgo: string;
}

export function phoneFacts(item: PhoneItem, planned: CardFacts | undefined, words: PhoneWords): PhoneFacts {
  if ('error' in item) return { ...NOTHING, number: item.query.input, found: words.miss.bad_number };
  const { query, risk } = item;
  const card = cardOf(item, planned);
  const nameOf = (code: string | undefined): string => (code === undefined ? '' : (words.names[code] ?? code));
  const level = words.levels[risk.level];
  return {
    number: query.e164,
    country: countryOf(query, words),
    found: item.hit ? words.yes : words.miss[item.miss_reason],
    state: words.states[item.evidence_state],
    risk: item.hit ? (risk.score === undefined ? level : fillWords(words.scored, { score: risk.score, level })) : '',
    level: risk.level,
    tags: risk.tags.map(({ slug }) => nameOf(slug)).join(words.comma),
    carrier: [nameOf(card.carrier), placeOf(card, words)].filter(Boolean).join(' · '),
    lineType: nameOf(card.attribute),
    cardType: nameOf(card.cardType),
    firstSeen: item.hit ? (item.activity.first_seen ?? '').slice(0, 10) : '',
    lastActive: item.hit ? item.activity.last_active.slice(0, 10) : '',
    daysAgo: item.hit
      ? fillWords(words.daysAgo, {
          date: item.activity.last_active.slice(0, 10),
          n: item.activity.last_active_days_ago,
        })
      : '',
  };
}

const NOTHING: PhoneFacts = {
  number: '',
  country: '',
  found: '',
  state: '',
  risk: '',
  level: 'none',
  tags: '',
  carrier: '',
  lineType: '',
  cardType: '',
  firstSeen: '',
  lastActive: '',
  daysAgo: '',
};

/** A municipality is its own city. */
function placeOf({ province, cityCode }: CardCodes, { names }: PhoneWords): string {
  const region = province === undefined ? '' : (names[province] ?? province);
  const city = cityCode === undefined ? undefined : names[cityCode];
  return city === undefined || city.startsWith(region) ? region : `${region} ${city}`.trim();
}

type Query = Exclude<PhoneItem, { error: unknown }>['query'];

function countryOf({ input, country_code: code, country: { iso2 } }: Query, words: PhoneWords): string {
  const name = iso2 === null ? '' : (new Intl.DisplayNames(words.tag, { type: 'region' }).of(iso2) ?? iso2);
  const country = name === '' ? `+${code}` : `${name} +${code}`;
  return namesCountry(input) ? country : fillWords(words.assumed, { country });
}

export const labelFacts = (facts: PhoneFacts, words: PhoneWords): readonly (readonly [string, string])[] =>
  (['country', 'found', 'state', 'risk', 'tags', 'carrier', 'lineType', 'cardType', 'firstSeen', 'lastActive'] as const)
    .map((name): readonly [string, string] => [words[name], facts[name === 'lastActive' ? 'daysAgo' : name]])
    .filter(([, value]) => value !== '');
