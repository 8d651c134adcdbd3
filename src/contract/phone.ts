/** The published vocabulary of the phone capability: libraries, states, profile, batch, dictionary and coverage documents (interface, "Phone risk profile" and after). */
import type { ErrorCode } from './errors.ts';

/** The two risk libraries. Both are asked for every number. Order is storage order: append only. */
export const PHONE_LIBRARIES = ['cn', 'sg'] as const;
export type PhoneLibraryName = (typeof PHONE_LIBRARIES)[number];

const PHONE_EVIDENCE_STATES = ['active', 'stale', 'none'] as const;
export type PhoneEvidenceState = (typeof PHONE_EVIDENCE_STATES)[number];

export const PHONE_LEVELS = ['none', 'low', 'medium', 'high'] as const;
export type PhoneLevel = (typeof PHONE_LEVELS)[number];

const PHONE_MISS_REASONS = ['not_in_risk_db', 'unqueryable_bad_length'] as const;
export type PhoneMissReason = (typeof PHONE_MISS_REASONS)[number];

/** Most numbers one batch may hold. */
export const PHONE_BATCH_MAX = 1000;
/** Largest body of both POST endpoints, bytes (1 MiB). */
export const PHONE_BODY_MAX_BYTES = 1_048_576;
/** Evidence older than this many days is stale. */
export const PHONE_STALE_AFTER_DAYS = 90;
/** Value of X-Quota-Unit on every phone answer. */
export const PHONE_QUOTA_UNIT = 'phone_number';

/** A code with its stable slug; labels are in the dictionary of GET /v1/phone/meta/tags. */
export interface CodeSlug {
  readonly code: number;
  readonly slug: string;
}

export interface PhoneQuery {
  /** As received, byte for byte. */
  readonly input: string;
  readonly e164: string;
  readonly national_number: string;
  readonly country_code: number;
  readonly country: { readonly iso2: string | null };
  readonly valid_length: boolean | null;
}

export interface PhoneRisk {
  /** Raw score of the data source, 0 to 9; absent when the source states none. */
  readonly score?: number;
  /** Band of the score; without a score, the level the dictionary gives the primary tag. */
  readonly level: PhoneLevel;
  readonly primary_tag?: CodeSlug;
  readonly tags: readonly CodeSlug[];
}

export interface PhoneActivity {
  readonly first_seen?: string;
  readonly last_active: string;
  readonly last_active_days_ago: number;
  readonly observed_days?: number;
}

/** Mainland numbers only; what is unknown is absent. */
export interface PhoneCarrier {
  /** ISO 3166-2. */
  readonly province?: string;
  /** GB/T 2260, six digits. */
  readonly city_code?: string;
  readonly carrier?: string;
  readonly attribute?: CodeSlug;
  readonly card_type?: CodeSlug;
}

export interface PhoneSource {
  readonly library: PhoneLibraryName;
  /** Absent when this library's source states none. */
  readonly risk?: number;
  readonly tag?: CodeSlug;
  readonly first_seen?: string;
  readonly last_active: string;
}

/** Data versions per library; the `_minute` variants appear when increments were applied after the full load. */
export interface PhoneDataVersion {
  readonly cn: string;
  readonly sg: string;
  readonly cn_minute?: string;
  readonly sg_minute?: string;
}

export interface PhoneMeta {
  readonly request_id: string;
  readonly data_version: PhoneDataVersion;
}

/** The risk block of a number that is in no library. */
export interface PhoneNoRisk {
  readonly score: 0;
  readonly level: 'none';
  readonly tags: readonly [];
}

export interface PhoneHitBody {
  readonly query: PhoneQuery;
  readonly hit: true;
  readonly evidence_state: 'active' | 'stale';
  readonly risk: PhoneRisk;
  readonly activity: PhoneActivity;
  readonly carrier?: PhoneCarrier;
  readonly sources: readonly PhoneSource[];
}

export interface PhoneMissBody {
  readonly query: PhoneQuery;
  readonly hit: false;
  readonly evidence_state: 'none';
  readonly risk: PhoneNoRisk;
  readonly miss_reason: PhoneMissReason;
}

/** Body of POST /v1/phone/lookup. */
export type PhoneProfile = (PhoneHitBody | PhoneMissBody) & { readonly meta: PhoneMeta };

/** A batch item that could not be parsed: nothing is guessed, nothing is charged. The message never repeats the input. */
export interface PhoneUnparseable {
  readonly query: { readonly input: string };
  readonly hit: false;
  readonly error: { readonly code: Extract<ErrorCode, 'bad_number'>; readonly message: string };
}

/** Body of POST /v1/phone/batch; results in input order. */
export interface PhoneBatch {
  readonly count: number;
  readonly billable: number;
  readonly hit_count: number;
  readonly results: readonly (PhoneProfile | PhoneUnparseable)[];
}

export interface PhoneLabel {
  readonly slug: string;
  readonly label: string;
  readonly description: string;
}

export interface PhoneCodeLabel extends PhoneLabel {
  readonly code: number;
}

export interface PhoneLevelBand {
  readonly slug: PhoneLevel;
  readonly min: number;
  readonly max: number;
}

/** Body of GET /v1/phone/meta/tags. */
export interface PhoneTags {
  readonly version: string;
  readonly risk_tags: readonly PhoneCodeLabel[];
  readonly card_attributes: readonly PhoneCodeLabel[];
  readonly card_types: readonly PhoneCodeLabel[];
  readonly evidence_states: readonly (PhoneLabel & { readonly slug: PhoneEvidenceState })[];
  readonly levels: readonly PhoneLevelBand[];
  readonly meta: { readonly request_id: string };
}

export interface PhoneLibraryCoverage {
  readonly library: PhoneLibraryName;
  readonly records: number;
  readonly data_version: string;
  readonly last_full_at: string;
  readonly last_increment_at?: string;
  /** ISO 8601 durations: the median interval of the loads that came. Absent, whole or in part, below three loads. */
  readonly cadence?: { readonly full?: string; readonly increment?: string };
}

/** Body of GET /v1/phone/meta/coverage. */
export interface PhoneCoverage {
  readonly libraries: readonly PhoneLibraryCoverage[];
  readonly stale_after_days: number;
  readonly segments: { readonly version: string; readonly records: number };
  readonly meta: PhoneMeta;
}
