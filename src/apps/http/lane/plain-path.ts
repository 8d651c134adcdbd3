const ESCAPE = /%([0-9A-Fa-f]{2})?/g;
const UNRESERVED = /^[A-Za-z0-9._~-]$/;

/**
 * Decodes the unreserved characters of a path (RFC 3986, 6.2.2.2): `/%6dcp` is `/mcp`. Every other escape
 * stays, and a path with a broken one stays as a whole, so that decoding the result once equals decoding the
 * original once.
 */
export function plainPath(target: string): string {
  if (!target.includes('%')) return target;
  const end = target.search(/[?#]/);
  const path = end < 0 ? target : target.slice(0, end);
  let broken = false;
  const plain = path.replace(ESCAPE, (sequence, digits: string | undefined) => {
    broken ||= digits === undefined;
    const character = String.fromCharCode(Number.parseInt(digits ?? '', 16));
    return UNRESERVED.test(character) ? character : sequence;
  });
  return broken || plain === path ? target : plain + target.slice(path.length);
}
