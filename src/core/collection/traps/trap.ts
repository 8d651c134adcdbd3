import type { SensorProtocol } from './sensor-protocol.ts';

/** Credentials offered by a client. Leaves a connection only as a keyed hash. */
export interface Attempt {
  readonly user: string;
  /** A password, or the answer to our challenge, which stands for one. */
  readonly secret: string;
}

/** Handling of bytes by a trap. All texts on the wire are strings of code units 0 to 255, one a byte. */
export interface TrapStep<State> {
  readonly state: State;
  /** Bytes for the client; '' for none. */
  readonly reply: string;
  readonly attempts: readonly Attempt[];
  /** Marks of the client's make: no name, no password. Part of its fingerprint until its first attempt. */
  readonly trait: string;
  /** The connection is closed behind the reply. */
  readonly end: boolean;
}

/**
 * One protocol as a state machine: the same bytes always have the same outcome, however they are cut. It lets no client in, runs nothing, and answers in words of
 * its own. Its memory of a client is bounded by its own limits; the connection bounds bytes and seconds.
 */
export interface Trap<State> {
  readonly protocol: SensorProtocol;
  /** Before the client spoke. */
  open(): TrapStep<State>;
  receive(state: State, bytes: string): TrapStep<State>;
}

const NO_ATTEMPTS: readonly Attempt[] = Object.freeze([]);

/** A step that changes nothing but the named values. */
export const step = <State>(state: State, change: Partial<Omit<TrapStep<State>, 'state'>> = {}): TrapStep<State> => ({
  state,
  reply: '',
  attempts: NO_ATTEMPTS,
  trait: '',
  end: false,
  ...change,
});
