/** Names of all migrations in order; apart from them, so that a start can tell that nothing is missing without loading what would apply them. */
export const MIGRATION_NAMES = [
  '0001-accounts',
  '0002-sign-in',
  '0003-store-identity',
  '0005-verified-accounts',
  '0006-no-attempts',
  '0007-second-factors',
  '0008-audit-actors',
  '0010-beacons',
  '0011-send-only-keys',
  '0012-newest-accounts',
  '0013-collection',
  '0014-heartbeats',
] as const;
