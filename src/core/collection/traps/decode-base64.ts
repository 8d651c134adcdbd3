/** Bytes of base64 text, with or without its padding; undefined when it is not base64 (RFC 4648 section 4). */
export function decodeBase64(text: string): string | undefined {
  try {
    return atob(text);
  } catch {
    return undefined;
  }
}
