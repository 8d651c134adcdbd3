export const IP_BATCH_MAX = 1000;
export const IP_BATCH_BODY_MAX_BYTES = 1024 * 1024;
/**
 * These bytes of a body cost at least one unit of the minute, whatever they hold. A thousand IPv6 addresses
 * have 45 times as many.
 */
export const IP_BATCH_UNIT_BYTES = 1024;
