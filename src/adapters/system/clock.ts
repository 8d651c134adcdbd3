import { unixMs } from '../../core/units.ts';
import type { Clock } from '../../service/ports.ts';

/** Milliseconds of the machine's clock, which may step when the machine's time is corrected. */
export const systemClock: Clock = { now: () => unixMs(Date.now()) };
