export const TABLE = [
  ['nobody', 'ok', '401 key_required', '401 key_required', '401 key_required'],
  ['free', 'ok', '403 professional_required', '403 history_requires_professional', 'ok'],
  ['free phone', 'ok', '403 professional_required', '403 history_requires_professional', 'ok'],
  ['professional', 'ok', 'ok', 'past', 'ok'],
  ['enterprise', 'ok', 'ok', 'past', 'ok'],
  ['revoked', '401 revoked_key', '401 revoked_key', '401 revoked_key', '401 revoked_key'],
  ['expired', '401 key_expired', '401 key_expired', '401 key_expired', '401 key_expired'],
  ['disabled', '401 revoked_key', '401 revoked_key', '401 revoked_key', '401 revoked_key'],
  ['unknown', '401 invalid_key', '401 invalid_key', '401 invalid_key', '401 key_required'],
  ['mistyped', '401 invalid_key', '401 invalid_key', '401 invalid_key', '401 key_required'],
  ['nonsense', '401 invalid_key', '401 invalid_key', '401 invalid_key', '401 key_required'],
] as const;

/** Lookup and batch, then both dictionaries: those need any key and no capability. */
export const PHONE_TABLE = [
  ['nobody', '401 key_required', '401 key_required'],
  ['free', '403 capability_not_eligible', 'ok'],
  ['free phone', '403 capability_not_eligible', 'ok'],
  ['professional', '403 capability_not_eligible', 'ok'],
  ['enterprise', '403 capability_not_enabled', 'ok'],
  ['no phone', '403 capability_not_enabled', 'ok'],
  ['phone', 'ok', 'ok'],
  ['revoked', '401 revoked_key', '401 revoked_key'],
  ['expired', '401 key_expired', '401 key_expired'],
  ['disabled', '401 revoked_key', '401 revoked_key'],
  ['unknown', '401 invalid_key', '401 invalid_key'],
  ['mistyped', '401 invalid_key', '401 invalid_key'],
] as const;
