import type { SensorProtocol } from './sensor-protocol.ts';
import { step, type Trap } from './trap.ts';

/**
 * Answers nothing: the first bytes of a client are all it wants to know. For SMB, whose first message shows a scan, for ports without a protocol of ours, and where a
 * protocol would cost more than there is.
 * @param greeting the text that a client waits for before it speaks
 */
export const silentTrap = (protocol: SensorProtocol, greeting = ''): Trap<undefined> => ({
  protocol,
  open: () => step(undefined, { reply: greeting }),
  receive: () => step(undefined, { end: true }),
});
