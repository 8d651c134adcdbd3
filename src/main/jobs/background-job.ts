import type { PublishedData } from '../../adapters/snapshots/published-data.ts';
import type { Logger } from '../../adapters/system/create-logger.ts';
import type { Config } from '../../config.ts';
import type { Clock } from '../../service/ports.ts';
import type { Publish } from '../../service/serving/data-state.ts';

/** Messages from the HTTP threads. */
export interface Requests {
  /** An operator asks on the site for a feed to be read now. */
  onRefreshFeed(listener: (id: string) => void): void;
}

export interface ControlContext {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly publish: Publish;
  readonly geo: Pick<PublishedData, 'follow'>;
  /** Undefined on a node without HTTP threads. */
  readonly requests: Requests | undefined;
  /** Shows how long work goes on: one line on a terminal, overwritten. */
  readonly progress: (text: string) => void;
}

/**
 * A piece of work of the control thread: preparing data, keeping feeds fresh, following writes of other processes.
 * `start` returns when the job runs; work that takes longer continues in the background and publishes when it is done. A job that throws stops the start.
 */
export interface BackgroundJob {
  readonly name: string;
  start(context: ControlContext): Promise<{ stop(): Promise<void> | void }>;
}
