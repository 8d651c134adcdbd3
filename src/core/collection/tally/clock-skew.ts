/** One look at another machine's clock. All times in milliseconds. */
export interface ClockReading {
  /** Own clock before the question and after the answer. */
  readonly askedAt: number;
  readonly answeredAt: number;
  /** Time of the other clock while it answered. */
  readonly saidAt: number;
  /** How much the other clock's time was cut off: 1 for milliseconds, 1000 for the seconds of an HTTP Date. */
  readonly resolutionMs: number;
}

/** Milliseconds the other clock is ahead; 0 where that is within the error of one such reading. */
export function clockSkew({ askedAt, answeredAt, saidAt, resolutionMs }: ClockReading): number {
  const skew = saidAt + resolutionMs / 2 - (askedAt + answeredAt) / 2;
  const doubt = (answeredAt - askedAt) / 2 + resolutionMs / 2;
  return Math.abs(skew) <= doubt ? 0 : Math.round(skew);
}
