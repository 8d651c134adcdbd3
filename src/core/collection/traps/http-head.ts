/** Request line and headers of HTTP, bytes: more is not read. */
export const HEAD_MAX = 8192;

export interface HttpHead {
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** A method is a token (RFC 9110 section 5.6.2): scripts may choose one. */
export const REQUEST_LINE = /^([\w!#$%&'*+\-.^`|~]+) \S* ?HTTP\/\d(?:\.\d)?$/;

/** The head of a request without the empty line behind it. @returns undefined for bytes that are not HTTP */
export function readHttpHead(head: string): HttpHead | undefined {
  const [first = '', ...lines] = head.split(/\r?\n/);
  const method = REQUEST_LINE.exec(first)?.[1];
  if (method === undefined) return undefined;
  return {
    method,
    headers: lines.map(
      (line) => [line.slice(0, Math.max(0, line.indexOf(':'))), line.slice(line.indexOf(':') + 1).trim()] as const,
    ),
  };
}

/** Where the head of a request ends. @returns undefined while it has not ended */
export function findHeadEnd(text: string): { readonly head: string; readonly length: number } | undefined {
  const end = /\r?\n\r?\n/.exec(text.slice(0, HEAD_MAX));
  return end === null ? undefined : { head: text.slice(0, end.index), length: end.index + end[0].length };
}

export const headerOf = ({ headers }: HttpHead, wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
