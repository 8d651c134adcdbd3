/** Addresses, prefixes and accounts that are always let through. Uses nothing of Node, so that it runs on any runtime. */
export class AllowList {
  readonly #prefixes: readonly { readonly bytes: readonly number[]; readonly bits: number }[];
  readonly #accounts: ReadonlySet<string>;

  /** @throws TypeError for a text that is neither an address nor a prefix */
  constructor({ prefixes = [], accounts = [] }: { prefixes?: readonly string[]; accounts?: readonly string[] } = {}) {
    this.#prefixes = prefixes.map(prefixOf);
    this.#accounts = new Set(accounts);
  }

  /** Returns why a client is let through; undefined if the list does not name it. */
  reasonFor(ip: string | undefined, account: string | undefined): string | undefined {
    if (account !== undefined && this.#accounts.has(account)) return 'account on the allow list';
    if (ip === undefined || this.#prefixes.length === 0) return undefined;
    const bytes = bytesOf(ip);
    const isNamed = bytes !== undefined && this.#prefixes.some((prefix) => isIn(bytes, prefix));
    return isNamed ? 'address on the allow list' : undefined;
  }
}

function prefixOf(text: string): { readonly bytes: readonly number[]; readonly bits: number } {
  const [address = '', length] = text.split('/', 2);
  const bytes = bytesOf(address);
  const most = bytes === undefined ? 0 : 8 * bytes.length;
  const bits = length === undefined ? most : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  if (bytes === undefined || !(bits <= most))
    throw new TypeError(`allow.prefixes: ${text} is neither an address nor a prefix.`);
  return { bytes, bits };
}

function isIn(bytes: readonly number[], prefix: { readonly bytes: readonly number[]; readonly bits: number }): boolean {
  if (bytes.length !== prefix.bytes.length) return false;
  return bytes.every((byte, at) => {
    const kept = Math.min(8, Math.max(0, prefix.bits - 8 * at));
    return (byte ^ prefix.bytes[at]!) >> (8 - kept) === 0;
  });
}

/** Bytes of an address, four for IPv4 in IPv6 form too; undefined for any other text. */
function bytesOf(text: string): readonly number[] | undefined {
  if (!text.includes(':')) return ipv4(text);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text)?.[1];
  if (mapped !== undefined) return ipv4(mapped);
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [left, right] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - left!.length - (right?.length ?? 0);
  if (right === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...left!, ...Array<string>(missing).fill('0'), ...(right ?? [])];
  if (!groups.every((group) => /^[\da-f]{1,4}$/i.test(group))) return undefined;
  return groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
}

function ipv4(text: string): readonly number[] | undefined {
  const parts = text.split('.');
  const isSound = parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256);
  return isSound ? parts.map(Number) : undefined;
}
