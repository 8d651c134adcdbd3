/** A value of a JSON document (RFC 8259). */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** @returns undefined where the text is not JSON; the parser's own message would quote it */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** As `parseJson`, of bytes; undefined where they are not UTF-8 either. */
export function parseJsonBytes(bytes: Uint8Array): Json | undefined {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** The object that a JSON text says; undefined for anything else. */
export function parseRecord(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text);
  return isRecord(value) ? value : undefined;
}

/** An object with named fields, which an array is not. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
