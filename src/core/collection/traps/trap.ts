import type { SensorProtocol } from './sensor-protocol.ts';

/**
 * Credentials leave a connection only as a keyed hash. `secret` is a password, or the answer to our
 * challenge.
 */
export interface Attempt {
  readonly user: string;
  readonly secret: string;
}

/** A trap's reaction to bytes. All texts on the wire are strings of code units 0 to 255, one per byte. */
export interface TrapStep<State> {
  readonly state: State;
  readonly reply: string;
  readonly attempts: readonly Attempt[];
  /**
   * Marks the client's make, without name or password. It is part of the fingerprint until the first attempt.
   */
  readonly trait: string;
  readonly end: boolean;
}

/**
 * One protocol as a state machine: the same bytes always have the same outcome, however they are split. It
 * admits no client, runs nothing, and answers with prepared texts. Each trap limits its memory of a client;
 * the connection limits bytes and seconds.
 */
export interface Trap<State> {
  readonly protocol: SensorProtocol;
  open(): TrapStep<State>;
  receive(state: State, bytes: string): TrapStep<State>;
}

const NO_ATTEMPTS: readonly Attempt[] = Object.freeze([]);

export const step = <State>(state: State, change: Partial<Omit<TrapStep<State>, 'state'>> = {}): TrapStep<State> => ({
  state,
  reply: '',
  attempts: NO_ATTEMPTS,
  trait: '',
  end: false,
  ...change,
});
