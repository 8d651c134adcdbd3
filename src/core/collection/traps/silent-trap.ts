import type { SensorProtocol } from './sensor-protocol.ts';
import { step, type Trap } from './trap.ts';

/** Answers nothing: only the first bytes of a client matter. */
export const silentTrap = (protocol: SensorProtocol, greeting = ''): Trap<undefined> => ({
  protocol,
  open: () => step(undefined, { reply: greeting }),
  receive: () => step(undefined, { end: true }),
});
