import type { SensorProtocol } from './sensor-protocol.ts';
import { step, type Trap } from './trap.ts';

/** Answers nothing: the first bytes of a client are all it wants to know. For SMB, whose first message shows a scan, and for ports without a protocol of ours. */
export const silentTrap = (protocol: SensorProtocol): Trap<undefined> => ({
  protocol,
  open: () => step(undefined),
  receive: () => step(undefined, { end: true }),
});
