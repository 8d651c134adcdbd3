import { systemClock } from '../adapters/system/clock.ts';
import type { UnixMs } from '../core/units.ts';

/** The machine's clock for commands, which do not see adapters. */
export const systemNow = (): UnixMs => systemClock.now();
