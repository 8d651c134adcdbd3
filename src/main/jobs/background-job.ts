import type { PublishedData } from '../../adapters/snapshots/published-data.ts';
import type { Logger } from '../../adapters/system/create-logger.ts';
import type { Config } from '../../config.ts';
import type { Said } from '../../core/texts/said.ts';
import type { Clock } from '../../service/ports.ts';
import type { Publish } from '../../service/serving/data-state.ts';

export interface Requests {
  onRefreshFeed(listener: (id: string) => void): void;
}

export interface ControlContext {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly publish: Publish;
  readonly geo: Pick<PublishedData, 'follow'>;
  readonly requests: Requests | undefined;
  /** Shows progress of long work on a terminal, in one line that is overwritten; undefined ends it. */
  readonly progress: (step: Said | undefined) => void;
}

/**
 * Work of the control thread. `start` returns once it is running; longer work continues afterwards. A throw
 * stops the start of the service.
 */
export interface BackgroundJob {
  readonly name: string;
  start(context: ControlContext): Promise<{ stop(): Promise<void> | void }>;
}
