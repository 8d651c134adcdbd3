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

/** Work of the control thread. `start` returns when it runs; longer work goes on. A throw stops the start. */
export interface BackgroundJob {
  readonly name: string;
  start(context: ControlContext): Promise<{ stop(): Promise<void> | void }>;
}
