/** Addresses in one batch (decisions 10.1). */
export const IP_BATCH_MAX = 1000;
export const IP_BATCH_BODY_MAX_BYTES = 1024 * 1024;
/**
 * Bytes of a body that cost at least one unit of the minute, whatever they hold. A thousand IPv6 addresses
 * are 45 of them.
 */
export const IP_BATCH_UNIT_BYTES = 1024;
