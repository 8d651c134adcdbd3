import type { Attempt } from '../../core/collection/traps/trap.ts';

/** A talk's ways to use its connection. */
export interface TalkSide {
  send(bytes: Uint8Array): void;
  /** Closes behind sent bytes. */
  end(): void;
  attempt(attempt: Attempt): void;
  /** Marks of the client's make; counts until its first attempt. */
  trait(text: string): void;
}

/** The conversation of one protocol with one client. */
export interface Talk {
  receive(bytes: Buffer): void;
  /** The connection is gone. */
  closed?(): void;
}
