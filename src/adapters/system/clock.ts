import { unixMs } from '../../core/units.ts';
import type { Clock } from '../../service/ports.ts';

export const systemClock: Clock = { now: () => unixMs(Date.now()) };
