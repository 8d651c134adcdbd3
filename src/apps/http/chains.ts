/**
 * Every chain of steps stands on this page: `routes.ts` names the chain of a route, and its steps run in this
 * order (decisions 4.9). Input is read before the charge and refused after the minute was counted; the day is
 * only charged for good input. A phone lookup or a batch costs as much as its body holds, so its charge comes
 * after the body (of addresses: `answer-ip-batch.ts`). MCP charges in its handler: its refusals are results,
 * and only a tool call costs a day.
 */
import { KEY, LOOKUP_CHAINS, PULSE, PULSE_DECODED, TIME_RANGE } from './lane/lookup-chains.ts';
import type { Step } from './step.ts';
import { chargeAllowance, takeAccountCost } from './steps/charge.ts';
import { chargeNumbers, readPhoneBatch, readPhoneNumber } from './steps/charge-numbers.ts';
import {
  identifyAccount,
  identifyBeacon,
  identifyBouncer,
  identifyFileReader,
  identifyKeyOwner,
  identifyOpenCaller,
  identifyReportReader,
  identifyReportSender,
  identifySender,
  limitLists,
  requireSession,
  setAccountCaller,
} from './steps/identify-account.ts';
import { identifyCaller } from './steps/identify-caller.ts';
import {
  readAddress,
  readCheckedAddress,
  readMoment,
  readNetwork,
  readSandboxAddress,
  refuseMoment,
} from './steps/read.ts';
import {
  refuseKeyInQuery,
  requireData,
  requireEvidenceRight,
  requireFresh,
  requireKey,
  requireLists,
  requireOperator,
  requireOwnOrigin,
  requirePhone,
  requireProfessional,
  requireSameSite,
  requireSecondFactor,
} from './steps/require.ts';

export interface Chain {
  readonly steps: readonly Step[];
  readonly afterBody: readonly Step[];
}

const chain = (steps: readonly Step[], afterBody: readonly Step[] = []): Chain => ({ steps, afterBody });

const SIGNED_IN = [requireSameSite, requireSession, takeAccountCost];
const ASKING = [requireSameSite, requireSession, setAccountCaller];
const OPERATOR = [...SIGNED_IN, requireOperator, requireSecondFactor];

const NETWORK = [requireProfessional, readNetwork, refuseMoment, requireData, chargeAllowance];

const NUMBER = [readPhoneNumber, chargeNumbers];
const NUMBERS = [readPhoneBatch, chargeNumbers];

// biome-ignore format: a row a chain
export const CHAINS = {
  ip: chain(LOOKUP_CHAINS.ip),
  pulse: chain(LOOKUP_CHAINS.pulse),
  'pulse-app': chain([...KEY, ...PULSE_DECODED]),
  'pulse-range': chain([...KEY, ...TIME_RANGE]),
  'pulse-network': chain([...KEY, ...NETWORK]),
  feedback: chain([refuseKeyInQuery, requireSameSite, identifyCaller]),
  'open-table': chain([refuseKeyInQuery, identifyCaller]),
  decide: chain(LOOKUP_CHAINS.decide),
  'ip-batch': chain(LOOKUP_CHAINS['ip-batch']),
  'pulse-batch': chain(LOOKUP_CHAINS['pulse-batch']),
  me: chain([refuseKeyInQuery, identifyKeyOwner, requireKey]),
  'phone-lookup': chain([...KEY, requirePhone], NUMBER),
  'phone-batch': chain([...KEY, requirePhone], NUMBERS),
  'phone-meta': chain(KEY),
  evidence: chain([refuseKeyInQuery, identifySender, requireOperator, requireEvidenceRight]),
  report: chain([refuseKeyInQuery, identifyReportSender, requireOperator, requireEvidenceRight]),
  check: chain([refuseKeyInQuery, identifyReportReader, requireKey, readCheckedAddress, refuseMoment, requireData, chargeAllowance]),
  'allow-list': chain(KEY),
  watchlists: chain([...KEY, requireProfessional]),
  'console-watchlists': chain([...SIGNED_IN, setAccountCaller, requireProfessional]),
  bouncer: chain([refuseKeyInQuery, identifyBouncer, requireLists]),
  beacon: chain([refuseKeyInQuery, identifyBeacon]),
  lists: chain(KEY),
  'console-lists': chain([...SIGNED_IN, setAccountCaller]),
  'list-file': chain([refuseKeyInQuery, identifyFileReader, requireLists, limitLists]),
  databases: chain([refuseKeyInQuery, identifyFileReader, requireLists]),
  'sandbox-ip': chain([refuseKeyInQuery, readSandboxAddress, refuseMoment]),
  'sandbox-pulse': chain([refuseKeyInQuery, readSandboxAddress, readMoment]),
  mcp: chain([refuseKeyInQuery, requireOwnOrigin, identifyOpenCaller]),
  'mcp-account': chain([refuseKeyInQuery, requireOwnOrigin, identifyAccount]),
  // Browsers use these before sign-in, signed in, signed in within 15 minutes, to make a key, and as
  // operators; then follow the same questions as with a key.
  'console-open': chain([requireSameSite]),
  console: chain(SIGNED_IN),
  'console-fresh': chain([...SIGNED_IN, requireFresh]),
  'console-new-key': chain([...SIGNED_IN, requireSecondFactor, requireFresh]),
  'console-operator': chain(OPERATOR),
  'console-operator-change': chain([...OPERATOR, requireFresh]),
  'console-pulse': chain([...ASKING, ...PULSE]),
  'console-timeline': chain([...ASKING, requireProfessional, readAddress, refuseMoment, requireData, chargeAllowance]),
  'console-network': chain([...ASKING, ...NETWORK]),
  'console-phone-lookup': chain([...ASKING, requirePhone], NUMBER),
  'console-phone-batch': chain([...ASKING, requirePhone], NUMBERS),
  'console-ip-batch': chain(ASKING),
} satisfies Record<string, Chain>;

export type ChainName = keyof typeof CHAINS;
