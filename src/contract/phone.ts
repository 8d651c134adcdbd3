/**
 * The published vocabulary of the phone capability: libraries, states and bounds (interface, "Phone risk
 * profile" and after).
 */

/** The two risk libraries. Both are asked for every number. Order is storage order: append only. */
export const PHONE_LIBRARIES = ['cn', 'sg'] as const;
export type PhoneLibraryName = (typeof PHONE_LIBRARIES)[number];

export const PHONE_EVIDENCE_STATES = ['active', 'stale', 'none'] as const;
export type PhoneEvidenceState = (typeof PHONE_EVIDENCE_STATES)[number];

export const PHONE_LEVELS = ['none', 'low', 'medium', 'high'] as const;
export type PhoneLevel = (typeof PHONE_LEVELS)[number];

export const PHONE_MISS_REASONS = ['not_in_risk_db', 'unqueryable_bad_length'] as const;
export type PhoneMissReason = (typeof PHONE_MISS_REASONS)[number];

/** Most numbers one batch may hold. */
export const PHONE_BATCH_MAX = 1000;
/** Largest body of both POST endpoints, bytes (1 MiB). */
export const PHONE_BODY_MAX_BYTES = 1_048_576;
/** Evidence older than this many days is stale. */
export const PHONE_STALE_AFTER_DAYS = 90;
/** Value of X-Quota-Unit on every phone answer. */
export const PHONE_QUOTA_UNIT = 'phone_number';
