export interface ClockReading {
  readonly askedAt: number;
  readonly answeredAt: number;
  readonly saidAt: number;
  /** 1 for milliseconds, 1000 for the seconds of an HTTP Date. */
  readonly resolutionMs: number;
}

/**
 * Returns the milliseconds by which the other clock is ahead; 0 if the difference is within the error of the
 * reading.
 */
export function clockSkew({ askedAt, answeredAt, saidAt, resolutionMs }: ClockReading): number {
  const skew = saidAt + resolutionMs / 2 - (askedAt + answeredAt) / 2;
  const doubt = (answeredAt - askedAt) / 2 + resolutionMs / 2;
  return Math.abs(skew) <= doubt ? 0 : Math.round(skew);
}
