/**
 * A number, address, phone number or code that stands alone; the longest is an IPv6 prefix. It is never
 * broken in the middle.
 */
const TOKEN = /^[!-~\u2026]{1,43}$/;

export const isToken = (content: unknown): boolean =>
  typeof content === 'number' || (typeof content === 'string' && TOKEN.test(content));
