import type { Step } from '../step.ts';
import { chargeAllowance } from '../steps/charge.ts';
import { identifyCaller, identifyDecider } from '../steps/identify-caller.ts';
import {
  checkHistory,
  readAddress,
  readDecided,
  readDecodedAddress,
  readMoment,
  readTimeRange,
  refuseMoment,
  refuseMomentInQuery,
} from '../steps/read.ts';
import {
  refuseForeignText,
  refuseKeyInQuery,
  requireData,
  requireHost,
  requireKey,
  requireProfessional,
} from '../steps/require.ts';

/** Who asks; a key is judged where it is sent. */
const CALLER: readonly Step[] = [refuseKeyInQuery, identifyCaller];
/** Who asks, with a key. */
export const KEY: readonly Step[] = [...CALLER, requireKey];
const pulse = (readIp: Step, readTime: Step = readMoment): readonly Step[] => [
  requireProfessional,
  readIp,
  readTime,
  requireData,
  checkHistory,
  chargeAllowance,
];
/** A professional lookup of one address, now or at a moment. */
export const PULSE: readonly Step[] = pulse(readAddress);
/** The same where the framework has decoded the address. */
export const PULSE_DECODED: readonly Step[] = pulse(readDecodedAddress);
/** A professional question about one address in a time. */
export const TIME_RANGE: readonly Step[] = pulse(readDecodedAddress, readTimeRange);

/** The chains of the lookups: a lookup thread loads these steps and no others. Of a batch, those before its body. */
export const LOOKUP_CHAINS = {
  ip: [...CALLER, readAddress, refuseMoment, requireData, chargeAllowance],
  pulse: [...KEY, ...PULSE],
  decide: [requireHost, refuseKeyInQuery, identifyDecider, requireKey, readDecided, requireData, chargeAllowance],
  'ip-batch': [refuseKeyInQuery, refuseForeignText, identifyCaller, refuseMoment],
  'pulse-batch': [...KEY, requireProfessional, refuseMomentInQuery],
} satisfies Record<string, readonly Step[]>;
