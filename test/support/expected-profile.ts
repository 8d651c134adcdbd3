import type { PhoneHit, PhoneMeta, PhoneMiss, PhoneProfile } from '../../src/contract/documents.ts';
import { PHONE_LEVELS, PHONE_STALE_AFTER_DAYS, type PhoneLevel } from '../../src/contract/phone.ts';
import { codeSlug, LEVEL_BANDS, RISK_TAGS } from '../../src/core/phone/dictionary.ts';
import type { CardFacts, PhoneEntry, PhoneFinding } from '../../src/core/phone/entry.ts';
import type { PhoneNumber } from '../../src/core/phone/normalise.ts';
import { MAINLAND } from '../../src/core/phone/numbering-plan.ts';
import type { SegmentTable } from '../../src/core/phone/segments.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../src/core/units.ts';

/**
 * The profile as the interface draws it ("Phone risk profile"), built as plain objects without an eye on speed: what the text of `core/phone/profile.ts` is
 * held against, byte for byte.
 */
export function expectedProfile(
  input: string,
  number: PhoneNumber,
  findings: readonly PhoneFinding[],
  { segments, now, meta }: { readonly segments: SegmentTable; readonly now: UnixMs; readonly meta: PhoneMeta },
): PhoneProfile {
  const query = queryOf(input, number);
  const [leading, ...rest] =
    number.validLength === false ? [] : findings.length < 2 ? findings : [...findings].sort(byWeight);
  if (leading === undefined) return { ...miss(query, number), meta };
  const all = [leading, ...rest];
  const activity = activityOf(all, now);
  const carrier = number.callingCode === MAINLAND ? carrierOf(all, segments.facts(number.national)) : undefined;
  const primary = leading.entry.tags[0];
  return {
    query,
    hit: true,
    evidence_state: isStale(lastActiveOf(all), now) ? 'stale' : 'active',
    risk: {
      ...(leading.entry.risk === undefined ? {} : { score: leading.entry.risk }),
      level: levelOf(leading.entry),
      ...(primary === undefined ? {} : { primary_tag: codeSlug(primary) }),
      tags: unionOfTags(all).map(codeSlug),
    },
    activity,
    ...(carrier === undefined ? {} : { carrier }),
    sources: all.map(sourceOf),
    meta,
  };
}

function queryOf(input: string, number: PhoneNumber): PhoneHit['query'] {
  return {
    input,
    e164: `+${number.digits}`,
    national_number: number.national,
    country_code: number.callingCode,
    country: { iso2: number.iso2 },
    valid_length: number.validLength,
  };
}

function miss(query: PhoneHit['query'], number: PhoneNumber): Omit<PhoneMiss, 'meta'> {
  return {
    query,
    hit: false,
    evidence_state: 'none',
    risk: { score: 0, level: 'none', tags: [] },
    miss_reason: number.validLength === false ? 'unqueryable_bad_length' : 'not_in_risk_db',
  };
}

/** The higher risk leads, then the newer entry (decisions 6.3). */
function byWeight({ entry: a }: PhoneFinding, { entry: b }: PhoneFinding): number {
  if (a.risk !== undefined && b.risk !== undefined && a.risk !== b.risk) return b.risk - a.risk;
  if ((a.risk === undefined) !== (b.risk === undefined)) return a.risk === undefined ? 1 : -1;
  const steps = a.risk === undefined ? PHONE_LEVELS.indexOf(levelOf(b)) - PHONE_LEVELS.indexOf(levelOf(a)) : 0;
  return steps || b.lastActive - a.lastActive;
}

function levelOf({ risk, tags }: PhoneEntry): PhoneLevel {
  if (risk === undefined) return RISK_TAGS.find(({ code }) => code === tags[0])?.levelWithoutScore ?? 'low';
  return LEVEL_BANDS.find(({ min, max }) => risk >= min && risk <= max)?.slug ?? 'none';
}

const lastActiveOf = (findings: readonly PhoneFinding[]): UnixMs =>
  unixMs(Math.max(...findings.map(({ entry }) => entry.lastActive)));

/** Stale: more than ninety days have passed since the last capture. Ninety days to the millisecond are still active. */
const isStale = (lastActive: UnixMs, now: UnixMs): boolean => now - lastActive > PHONE_STALE_AFTER_DAYS * DAY_MS;

/** Primary tag of the leading entry first, then ascending; none twice. */
function unionOfTags(findings: readonly PhoneFinding[]): number[] {
  const primary = findings[0]?.entry.tags[0];
  const others = new Set(findings.flatMap(({ entry }) => entry.tags));
  if (primary === undefined) return [...others].sort((a, b) => a - b);
  others.delete(primary);
  return [primary, ...[...others].sort((a, b) => a - b)];
}

function activityOf(findings: readonly PhoneFinding[], now: UnixMs): PhoneHit['activity'] {
  const firsts = findings.flatMap(({ entry }) => (entry.firstSeen === undefined ? [] : [entry.firstSeen]));
  const days = findings.flatMap(({ entry }) => (entry.observedDays === undefined ? [] : [entry.observedDays]));
  const last = lastActiveOf(findings);
  return {
    ...(firsts.length === 0 ? {} : { first_seen: rfc3339(Math.min(...firsts)) }),
    last_active: rfc3339(last),
    last_active_days_ago: Math.max(0, Math.floor((now - last) / DAY_MS)),
    ...(days.length === 0 ? {} : { observed_days: Math.max(...days) }),
  };
}

function sourceOf({ library, entry }: PhoneFinding): PhoneHit['sources'][number] {
  const tag = entry.tags[0];
  return {
    library,
    ...(entry.risk === undefined ? {} : { risk: entry.risk }),
    ...(tag === undefined ? {} : { tag: codeSlug(tag) }),
    ...(entry.firstSeen === undefined ? {} : { first_seen: rfc3339(entry.firstSeen) }),
    last_active: rfc3339(entry.lastActive),
  };
}

/** What the leading record knows of the card wins, then the other record, then the segment. City and province come from one of them together. */
function carrierOf(findings: readonly PhoneFinding[], segment: CardFacts | undefined): PhoneHit['carrier'] {
  const known = [...findings.map(({ entry }) => entry.card), segment].filter((facts) => facts !== undefined);
  const place = known.find((facts) => facts.province !== undefined);
  const pick = <Key extends 'carrier' | 'attribute' | 'cardType'>(key: Key): CardFacts[Key] | undefined =>
    known.find((facts) => facts[key] !== undefined)?.[key];
  const carrier = pick('carrier');
  const attribute = pick('attribute');
  const cardType = pick('cardType');
  const out: NonNullable<PhoneHit['carrier']> = {
    ...(place?.province === undefined ? {} : { province: place.province }),
    ...(place?.cityCode === undefined ? {} : { city_code: place.cityCode }),
    ...(carrier === undefined ? {} : { carrier }),
    ...(attribute === undefined ? {} : { attribute: codeSlug(attribute) }),
    ...(cardType === undefined ? {} : { card_type: codeSlug(cardType) }),
  };
  return Object.keys(out).length === 0 ? undefined : out;
}

const rfc3339 = (at: number): string => `${new Date(Math.floor(at / 1000) * 1000).toISOString().slice(0, 19)}Z`;
