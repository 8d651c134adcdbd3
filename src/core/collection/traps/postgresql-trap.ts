import type { Scene } from './persona.ts';
import { readWireNumber, step, type Trap, type TrapStep, wireNumber } from './trap.ts';

interface State {
  readonly rest: string;
  readonly user?: string;
  readonly requests: number;
}

const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;
const MAJOR_VERSION = 3;
const MESSAGE_MAX = 4096;
const REQUESTS_MAX = 4;

const ASK_PASSWORD = `R${wireNumber(8, 4)}${wireNumber(3, 4)}`;
const NOT_KNOWN = errorMessage('0A000', 'unsupported frontend protocol: server supports 3.0 to 3.0');

/**
 * Refuses encryption, asks for a password and refuses it (PostgreSQL's frontend/backend protocol 3). The
 * start parameters, without values that name people or databases, are the trait.
 */
export const postgresqlTrap = ({ persona }: Scene): Trap<State> => ({
  protocol: 'postgresql',
  open: () => step({ rest: '', requests: 0 }),
  receive(state, bytes) {
    const text = state.rest + bytes;
    const line = persona.system.postgresqlLine;
    return state.user === undefined ? starting(text, state.requests, line) : answering(text, state.user, line);
  },
});

const ended = (reply: string): TrapStep<State> => step({ rest: '', requests: 0 }, { reply, end: true });

function starting(text: string, requests: number, line: string): TrapStep<State> {
  if (text.length < 8) return step({ rest: text, requests });
  const length = readWireNumber(text, 0, 4);
  const code = readWireNumber(text, 4, 4);
  if (length < 8 || length > MESSAGE_MAX) return ended('');
  if (text.length < length) return step({ rest: text, requests });
  if (code === SSL_REQUEST || code === GSS_REQUEST) {
    if (requests === REQUESTS_MAX) return ended('');
    const { reply, ...next } = starting(text.slice(length), requests + 1, line);
    return { ...next, reply: `N${reply}` };
  }
  if (code >>> 16 !== MAJOR_VERSION) return ended(NOT_KNOWN);
  const parameters = text.slice(8, length).split('\0');
  const pairs = parameters.flatMap((name, at) =>
    at % 2 === 0 && name !== '' ? [[name, parameters[at + 1] ?? ''] as const] : [],
  );
  const user = pairs.find(([name]) => name === 'user')?.[1] ?? '';
  const { reply, ...next } = answering(text.slice(length), user, line);
  return {
    ...next,
    reply: ASK_PASSWORD + reply,
    trait: pairs.map(([name, value]) => (name === 'user' || name === 'database' ? name : `${name}=${value}`)).join(' '),
  };
}

function answering(text: string, user: string, line: string): TrapStep<State> {
  if (text.length > 0 && text[0] !== 'p') return ended('');
  if (text.length < 5) return step({ rest: text, user, requests: 0 });
  const length = readWireNumber(text, 1, 4);
  if (length < 4 || length > MESSAGE_MAX) return ended('');
  if (text.length < 1 + length) return step({ rest: text, user, requests: 0 });
  const refusal = errorMessage(
    '28P01',
    `password authentication failed for user "${user}"`,
    `Fauth.c\0L${line}\0Rauth_failed\0`,
  );
  return { ...ended(refusal), attempts: [{ user, secret: text.slice(5, 1 + length).replace(/\0$/, '') }] };
}

function errorMessage(code: string, message: string, place = ''): string {
  const fields = `SFATAL\0VFATAL\0C${code}\0M${message}\0${place}\0`;
  return `E${wireNumber(4 + fields.length, 4)}${fields}`;
}
