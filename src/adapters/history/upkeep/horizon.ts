import { dayStart } from '../../../core/evidence/fold-observations.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../../core/units.ts';

/**
 * An answer needs detail of these days before its moment: the longest window (30 days), and the 14 observed
 * days before the oldest capture inside it.
 */
const LOOK_BACK_DAYS = 44;

/**
 * The rows of a batch stay in full this long after it was accepted, regardless of their age, so that an
 * imported past is not compacted the next day.
 */
const GRACE_DAYS = 7;

export const graceStart = (now: UnixMs): UnixMs => unixMs(now - GRACE_DAYS * DAY_MS);

/**
 * Detail before this moment may be compacted. It covers the days that may be asked and those an answer needs;
 * a recent import of older runs moves it back.
 */
export function horizonOf(now: UnixMs, historyDays: number, oldest: number | undefined): UnixMs {
  const usual = dayStart(now) - (historyDays + LOOK_BACK_DAYS) * DAY_MS;
  return unixMs(Math.min(usual, oldest ?? usual));
}

/** Returns the earliest moment that can be answered after the compaction. */
export const historyStart = (horizon: UnixMs): UnixMs => unixMs(horizon + LOOK_BACK_DAYS * DAY_MS);
