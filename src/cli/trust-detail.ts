import type { TrustOutcome, TrustWish } from '../service/intake/set-trust.ts';
import { isoTime } from '../service/iso-time.ts';

/** A change of trust as JSON, for the command line and the audit log. */
export function trustDetail({ trust, reason }: TrustWish, { retracted, taken }: TrustOutcome) {
  return {
    trust,
    ...(reason === undefined ? {} : { reason }),
    ...(retracted === undefined ? {} : { from: isoTime(retracted.from), to: isoTime(retracted.to) }),
    captures: taken.captures,
    derived_alone: taken.derivedAlone,
    derived_partly: taken.derivedPartly,
  };
}

/** The same in sentences. */
export function trustLines({ source, trust }: TrustWish, { retracted, taken }: TrustOutcome): readonly string[] {
  const { captures, derivedAlone, derivedPartly } = taken;
  return [
    trust === 'none'
      ? `${source} is not trusted: its batches are refused from now on`
      : `${source} is trusted: its batches are taken in from now on`,
    ...(retracted === undefined
      ? []
      : [
          `captures of it from ${isoTime(retracted.from)} until ${isoTime(retracted.to)} do not count: ${captures} that were there`,
        ]),
    ...(derivedAlone === 0 ? [] : [`${derivedAlone} derived captures rested on them alone and count no more`]),
    ...(derivedPartly === 0 ? [] : [`${derivedPartly} derived captures rest on other captures, too, and stay`]),
  ];
}
