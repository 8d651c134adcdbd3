import type { SensorProtocol } from './sensor-protocol.ts';
import { step, type Trap } from './trap.ts';

/** Only the first bytes of a client matter, so nothing is answered. */
export const silentTrap = (protocol: SensorProtocol, greeting = ''): Trap<undefined> => ({
  protocol,
  open: () => step(undefined, { reply: greeting }),
  receive: () => step(undefined, { end: true }),
});
