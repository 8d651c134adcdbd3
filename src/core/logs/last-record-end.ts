const NEWLINE = 10;
const QUOTE = 34;
const SPACE = 32;

/**
 * Returns the position of the quote that closes the cell opened at `at`, past doubled ones (RFC 4180); -1
 * when the bytes end before it.
 */
export function closingQuote(bytes: Uint8Array, at: number): number {
  for (let quote = bytes.indexOf(QUOTE, at + 1); quote >= 0; quote = bytes.indexOf(QUOTE, quote + 2))
    if (bytes[quote + 1] !== QUOTE) return quote;
  return -1;
}

/**
 * Returns whether the quote at `at` begins a quoted cell: only blanks stand between it and the previous
 * separator, line end or beginning.
 */
export function isOpeningQuote(bytes: Uint8Array, at: number, separator: number): boolean {
  for (let before = at - 1; before >= 0; before--) {
    const byte = bytes[before]!;
    if (byte === separator || byte === NEWLINE) return true;
    if (byte !== SPACE) return false;
  }
  return true;
}

/**
 * Returns the end of the last whole record of a table that begins with the bytes, or 0. A line end inside
 * quotes does not end a record.
 */
export function lastRecordEnd(bytes: Uint8Array, separator: number): number {
  let end = 0;
  let at = 0;
  for (;;) {
    const quote = bytes.indexOf(QUOTE, at);
    const newline = bytes.lastIndexOf(NEWLINE, quote < 0 ? bytes.length - 1 : quote);
    if (newline >= at) end = newline + 1;
    if (quote < 0) return end;
    if (!isOpeningQuote(bytes, quote, separator)) {
      at = quote + 1;
      continue;
    }
    const close = closingQuote(bytes, quote);
    if (close < 0) return end;
    at = close + 1;
  }
}
