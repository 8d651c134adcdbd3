import { type LineState, lineTrap } from './line-trap.ts';
import type { Scene } from './persona.ts';
import { step, type Trap } from './trap.ts';

/** The bytes of RFC 854; a command begins with IAC. */
const IAC = 255;
const SUBNEGOTIATION = 250;
const SUBNEGOTIATION_END = 240;
const FIRST_WITH_OPTION = 251;
const COMMAND_MAX = 256;

/** We echo, so that passwords do not show, and suppress go-ahead. */
const OPTIONS = '\xff\xfb\x01\xff\xfb\x03';

type TrapSession = string | undefined;

const linesOf = ({ persona: { host, system } }: Scene) =>
  lineTrap<TrapSession>({
    protocol: 'telnet',
    greeting: `${OPTIONS}${system.issue}\r\n${host} login: `,
    begin: undefined,
    line(user, line) {
      if (user === undefined)
        return line === '' ? step(user, { reply: `\r\n${host} login: ` }) : step(line, { reply: '\r\nPassword: ' });
      return step(undefined, { reply: `\r\nLogin incorrect\r\n${host} login: `, attempts: [{ user, secret: line }] });
    },
  });

type State = { readonly command: string; readonly lines: LineState<TrapSession> };

/**
 * Shows a login prompt (RFC 854): asks for name and password and refuses each pair. The options that a client
 * negotiates are its trait.
 */
export const telnetTrap = (scene: Scene): Trap<State> => {
  const lines = linesOf(scene);
  return {
    protocol: 'telnet',
    open() {
      const { state, reply } = lines.open();
      return step({ command: '', lines: state }, { reply });
    },
    receive(state, bytes) {
      const { text, command, options } = withoutCommands(state.command + bytes);
      const { state: next, ...rest } = lines.receive(state.lines, text);
      return { ...rest, state: { command, lines: next }, trait: options + rest.trait };
    },
  };
};

function withoutCommands(bytes: string): { readonly text: string; readonly command: string; readonly options: string } {
  let text = '';
  let options = '';
  let at = 0;
  for (;;) {
    const next = bytes.indexOf('\xff', at);
    if (next < 0) return { text: text + bytes.slice(at), command: '', options };
    text += bytes.slice(at, next);
    const length = commandLength(bytes, next);
    if (length === undefined)
      return { text, command: bytes.length - next > COMMAND_MAX ? '' : bytes.slice(next), options };
    if (bytes.charCodeAt(next + 1) === IAC) text += '\xff';
    else
      options += `${[...bytes.slice(next + 1, next + Math.min(length, 8))].map((byte) => byte.charCodeAt(0)).join('.')} `;
    at = next + length;
  }
}

function commandLength(bytes: string, at: number): number | undefined {
  if (at + 1 >= bytes.length) return undefined;
  const verb = bytes.charCodeAt(at + 1);
  if (verb === SUBNEGOTIATION) {
    const end = bytes.indexOf(String.fromCharCode(IAC, SUBNEGOTIATION_END), at + 2);
    return end < 0 ? undefined : end + 2 - at;
  }
  if (verb < FIRST_WITH_OPTION || verb === IAC) return 2;
  return at + 2 < bytes.length ? 3 : undefined;
}
