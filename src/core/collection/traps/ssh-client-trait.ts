import { readWireNumber } from './wire-number.ts';

export const SSH_HEAD_MAX = 4096;

const KEX_INIT = 20;
/** The lists follow packet length, padding length, message number and cookie. */
const LISTS_AT = 4 + 1 + 1 + 16;
/**
 * The lists are key exchange, host keys, and ciphers, message codes and compression for each direction (RFC
 * 4253 section 7.1).
 */
const LISTS = 8;

/**
 * Returns clear-text marks of an SSH client's make: its identification and the algorithms it offers, in its
 * order (the idea of HASSH).
 * @param beginning the client's first bytes as code units 0 to 255
 * @returns undefined while they are incomplete, or if they are not SSH
 */
export function sshClientTrait(beginning: string): string | undefined {
  const line = /^(SSH-[^\r\n]{1,250})\r?\n/.exec(beginning);
  if (line === null) return undefined;
  const packet = beginning.slice(line[0].length);
  if (packet.length < LISTS_AT || packet.charCodeAt(5) !== KEX_INIT) return undefined;
  const lists: string[] = [];
  let at = LISTS_AT;
  while (lists.length < LISTS) {
    const size = readWireNumber(packet, at, 4);
    if (at + 4 + size > packet.length) return undefined;
    lists.push(packet.slice(at + 4, at + 4 + size));
    at += 4 + size;
  }
  return `${line[1]} ${lists.join(';')}`;
}
