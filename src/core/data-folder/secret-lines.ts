/**
 * The text of a deployment's secret. Its first line is the secret; `pulse secret rotate` adds the others:
 *
 *     former <secret> until <RFC 3339>     uses of the former secret are accepted until then
 *     keep <use> <base64url of 32 bytes>   the key of a use that must outlive its secret
 */

import { type Said, said } from '../texts/said.ts';
import { type UnixMs, unixMs } from '../units.ts';

/** Uses whose keys a rotation keeps, because values made with them are stored and cannot be made again. */
export const KEPT_USES = [
  'api-key',
  'phone-number',
  'pool-handle',
  'second-factor',
  'recovery-code',
  'webhook',
] as const;
export type KeptUse = (typeof KEPT_USES)[number];

export interface SecretLines {
  readonly secret: string;
  readonly former?: { readonly secret: string; readonly until: UnixMs };
  readonly kept: { readonly [Use in KeptUse]?: string };
}

const FORMER = /^former (\S.*) until (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z)$/;
const KEEP = /^keep ([a-z-]+) ([A-Za-z0-9_-]{43})$/;

/** @returns the number of the first unreadable line, if there is one; its content is never part of an answer */
export function readSecretLines(text: string): SecretLines | number {
  const [secret = '', ...more] = text.trim().split(/\r?\n/);
  let lines: SecretLines = { secret, kept: {} };
  for (const [index, line] of more.entries()) {
    const next = withLine(lines, line);
    if (next === undefined) return index + 2;
    lines = next;
  }
  return lines;
}

export function secretLinesText({ secret, former, kept }: SecretLines): string {
  const lines = [secret];
  if (former !== undefined) lines.push(`former ${former.secret} until ${new Date(former.until).toISOString()}`);
  for (const use of KEPT_USES) if (kept[use] !== undefined) lines.push(`keep ${use} ${kept[use]}`);
  return `${lines.join('\n')}\n`;
}

function withLine(lines: SecretLines, line: string): SecretLines | undefined {
  const [, secret, until] = FORMER.exec(line) ?? [];
  if (secret !== undefined && until !== undefined) return withFormer(lines, secret, Date.parse(until));
  const [, named, key] = KEEP.exec(line) ?? [];
  const use = KEPT_USES.find((one) => one === named);
  return use === undefined || key === undefined || lines.kept[use] !== undefined
    ? undefined
    : { ...lines, kept: { ...lines.kept, [use]: key } };
}

function withFormer(lines: SecretLines, secret: string, until: number): SecretLines | undefined {
  if (lines.former !== undefined || Number.isNaN(until)) return undefined;
  return { ...lines, former: { secret, until: unixMs(until) } };
}

const MIN_SECRET_LENGTH = 32;
/** Fewer than 8 different digits among 32 random hexadecimal ones occur about once in ten million. */
const MIN_DIFFERENT = 8;

/**
 * Says why a text cannot be a deployment's secret; undefined if it can. The sentence never contains the text.
 */
export function secretFault(text: string): Said | undefined {
  if (/[\p{Cc}\uFFFD]/u.test(text)) return said('holds bytes that are not text');
  if (text.length < MIN_SECRET_LENGTH) return said('holds fewer than {min} characters', { min: MIN_SECRET_LENGTH });
  return isGuessable(text)
    ? said('holds a text that can be guessed: few different characters, or one piece over and over')
    : undefined;
}

export function isGuessable(text: string): boolean {
  return new Set(text).size < MIN_DIFFERENT || (text + text).indexOf(text, 1) < text.length;
}
