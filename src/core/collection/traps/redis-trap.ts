import type { Scene } from './persona.ts';
import { type Attempt, step, type Trap } from './trap.ts';

interface State {
  readonly rest: string;
  readonly commands: number;
}

const ARGUMENTS_MAX = 16;
const ARGUMENT_MAX = 1024;
const LINE_MAX = 2048;
const COMMANDS_MAX = 100;

const LOG_IN_FIRST = '-NOAUTH Authentication required.\r\n';
const REFUSED = '-WRONGPASS invalid username-password pair or user is disabled.\r\n';
const REFUSED_OLD = '-ERR invalid password\r\n';
const MALFORMED = '-ERR Protocol error: invalid multibulk length\r\n';

/**
 * Refuses AUTH and HELLO … AUTH (RESP2, RESP3 and inline commands), and every other command before login. The
 * commands sent before an attempt are the trait.
 */
export const redisTrap = ({ persona }: Scene): Trap<State> => ({
  protocol: 'redis',
  open: () => step({ rest: '', commands: 0 }),
  receive(state, bytes) {
    let rest = state.rest + bytes;
    let { commands } = state;
    const done = { reply: '', attempts: [] as Attempt[], trait: '' };
    while (rest !== '') {
      const read = readCommand(rest);
      if (read === 'more') break;
      if (read === 'malformed' || ++commands > COMMANDS_MAX)
        return step({ rest: '', commands }, { ...done, reply: done.reply + MALFORMED, end: true });
      rest = rest.slice(read.length);
      const [verb = '', ...words] = read.words;
      if (verb === '') continue;
      const name = verb.toUpperCase();
      if (name === 'QUIT') return step({ rest: '', commands }, { ...done, reply: `${done.reply}+OK\r\n`, end: true });
      const attempt = attemptOf(name, words);
      done.reply += attempt === undefined ? LOG_IN_FIRST : persona.system.redis < 6 ? REFUSED_OLD : REFUSED;
      if (attempt === undefined) done.trait += `${name.slice(0, 16)} `;
      else done.attempts.push(attempt);
    }
    return step({ rest, commands }, done);
  },
});

function attemptOf(name: string, words: readonly string[]): Attempt | undefined {
  if (name === 'AUTH') return credential(words);
  if (name !== 'HELLO') return undefined;
  const at = words.findIndex((word) => word.toUpperCase() === 'AUTH');
  return at < 0 ? undefined : credential(words.slice(at + 1, at + 3));
}

/** A password alone belongs to the user `default`. */
const credential = ([first, second]: readonly string[]): Attempt | undefined =>
  first === undefined
    ? undefined
    : second === undefined
      ? { user: 'default', secret: first }
      : { user: first, secret: second };

type Read = { readonly words: readonly string[]; readonly length: number } | 'more' | 'malformed';

function readCommand(text: string): Read {
  if (text[0] !== '*') return readInline(text);
  const count = readCount(text, 0, ARGUMENTS_MAX);
  if (typeof count === 'string') return count;
  const words: string[] = [];
  let at = count.end;
  while (words.length < count.value) {
    if (at >= text.length) return 'more';
    if (text[at] !== '$') return 'malformed';
    const size = readCount(text, at, ARGUMENT_MAX);
    if (typeof size === 'string') return size;
    if (text.length < size.end + size.value + 2) return 'more';
    words.push(text.slice(size.end, size.end + size.value));
    at = size.end + size.value + 2;
  }
  return { words, length: at };
}

function readCount(
  text: string,
  at: number,
  max: number,
): { readonly value: number; readonly end: number } | 'more' | 'malformed' {
  const end = text.indexOf('\r\n', at);
  if (end < 0) return text.length - at > 16 ? 'malformed' : 'more';
  const digits = text.slice(at + 1, end);
  const value = Number(digits);
  return /^\d{1,9}$/.test(digits) && value <= max ? { value, end: end + 2 } : 'malformed';
}

function readInline(text: string): Read {
  const end = text.indexOf('\n');
  if (end < 0) return text.length > LINE_MAX ? 'malformed' : 'more';
  return end > LINE_MAX ? 'malformed' : { words: text.slice(0, end).trim().split(/ +/), length: end + 1 };
}
