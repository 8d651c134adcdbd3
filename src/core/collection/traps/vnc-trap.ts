import type { Scene } from './persona.ts';
import { step, type Trap, type TrapStep, wireNumber } from './trap.ts';

interface State {
  readonly await: 'version' | 'method' | 'answer';
  readonly rest: string;
  readonly minor: number;
}

const VERSION = 'RFB 003.008\n';
const VNC_AUTHENTICATION = 2;
const CHALLENGE_BYTES = 16;

/** Offers VNC authentication (RFC 6143 section 7.2.2) and refuses the answer. The version is the trait. */
export const vncTrap = (scene: Scene): Trap<State> => ({
  protocol: 'vnc',
  open: () => step({ await: 'version', rest: '', minor: 8 }, { reply: VERSION }),
  receive: (state, bytes) => next({ ...state, rest: state.rest + bytes }, scene),
});

const ended = (reply = ''): TrapStep<State> => step({ await: 'answer', rest: '', minor: 8 }, { reply, end: true });

function next(state: State, scene: Scene): TrapStep<State> {
  const challenge = scene.chance.slice(0, CHALLENGE_BYTES);
  const { rest, minor } = state;
  if (state.await === 'version') {
    if (rest.length < VERSION.length) return VERSION.startsWith(rest.slice(0, 4)) ? step(state) : ended();
    const sent = /^RFB 003\.(\d{3})\n/.exec(rest)?.[1];
    if (sent === undefined) return ended();
    // RFC 6143: versions other than 3.7 and 3.8 count as 3.3, whose server chooses the method.
    const isOld = !['007', '008'].includes(sent);
    const offer = isOld
      ? wireNumber(VNC_AUTHENTICATION, 4) + challenge
      : `\x01${String.fromCharCode(VNC_AUTHENTICATION)}`;
    const { reply, ...more } = next(
      { await: isOld ? 'answer' : 'method', rest: rest.slice(VERSION.length), minor: Number(sent) },
      scene,
    );
    return { ...more, reply: offer + reply, trait: sent };
  }
  if (rest === '') return step(state);
  if (state.await === 'method') {
    if (rest.charCodeAt(0) !== VNC_AUTHENTICATION) return ended();
    const { reply, ...more } = next({ await: 'answer', rest: rest.slice(1), minor }, scene);
    return { ...more, reply: challenge + reply };
  }
  if (rest.length < CHALLENGE_BYTES) return step(state);
  return {
    ...ended(refusal(minor, scene.persona.vncRefusal)),
    attempts: [{ user: '', secret: rest.slice(0, CHALLENGE_BYTES) }],
  };
}

/** Since 3.8 a reason follows the result. */
function refusal(minor: number, reason: string): string {
  return wireNumber(1, 4) + (minor === 8 ? wireNumber(reason.length, 4) + reason : '');
}
