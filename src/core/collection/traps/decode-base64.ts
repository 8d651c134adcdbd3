/**
 * Decodes base64, with or without padding, into code units 0 to 255; undefined if it is not base64 (RFC 4648
 * section 4).
 */
export function decodeBase64(text: string): string | undefined {
  try {
    return atob(text);
  } catch {
    return undefined;
  }
}
