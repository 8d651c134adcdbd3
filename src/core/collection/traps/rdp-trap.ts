import { readWireNumber, step, type Trap, wireNumber } from './trap.ts';

type State = string;

/** [MS-RDPBCGR] allows no longer first message. */
const MESSAGE_MAX = 1024;
/** The cookie follows TPKT (RFC 1006) and the fixed part of an X.224 connection request. */
const COOKIE_AT = 11;
const CONNECTION_REQUEST = 0xe0;

/**
 * A connection confirm with a negotiation failure (type 3, 8 bytes) refuses TLS, so the client has no reason
 * to send anything secret.
 */
const REFUSAL = `\x03\0${wireNumber(19, 2)}\x0e\xd0\0\0\0\0\0\x03\0\x08\0\x02\0\0\0`;

/** nmap's service probes use this name and only ask for the kind of service. */
const PROBES = new Set(['nmap']);

/**
 * Reads the only message that a remote desktop client sends in clear: its connection request, whose cookie
 * `mstshash` names the user. The name is an offer of credentials without its password, which would follow
 * inside TLS. The protocols that the client requests are the trait.
 */
export const rdpTrap: Trap<State> = {
  protocol: 'rdp',
  open: () => step(''),
  receive(before, bytes) {
    const text = before + bytes;
    const length = readWireNumber(text, 2, 2);
    if (text.charCodeAt(0) !== 3 || (text.length >= 4 && (length < COOKIE_AT || length > MESSAGE_MAX)))
      return step('', { end: true });
    if (text.length < 4 || text.length < length) return step(text);
    if (text.charCodeAt(5) !== CONNECTION_REQUEST) return step('', { end: true });
    const [cookie, user] = /^Cookie: mstshash=([^\r\n]*)\r\n/.exec(text.slice(COOKIE_AT, length)) ?? ['', ''];
    const attempts = user === undefined || user === '' || PROBES.has(user.toLowerCase()) ? [] : [{ user, secret: '' }];
    const rest = text.slice(COOKIE_AT + cookie.length, length);
    return step('', {
      reply: REFUSAL,
      attempts,
      trait: [...rest.slice(0, 16)].map((byte) => byte.charCodeAt(0)).join('.'),
      end: true,
    });
  },
};
