import type { Attempt } from '../../core/collection/traps/trap.ts';

export interface SessionPeer {
  send(bytes: Uint8Array): void;
  end(): void;
  attempt(attempt: Attempt): void;
  /** Adds a mark of the client's make; it counts until the first attempt. */
  trait(text: string): void;
}

export interface TrapSession {
  receive(bytes: Buffer): void;
  closed?(): void;
}
