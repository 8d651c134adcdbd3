export const HEAD_MAX = 8192;

export interface HttpHead {
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** A method is a token (RFC 9110 section 5.6.2), which scripts may choose freely. */
export const REQUEST_LINE = /^([\w!#$%&'*+\-.^`|~]+) \S* ?HTTP\/\d(?:\.\d)?$/;

/**
 * Reads the head of a request without the empty line after it. @returns undefined for bytes that are not HTTP
 */
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

export function findHeadEnd(text: string): { readonly head: string; readonly length: number } | undefined {
  const end = /\r?\n\r?\n/.exec(text.slice(0, HEAD_MAX));
  return end === null ? undefined : { head: text.slice(0, end.index), length: end.index + end[0].length };
}

export const headerOf = ({ headers }: HttpHead, wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
