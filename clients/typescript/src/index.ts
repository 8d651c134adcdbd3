/** Client of Pulse. The middleware have entry points of their own: `pulse-client/express`, `/fastify`, `/hono`, `/next`. */
export { type Action, type Decision, decide, type Policy, type Signal } from './decide.ts';
export { type GuardOptions, judge, type Outcome } from './guard.ts';
export type * from './openapi.generated.ts';
export {
  type BatchItem,
  type CallOptions,
  type Many,
  type MomentOptions,
  Pulse,
  type PulseBatchItem,
  type PulseOptions,
} from './pulse.ts';
export { PulseError, type PulseErrorCode } from './pulse-error.ts';
