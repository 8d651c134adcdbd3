/** Client of Pulse. Middleware has its own entry points: `pulse-client/express` and `pulse-client/hono`. */
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
