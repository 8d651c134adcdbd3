import { unixMs } from '../../core/units.ts';
import type { Clock } from '../../service/ports.ts';

/** The machine's clock may step when its time is corrected. */
export const systemClock: Clock = { now: () => unixMs(Date.now()) };
