import type { Trap, TrapStep } from '../../core/collection/traps/trap.ts';
import type { Talk, TalkSide } from './talk.ts';

/** Runs a trap over a connection. */
export function trapTalk<State>(trap: Trap<State>, side: TalkSide): Talk {
  let state: State;
  const take = (next: TrapStep<State>): void => {
    state = next.state;
    if (next.trait !== '') side.trait(next.trait);
    for (const attempt of next.attempts) side.attempt(attempt);
    if (next.reply !== '') side.send(Buffer.from(next.reply, 'latin1'));
    if (next.end) side.end();
  };
  take(trap.open());
  return { receive: (bytes) => take(trap.receive(state, bytes.toString('latin1'))) };
}
