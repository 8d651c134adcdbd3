import type { SensorProtocol } from './sensor-protocol.ts';
import { step, type Trap } from './trap.ts';

/** Answers nothing: the first bytes of a client are all it wants to know. */
export const silentTrap = (protocol: SensorProtocol, greeting = ''): Trap<undefined> => ({
  protocol,
  open: () => step(undefined, { reply: greeting }),
  receive: () => step(undefined, { end: true }),
});
