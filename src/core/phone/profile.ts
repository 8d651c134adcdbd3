import { PHONE_LEVELS, PHONE_STALE_AFTER_DAYS, type PhoneLevel, type PhoneMissReason } from '../../contract/phone.ts';
import { DAY_MS, type UnixMs } from '../units.ts';
import { codeSlug, LEVEL_RANGES, RISK_TAGS } from './dictionary.ts';
import type { CardFacts, PhoneEntry, PhoneFinding } from './entry.ts';
import type { PhoneNumber } from './normalise.ts';
import { MAINLAND } from './numbering-plan.ts';
import type { SegmentTable } from './segments.ts';

export const levelOf = ({ risk, tags }: Pick<PhoneEntry, 'risk' | 'tags'>): PhoneLevel =>
  risk === undefined ? levelOfTag(tags[0]) : levelOfScore(risk);

/** Returns the level shown of an expired hit, one lower: the number may have a new holder (decisions 6.4). */
const staleLevel = (level: PhoneLevel): PhoneLevel =>
  level === 'high' ? 'medium' : level === 'medium' ? 'low' : level;

/**
 * The entry with the greater weight leads (decisions 6.3). Any score outweighs an entry without one. Among
 * entries without a score, the level of the primary tag decides.
 */
export const entryWeight = ({ risk, tags }: Pick<PhoneEntry, 'risk' | 'tags'>): number =>
  risk ?? PHONE_LEVELS.indexOf(levelOfTag(tags[0])) - PHONE_LEVELS.length;

function levelOfScore(score: number): PhoneLevel {
  for (const { slug, min, max } of LEVEL_RANGES) if (score >= min && score <= max) return slug;
  return 'none';
}

const levelOfTag = (code: number | undefined): PhoneLevel =>
  (code === undefined ? undefined : tagLevels.get(code)) ?? 'low';

const tagLevels = new Map(RISK_TAGS.map(({ code, levelWithoutScore }) => [code, levelWithoutScore]));

export interface ProfileFrame {
  readonly segments: SegmentTable;
  readonly now: UnixMs;
  readonly meta: string;
}

/** Returns the profile as JSON text: building objects only to print them took three quarters of the time. */
export function profileText(
  input: string,
  number: PhoneNumber,
  findings: readonly PhoneFinding[],
  frame: ProfileFrame,
): string {
  const body = isHit(number, findings) ? hitText(number, leadingFirst(findings), frame) : missText(number);
  return `{"query":{"input":"${inString(input)}","e164":"+${number.digits}","national_number":"${number.national}"${planText(number)}}${body},"meta":${frame.meta}}`;
}

export const isHit = (number: PhoneNumber, findings: readonly PhoneFinding[]): boolean =>
  number.validLength !== false && findings.length > 0;

function inString(text: string): string {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < SPACE || unit > TILDE || unit === QUOTE || unit === BACKSLASH) return JSON.stringify(text).slice(1, -1);
  }
  return text;
}

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const TILDE = 0x7e;

function planText({ callingCode, iso2, validLength }: PhoneNumber): string {
  const index = callingCode * 3 + (validLength === null ? 2 : Number(validLength));
  let text = planTexts[index];
  if (text === undefined) {
    text = `,"country_code":${callingCode},"country":${JSON.stringify({ iso2 })},"valid_length":${validLength}`;
    planTexts[index] = text;
  }
  return text;
}

const planTexts = new Array<string | undefined>(3000).fill(undefined);

const missText = ({ validLength }: PhoneNumber): string => (validLength === false ? BAD_LENGTH : NOT_IN_RISK_DB);

const missOf = (reason: PhoneMissReason): string =>
  `,"hit":false,"evidence_state":"none","risk":{"score":0,"level":"none","tags":[]},"miss_reason":"${reason}"`;
const BAD_LENGTH = missOf('unqueryable_bad_length');
const NOT_IN_RISK_DB = missOf('not_in_risk_db');

type Findings = readonly [PhoneFinding, ...PhoneFinding[]];

const leadingFirst = (findings: readonly PhoneFinding[]): Findings =>
  (findings.length === 1 ? findings : [...findings].sort(byWeight)) as readonly PhoneFinding[] as Findings;

/** The higher risk leads, then the newer entry (decisions 6.3). */
const byWeight = (a: PhoneFinding, b: PhoneFinding): number =>
  entryWeight(b.entry) - entryWeight(a.entry) || b.entry.lastActive - a.entry.lastActive;

function hitText(number: PhoneNumber, findings: Findings, { segments, now }: ProfileFrame): string {
  const last = lastActiveOf(findings);
  const stale = isStale(last, now);
  const carrier = number.callingCode === MAINLAND ? carrierText(findings, segments.facts(number.national)) : '';
  return `,"hit":true,"evidence_state":"${stale ? 'stale' : 'active'}","risk":{${riskText(findings, stale)}},"activity":{${activityText(findings, last, now)}}${carrier},"sources":[${sourcesText(findings)}]`;
}

function riskText(findings: Findings, stale: boolean): string {
  const { entry } = findings[0];
  const { risk, tags } = entry;
  const level = stale ? staleLevel(levelOf(entry)) : levelOf(entry);
  const primary = tags[0];
  const leading = primary === undefined ? '' : `"primary_tag":${codeText(primary)},`;
  return `${numberText('score', risk)}"level":"${level}",${leading}"tags":[${codesText(unionOfTags(findings))}]`;
}

const numberText = (key: string, value: number | undefined): string =>
  value === undefined ? '' : `"${key}":${value},`;

/**
 * Distinct tags: the primary tag of the leading entry, then the others ascending. One entry's tags already
 * have this order.
 */
function unionOfTags(findings: Findings): readonly number[] {
  const { tags } = findings[0].entry;
  if (findings.length === 1) return tags;
  const primary = tags[0];
  const others = new Set(findings.flatMap(({ entry }) => entry.tags));
  if (primary === undefined) return [...others].sort((a, b) => a - b);
  others.delete(primary);
  return [primary, ...[...others].sort((a, b) => a - b)];
}

function codesText(codes: readonly number[]): string {
  let text = '';
  for (const code of codes) text += text === '' ? codeText(code) : `,${codeText(code)}`;
  return text;
}

function codeText(code: number): string {
  let text = codeTexts.get(code);
  if (text === undefined) {
    text = JSON.stringify(codeSlug(code));
    codeTexts.set(code, text);
  }
  return text;
}

/** Codes have at most five digits (service/phone/import-phones.ts), which bounds this map. */
const codeTexts = new Map<number, string>();

function lastActiveOf(findings: Findings): UnixMs {
  let last = findings[0].entry.lastActive;
  for (const { entry } of findings) if (entry.lastActive > last) last = entry.lastActive;
  return last;
}

/** A number is stale when more than ninety days have passed since its last capture, to the millisecond. */
const isStale = (lastActive: UnixMs, now: UnixMs): boolean => now - lastActive > PHONE_STALE_AFTER_DAYS * DAY_MS;

function activityText(findings: Findings, last: UnixMs, now: UnixMs): string {
  let first: UnixMs | undefined;
  let days: number | undefined;
  for (const { entry } of findings) {
    if (entry.firstSeen !== undefined && (first === undefined || entry.firstSeen < first)) first = entry.firstSeen;
    if (entry.observedDays !== undefined && (days === undefined || entry.observedDays > days))
      days = entry.observedDays;
  }
  const text = `${firstText(first)}"last_active":"${rfc3339(last)}","last_active_days_ago":${Math.max(0, Math.floor((now - last) / DAY_MS))}`;
  return days === undefined ? text : `${text},"observed_days":${days}`;
}

function sourcesText(findings: Findings): string {
  let text = '';
  for (const { library, entry } of findings) {
    const tag = entry.tags[0];
    const tagged = tag === undefined ? '' : `"tag":${codeText(tag)},`;
    const source = `{"library":"${library}",${numberText('risk', entry.risk)}${tagged}${firstText(entry.firstSeen)}"last_active":"${rfc3339(entry.lastActive)}"}`;
    text += text === '' ? source : `,${source}`;
  }
  return text;
}

const firstText = (first: UnixMs | undefined): string =>
  first === undefined ? '' : `"first_seen":"${rfc3339(first)}",`;

/**
 * Takes each fact from the leading record, else the other record, else the segment. City and province come
 * from the same one.
 */
function carrierText(findings: Findings, segment: CardFacts | undefined): string {
  let place: CardFacts | undefined;
  let carrier: string | undefined;
  let attribute: number | undefined;
  let cardType: number | undefined;
  for (let index = 0; index <= findings.length; index += 1) {
    const facts = index < findings.length ? findings[index]?.entry.card : segment;
    if (facts === undefined) continue;
    if (facts.province !== undefined) place ??= facts;
    carrier ??= facts.carrier;
    attribute ??= facts.attribute;
    cardType ??= facts.cardType;
  }
  let text = '';
  if (place?.province !== undefined) text += `"province":"${inString(place.province)}",`;
  if (place?.cityCode !== undefined) text += `"city_code":"${inString(place.cityCode)}",`;
  if (carrier !== undefined) text += `"carrier":"${inString(carrier)}",`;
  if (attribute !== undefined) text += `"attribute":${codeText(attribute)},`;
  if (cardType !== undefined) text += `"card_type":${codeText(cardType)},`;
  return text === '' ? '' : `,"carrier":{${text.slice(0, -1)}}`;
}

/**
 * Formats RFC 3339 in whole seconds, the precision of libraries. A batch writes four thousand times, so dates
 * are cached.
 */
function rfc3339(at: number): string {
  const second = Math.floor(at / 1000);
  const day = Math.floor(second / DAY_SECONDS);
  let date = dates.get(day);
  if (date === undefined) {
    date = new Date(day * DAY_MS).toISOString().slice(0, 11);
    dates.set(day, date);
  }
  const rest = second - day * DAY_SECONDS;
  const minute = Math.floor(rest / 60);
  return `${date}${MINUTES[minute]}${SECONDS[rest - minute * 60]}`;
}

const DAY_SECONDS = DAY_MS / 1000;
/** Bounded by the 49,711 days of 32 bits of seconds. */
const dates = new Map<number, string>();
const two = (value: number): string => String(value).padStart(2, '0');
const MINUTES: readonly string[] = Array.from(
  { length: 1440 },
  (_, minute) => `${two(Math.floor(minute / 60))}:${two(minute % 60)}:`,
);
const SECONDS: readonly string[] = Array.from({ length: 60 }, (_, second) => `${two(second)}Z`);
