import { type EveryOptions, every, type RepeatedWork } from '../every.ts';
import type { Publish } from './data-state.ts';

export interface RepeatOptions extends Pick<EveryOptions, 'meanwhile' | 'firstMs'> {
  readonly degrades?: boolean;
}

interface Control {
  readonly log: EveryOptions['log'];
  readonly publish: Publish;
}

export function repeat(
  { log, publish }: Control,
  name: string,
  ms: number,
  work: () => unknown,
  options: RepeatOptions,
): RepeatedWork {
  return every(name, ms, work, {
    ...options,
    log,
    onFault: (reason) => publishFault(publish, name, reason, options.degrades),
  });
}

export function publishFault(publish: Publish, job: string, reason: string | undefined, degrades = false): void {
  publish({ type: 'fault', job, reason });
  if (degrades) publish({ type: 'degraded', by: `fault of ${job}`, degraded: reason !== undefined });
}
