import type { SensorProtocol } from './sensor-protocol.ts';

/** Credentials offered by a client. They leave a connection only as a keyed hash. */
export interface Attempt {
  readonly user: string;
  /** A password, or the answer to our challenge, which stands for one. */
  readonly secret: string;
}

/** A trap's reaction to bytes. All texts on the wire are strings of code units 0 to 255, one per byte. */
export interface TrapStep<State> {
  readonly state: State;
  /** Bytes for the client; empty for none. */
  readonly reply: string;
  readonly attempts: readonly Attempt[];
  /**
   * Marks of the client's make, without name or password. They are part of its fingerprint until its first
   * attempt.
   */
  readonly trait: string;
  /** Closes the connection after the reply. */
  readonly end: boolean;
}

/**
 * One protocol as a state machine: the same bytes always have the same outcome, however they are split. It
 * admits no client, runs nothing, and answers with prepared texts. Each trap limits its memory of a client;
 * the connection limits bytes and seconds.
 */
export interface Trap<State> {
  readonly protocol: SensorProtocol;
  /** Returns the step before the client has sent anything. */
  open(): TrapStep<State>;
  receive(state: State, bytes: string): TrapStep<State>;
}

const NO_ATTEMPTS: readonly Attempt[] = Object.freeze([]);

/** Makes a step that changes only the named values. */
export const step = <State>(state: State, change: Partial<Omit<TrapStep<State>, 'state'>> = {}): TrapStep<State> => ({
  state,
  reply: '',
  attempts: NO_ATTEMPTS,
  trait: '',
  end: false,
  ...change,
});
