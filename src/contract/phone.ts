/**
 * Both risk libraries are asked for every number (interface, "Phone risk profile"). Order is storage order:
 * append only.
 */
export const PHONE_LIBRARIES = ['cn', 'sg'] as const;
export type PhoneLibraryName = (typeof PHONE_LIBRARIES)[number];

export const PHONE_EVIDENCE_STATES = ['active', 'stale', 'none'] as const;
export type PhoneEvidenceState = (typeof PHONE_EVIDENCE_STATES)[number];

export const PHONE_LEVELS = ['none', 'low', 'medium', 'high'] as const;
export type PhoneLevel = (typeof PHONE_LEVELS)[number];

export const PHONE_MISS_REASONS = ['not_in_risk_db', 'unqueryable_bad_length'] as const;
export type PhoneMissReason = (typeof PHONE_MISS_REASONS)[number];

export const PHONE_BATCH_MAX = 1000;
export const PHONE_BODY_MAX_BYTES = 1_048_576;
export const PHONE_STALE_AFTER_DAYS = 90;
export const PHONE_QUOTA_UNIT = 'phone_number';
