const MONTHS: ReadonlySet<number> = new Set(
  ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'].map((name) =>
    codeOf(name.charCodeAt(0), name.charCodeAt(1), name.charCodeAt(2)),
  ),
);

function codeOf(a: number, b: number | undefined, c: number | undefined): number {
  return (a << 16) | ((b ?? 0) << 8) | (c ?? 0);
}

const LONG_NUMBER = 8;
const DATE_NUMBERS = 3;
const ADDRESS_NUMBERS = 4;

/**
 * Returns quickly, for millions of rows, whether the text behind an address may hold a time or another
 * address. `false` is certain: `listLine` would find neither. Dates have three joined numbers, a long one, or
 * a month with a number; addresses have four numbers or two colons, which `%3A` may stand for.
 */
export function needsListLine(bytes: Uint8Array, from: number, to: number): boolean {
  let [numbers, digits, joined, colons] = [0, 0, 0, 0];
  let hasMonth = false;
  let isDefanged = false;
  let first = from;
  while (bytes[first] === 32 || bytes[first] === 9) first++;
  if (first < to && BELONGING.has(bytes[first]!)) return true;
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    if (byte > 127) return true;
    if (byte >= 48 && byte <= 57) {
      if (digits === 0) {
        numbers++;
        joined++;
      }
      digits++;
      if (digits >= LONG_NUMBER || joined >= DATE_NUMBERS) return true;
      continue;
    }
    if (!(digits > 0 && (byte === DASH || byte === DOT || byte === SLASH))) joined = 0;
    digits = 0;
    if ((byte === COLON || byte === PERCENT) && ++colons > 1) return true;
    if (byte >= 65 && byte <= 90) hasMonth ||= MONTHS.has(codeOf(byte, bytes[at + 1], bytes[at + 2]));
    else isDefanged ||= DEFANGING.has(byte);
  }
  return (hasMonth && numbers > 0) || (isDefanged && numbers >= ADDRESS_NUMBERS);
}

const [PERCENT, DASH, DOT, SLASH, COLON] = [37, 45, 46, 47, 58];
const BELONGING: ReadonlySet<number> = new Set([...'-~/.>=([{\\%'].map((sign) => sign.charCodeAt(0)));
const DEFANGING: ReadonlySet<number> = new Set([...'[({\\%'].map((sign) => sign.charCodeAt(0)));
