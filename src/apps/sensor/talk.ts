import type { Attempt } from '../../core/collection/traps/trap.ts';

/** What a talk may do with its connection. */
export interface TalkSide {
  send(bytes: Uint8Array): void;
  /** Closes behind what was sent. */
  end(): void;
  attempt(attempt: Attempt): void;
  /** What the client showed of its make; counts until its first attempt. */
  trait(text: string): void;
}

/** The conversation of one protocol with one client. */
export interface Talk {
  receive(bytes: Buffer): void;
  /** The connection is gone. */
  closed?(): void;
}
