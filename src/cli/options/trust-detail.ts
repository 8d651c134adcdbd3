import { DERIVED_ID } from '../../core/collection/derive/derivation-rules.ts';
import type { TrustOptions, TrustOutcome } from '../../service/intake/set-trust.ts';
import { isoTime } from '../../service/iso-time.ts';
import type { RetractedCaptures } from '../../service/ports.ts';
import { say } from '../language/say.ts';

export function trustDetail({ trust, reason }: TrustOptions, { retracted, taken }: TrustOutcome) {
  return {
    trust,
    ...(reason === undefined ? {} : { reason }),
    ...(retracted === undefined ? {} : { from: isoTime(retracted.from), to: isoTime(retracted.to) }),
    captures: taken.captures,
    derived_alone: taken.derivedRetracted,
    derived_partly: taken.derivedKept,
  };
}

export function trustLines({ source, trust }: TrustOptions, { retracted, taken }: TrustOutcome): readonly string[] {
  const { captures } = taken;
  return [
    trust === 'none'
      ? say('{source} is not trusted: its batches are refused from now on', { source })
      : say('{source} is trusted: its batches are taken in from now on', { source }),
    ...(retracted === undefined
      ? []
      : [
          say('captures of it from {from} until {to} do not count: {count} that were there', {
            from: isoTime(retracted.from),
            to: isoTime(retracted.to),
            count: captures,
          }),
        ]),
    ...derivedLines(taken),
  ];
}

export function derivedLines({ derivedRetracted, derivedKept }: RetractedCaptures): readonly string[] {
  return [
    ...(derivedRetracted === 0
      ? []
      : [say('{count} derived captures rested on them alone and count no more', { count: derivedRetracted })]),
    ...(derivedKept === 0
      ? []
      : [
          say(
            '{count} derived captures rest on other captures, too, and stay; `pulse evidence retract {source}` takes them back',
            { count: derivedKept, source: DERIVED_ID },
          ),
        ]),
  ];
}
