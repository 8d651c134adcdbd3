import { type Attempt, type SensorProtocol, step, type Trap, type TrapStep } from './trap.ts';

export interface LineProtocol<Talk> {
  readonly protocol: SensorProtocol;
  readonly greeting: string;
  readonly begin: Talk;
  line(session: Talk, line: string): TrapStep<Talk>;
}

export interface LineState<Talk> {
  readonly talk: Talk;
  readonly rest: string;
  /** After a carriage return, a line feed or NUL belongs to the same line end (RFC 854). */
  readonly returned: boolean;
  readonly lines: number;
}

/** RFC 5321 allows 512 bytes; a long answer to AUTH needs more. */
const LINE_MAX = 2048;
/** Password guessing needs fewer lines, and each may cost a reply. */
const LINES_MAX = 100;

const LINE_END = /[\r\n]/;

export function lineTrap<Talk>({ protocol, greeting, begin, line }: LineProtocol<Talk>): Trap<LineState<Talk>> {
  return {
    protocol,
    open: () => step({ talk: begin, rest: '', returned: false, lines: 0 }, { reply: greeting }),
    receive(state, bytes) {
      let { talk, returned, lines } = state;
      let text = state.rest + bytes;
      const done = { reply: '', attempts: [] as Attempt[], trait: '' };
      for (;;) {
        if (returned && text !== '') {
          if (text[0] === '\n' || text[0] === '\0') text = text.slice(1);
          returned = false;
        }
        const end = text.search(LINE_END);
        if (end < 0) break;
        if (end > LINE_MAX || ++lines > LINES_MAX)
          return step({ talk, rest: '', returned, lines }, { ...done, end: true });
        returned = text[end] === '\r';
        const next = line(talk, text.slice(0, end));
        text = text.slice(end + 1);
        talk = next.state;
        done.reply += next.reply;
        done.attempts.push(...next.attempts);
        done.trait += next.trait;
        if (next.end) return step({ talk, rest: '', returned, lines }, { ...done, end: true });
      }
      const rest = text.length > LINE_MAX ? '' : text;
      return step({ talk, rest, returned, lines }, { ...done, end: text.length > LINE_MAX });
    },
  };
}
