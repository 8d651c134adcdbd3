import type { Logger } from '../adapters/system/logger.ts';
import type { Config } from '../config.ts';
import type { EvidenceDelta } from '../engine/evidence/evidence-delta.ts';
import type { Clock } from '../service/ports.ts';
import type { PhoneShared } from './phone/open-phone.ts';

/** Hands new look-up data to every HTTP thread. Requests under way finish on what they took. */
export interface Publisher {
  geo(image: SharedArrayBuffer): void;
  /**
   * @param included sequence of the last delta the image holds; later ones stay applied
   * @param restart what threads have seen so far no longer counts: they take the image whatever its number, and no delta stays applied
   */
  evidence(image: SharedArrayBuffer, included: number, restart: boolean): void;
  delta(delta: EvidenceDelta): void;
  /** Verdicts are degraded while anybody says so. */
  degraded(who: 'feeds' | 'evidence', degraded: boolean): void;
  /** Files of lists about networks changed. */
  networkLists(): void;
  /** Prefix lists of AI assistants that another node published. */
  assistants(lists: SharedArrayBuffer): void;
  phone(libraries: PhoneShared): void;
}

/** What comes back from the HTTP threads. */
export interface Requests {
  /** An operator asks on the site for a feed to be read now. */
  onRefreshFeed(listener: (id: string) => void): void;
}

export interface ControlContext {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly publisher: Publisher;
  readonly requests: Requests;
  /** Shows how long work goes on: one line on a terminal, overwritten. */
  readonly progress: (text: string) => void;
}

/**
 * A piece of work of the control thread: preparing data, keeping feeds fresh, following what other processes wrote.
 * `start` returns when the job runs; work that takes longer continues in the background and publishes when it is done. A job that throws stops the start.
 */
export interface BackgroundJob {
  readonly name: string;
  start(context: ControlContext): Promise<{ stop(): Promise<void> | void }>;
}
