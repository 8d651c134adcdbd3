import { readWireNumber } from './wire-number.ts';

/** Bytes of a client's beginning that are worth keeping: its identification and its first packet. */
export const SSH_BEGINNING_MAX = 4096;

const KEX_INIT = 20;
/** Packet length, padding length, message number and cookie come before the lists. */
const LISTS_AT = 4 + 1 + 1 + 16;
/** Key exchange, host keys, ciphers, message codes and compression, the last three for each direction (RFC 4253 section 7.1). */
const LISTS = 8;

/**
 * Marks of an SSH client's make, in clear: its identification and the algorithms it offers, in its order (the idea of HASSH).
 * @param beginning the client's first bytes as code units 0 to 255
 * @returns undefined while they are not there, or when they are not SSH
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
