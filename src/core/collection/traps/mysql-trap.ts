import type { Scene } from './persona.ts';
import { littleWireNumber, readLittleWireNumber, step, type Trap } from './trap.ts';

type State = string;

/** MariaDB 5.5 and 10 send these capabilities, without TLS. */
const CAPABILITIES_OLD = 0x800f_f7ff;
const CAPABILITIES = 0x81ff_f7fe;
const MORE_CAPABILITIES = 0x0f;
const PROTOCOL_41 = 0x200;
const LENGTH_CODED_ANSWER = 0x200000;
const METHOD = 'mysql_native_password';
const LATIN1 = 0x08;
const UTF8 = 0x2d;
const AUTOCOMMIT = 0x2;
/** The user name follows capabilities, packet size, character set and 23 reserved bytes. */
const NAME_AT = 32;
const PACKET_MAX = 2048;

const packet = (sequence: number, body: string): string =>
  littleWireNumber(body.length, 3) + String.fromCharCode(sequence) + body;

/**
 * Greets as MariaDB does, and refuses the one answer. Capabilities, packet size and character set are the
 * trait.
 */
export const mysqlTrap = (scene: Scene): Trap<State> => ({
  protocol: 'mysql',
  open: () => step('', { reply: greeting(scene) }),
  receive(before, bytes) {
    const text = before + bytes;
    const length = readLittleWireNumber(text, 0, 3);
    if (text.length >= 3 && (length > PACKET_MAX || length < NAME_AT)) return step('', { end: true });
    if (text.length < 4 || text.length < 4 + length) return step(text);
    const body = text.slice(4, 4 + length);
    const capabilities = readLittleWireNumber(body, 0, 4);
    if ((capabilities & PROTOCOL_41) === 0) return step('', { end: true });
    const attempt = attemptOf(body, capabilities);
    return step('', {
      reply: refusal(
        text.charCodeAt(3),
        `Access denied for user '${attempt.user}'@'${scene.client}' (using password: ${attempt.secret === '' ? 'NO' : 'YES'})`,
      ),
      attempts: [attempt],
      trait: [...body.slice(0, 9)].map((byte) => byte.charCodeAt(0)).join('.'),
      end: true,
    });
  },
});

function greeting({ persona, serial, chance: salt }: Scene): string {
  const version = persona.system.mysql;
  const isOld = version === '5.5.68-MariaDB';
  const capabilities = littleWireNumber(isOld ? CAPABILITIES_OLD : CAPABILITIES, 4);
  return packet(
    0,
    `\x0a${version}\0${littleWireNumber(persona.mysqlThreads + serial, 4)}${salt.slice(0, 8)}\0${capabilities.slice(0, 2)}${String.fromCharCode(isOld ? LATIN1 : UTF8)}${littleWireNumber(AUTOCOMMIT, 2)}` +
      `${capabilities.slice(2)}${String.fromCharCode(salt.length + 1)}${'\0'.repeat(6)}${littleWireNumber(isOld ? 0 : MORE_CAPABILITIES, 4)}${salt.slice(8)}\0${METHOD}\0`,
  );
}

function attemptOf(body: string, capabilities: number): { readonly user: string; readonly secret: string } {
  const zero = body.indexOf('\0', NAME_AT);
  const end = zero < 0 ? body.length : zero;
  const from = end + 2;
  // Answers are shorter than 251 bytes, so a length-encoded length is also one byte.
  const length = end + 1 < body.length ? body.charCodeAt(end + 1) : 0;
  const secret = (capabilities & LENGTH_CODED_ANSWER) !== 0 && length > 250 ? '' : body.slice(from, from + length);
  return { user: body.slice(NAME_AT, end), secret };
}

const refusal = (sequence: number, message: string): string =>
  packet((sequence + 1) & 255, `\xff${littleWireNumber(1045, 2)}#28000${message}`);
