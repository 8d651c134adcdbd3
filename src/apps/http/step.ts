import type { Exchange } from './exchange.ts';
import type { HttpServices } from './services.ts';

export type Step = (exchange: Exchange, services: HttpServices) => void | Promise<void>;

export function runSteps(
  steps: readonly Step[],
  exchange: Exchange,
  services: HttpServices,
  from = 0,
): void | Promise<void> {
  for (let i = from; i < steps.length; i++) {
    const waiting = steps[i]!(exchange, services);
    if (waiting !== undefined) return waiting.then(() => runSteps(steps, exchange, services, i + 1));
  }
}
