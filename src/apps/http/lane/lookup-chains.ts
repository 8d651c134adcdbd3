import type { Step } from '../step.ts';
import { chargeAllowance } from '../steps/charge.ts';
import { identifyCaller, identifyDecider, limitVisitor } from '../steps/identify-caller.ts';
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

const CALLER: readonly Step[] = [refuseKeyInQuery, identifyCaller];
export const KEY: readonly Step[] = [...CALLER, requireKey];
const pulse = (readIp: Step, readTime: Step = readMoment): readonly Step[] => [
  requireProfessional,
  readIp,
  readTime,
  requireData,
  checkHistory,
  chargeAllowance,
];
export const PULSE: readonly Step[] = pulse(readAddress);
export const PULSE_DECODED: readonly Step[] = pulse(readDecodedAddress);
export const TIME_RANGE: readonly Step[] = pulse(readDecodedAddress, readTimeRange);

export const LOOKUP_CHAINS = {
  ip: [...CALLER, readAddress, refuseMoment, requireData, chargeAllowance],
  pulse: [...KEY, ...PULSE],
  decide: [
    requireHost,
    refuseKeyInQuery,
    identifyDecider,
    requireKey,
    limitVisitor,
    readDecided,
    refuseMoment,
    requireData,
    chargeAllowance,
  ],
  'ip-batch': [refuseKeyInQuery, refuseForeignText, identifyCaller, refuseMoment],
  'pulse-batch': [...KEY, requireProfessional, refuseMomentInQuery],
} satisfies Record<string, readonly Step[]>;
