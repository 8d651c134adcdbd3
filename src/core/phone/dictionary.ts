import type { CodeSlug, PhoneCodeLabel, PhoneTags } from '../../contract/documents.ts';
import type { PhoneLevel } from '../../contract/phone.ts';

/** Every added code or field changes this version. Codes and slugs are never reused. */
export const DICTIONARY_VERSION = '1';

/**
 * A published tag. `levelWithoutScore` is the level of a hit with this primary tag from a source without
 * scores (docs/phone.md).
 */
export interface RiskTag extends PhoneCodeLabel {
  readonly levelWithoutScore: PhoneLevel;
}

/**
 * `levelWithoutScore` is the band of the midpoint, rounded down, of the scores that vendors commonly give the
 * tag (field survey: sim_farm 7 to 9, sms_intercepted and public_sms_inbox 6 to 8, sms_receiving_platform 6
 * to 9, account_farming, bulk_registration and sms_pumping 5 to 8, crowdsourced 3 to 6, privacy_number 2,
 * virtual_number 2 to 5, promotion_abuse 4 to 7, fraud_reported 7 to 9, spam_caller 2 to 4, recycled 0 to 2,
 * dormant and suspected 1 to 3).
 */
// biome-ignore format: a table
export const RISK_TAGS: readonly RiskTag[] = [
  { code: 101, slug: 'sim_farm',               levelWithoutScore: 'high',   label: 'SIM farm',               description: 'A card working in a modem pool or SIM bank that sends and receives for many numbers at once.' },
  { code: 102, slug: 'sms_intercepted',        levelWithoutScore: 'high',   label: 'Intercepted SMS',        description: 'A real subscriber whose messages are read and resold; the holder is a victim: step up rather than block.' },
  { code: 103, slug: 'sms_receiving_platform', levelWithoutScore: 'high',   label: 'SMS receiving platform', description: 'Offered for rent on a platform that receives codes for its customers.' },
  { code: 104, slug: 'public_sms_inbox',       levelWithoutScore: 'high',   label: 'Public SMS inbox',       description: 'A disposable number whose messages anybody can read on the web.' },
  { code: 105, slug: 'account_farming',        levelWithoutScore: 'medium', label: 'Account farming',        description: 'Used to register and age accounts in bulk for sale.' },
  { code: 106, slug: 'bulk_registration',      levelWithoutScore: 'medium', label: 'Bulk registration',      description: 'Seen in automated registration without a known platform behind it.' },
  { code: 107, slug: 'crowdsourced',           levelWithoutScore: 'medium', label: 'Crowdsourced',           description: 'A real holder lends codes or the number for pay.' },
  { code: 108, slug: 'privacy_number',         levelWithoutScore: 'low',    label: 'Privacy number',         description: 'A middle number of a privacy service, used outside its purpose.' },
  { code: 109, slug: 'virtual_number',         levelWithoutScore: 'low',    label: 'Virtual number',         description: 'An app or VoIP number without a SIM.' },
  { code: 110, slug: 'promotion_abuse',        levelWithoutScore: 'medium', label: 'Promotion abuse',        description: 'Seen in coupon or referral abuse.' },
  { code: 111, slug: 'sms_pumping',            levelWithoutScore: 'medium', label: 'SMS pumping',            description: 'Target of artificially inflated message traffic.' },
  { code: 112, slug: 'fraud_reported',         levelWithoutScore: 'high',   label: 'Reported for fraud',     description: 'Named in reports of victims, platforms or authorities.' },
  { code: 113, slug: 'spam_caller',            levelWithoutScore: 'low',    label: 'Spam caller',            description: 'Reported for unwanted calls or messages; a caller identity can be forged.' },
  { code: 114, slug: 'recycled',               levelWithoutScore: 'low',    label: 'Recycled number',        description: 'Cancelled and given to a new subscriber; earlier evidence belongs to the former holder.' },
  { code: 115, slug: 'dormant',                levelWithoutScore: 'low',    label: 'Dormant',                description: 'A known risk card without recent activity; it may be parked for later use.' },
  { code: 116, slug: 'suspected',              levelWithoutScore: 'low',    label: 'Suspected',              description: 'One weak source, not yet confirmed.' },
];

// biome-ignore format: a table
export const CARD_ATTRIBUTES: readonly PhoneCodeLabel[] = [
  { code: 201, slug: 'basic_operator',    label: 'Basic operator',    description: 'Segment of one of the operators with a network of their own.' },
  { code: 202, slug: 'virtual_operator',  label: 'Virtual operator',  description: 'Segment leased to resellers; the operator given is the host network.' },
  { code: 203, slug: 'iot',               label: 'Internet of Things', description: 'Card of a machine.' },
  { code: 204, slug: 'satellite',         label: 'Satellite',         description: 'Satellite telephone segment.' },
  { code: 205, slug: 'data_only',         label: 'Data only',         description: 'Segment allocated for data cards; voice is possible on some today.' },
  { code: 206, slug: 'emergency_service', label: 'Emergency service', description: 'Segment of emergency communication.' },
];

// biome-ignore format: a table
export const CARD_TYPES: readonly PhoneCodeLabel[] = [
  { code: 301, slug: 'postpaid',         label: 'Postpaid',         description: 'Contract billed afterwards.' },
  { code: 302, slug: 'prepaid',          label: 'Prepaid',          description: 'Paid in advance.' },
  { code: 303, slug: 'esim',             label: 'eSIM',             description: 'Profile without a plastic card.' },
  { code: 304, slug: 'data_card',        label: 'Data card',        description: 'Card for data traffic.' },
  { code: 305, slug: 'iot_card',         label: 'IoT card',         description: 'Card sold for machines.' },
  { code: 306, slug: 'secondary_number', label: 'Secondary number', description: 'Additional number on one card.' },
  { code: 307, slug: 'corporate',        label: 'Corporate',        description: 'Card registered to an organisation.' },
];

// biome-ignore format: a table
export const EVIDENCE_STATE_LABELS: PhoneTags['evidence_states'] = [
  { slug: 'active', label: 'Active', description: 'Fresh evidence; it may be acted on.' },
  { slug: 'stale',  label: 'Stale',  description: 'Seen, but not captured for over 90 days; the number may be back with a legitimate user: down-weight rather than block.' },
  { slug: 'none',   label: 'None',   description: 'Never captured; no information, not a statement of safety.' },
];

export const LEVEL_RANGES: PhoneTags['levels'] = [
  { slug: 'none', min: 0, max: 0 },
  { slug: 'low', min: 1, max: 3 },
  { slug: 'medium', min: 4, max: 6 },
  { slug: 'high', min: 7, max: 9 },
];

const all = [...RISK_TAGS, ...CARD_ATTRIBUTES, ...CARD_TYPES];
const slugs = new Map(all.map(({ code, slug }): [number, CodeSlug] => [code, { code, slug }]));
const codes = new Map(all.map(({ code, slug }) => [slug, code]));

export const codeSlug = (code: number): CodeSlug => slugs.get(code) ?? { code, slug: `unknown_${code}` };

export function codeOf(slug: string): number | undefined {
  const vendor = /^unknown_(\d{1,5})$/.exec(slug)?.[1];
  return codes.get(slug) ?? (vendor === undefined ? undefined : Number(vendor));
}
