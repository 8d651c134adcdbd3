import { dayStart } from '../../../core/evidence/observed-days.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../../core/units.ts';

/** Detail that an answer may need before its moment: the longest window (30 days) and the 14 observed days behind the oldest capture inside it. */
const LOOK_BACK_DAYS = 44;

/** Rows of a batch stay in full this long after it was accepted, however old it is: a past that was just imported must not be gone the next day. */
const GRACE_DAYS = 7;

/** Batches accepted after this moment keep their rows. */
export const graceBegins = (now: UnixMs): UnixMs => unixMs(now - GRACE_DAYS * DAY_MS);

/** The days that may be asked and those an answer needs, or earlier while an import of older runs is recent. */
export function horizonOf(now: UnixMs, historyDays: number, oldest: number | undefined): UnixMs {
  const usual = dayStart(now) - (historyDays + LOOK_BACK_DAYS) * DAY_MS;
  return unixMs(Math.min(usual, oldest ?? usual));
}

/** From when on the past can be asked where older detail is gone. */
export const answerableFrom = (horizon: UnixMs): UnixMs => unixMs(horizon + LOOK_BACK_DAYS * DAY_MS);
