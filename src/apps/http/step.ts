import type { FastifyInstance } from 'fastify';
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

export const ENDPOINTS = [
  'ip',
  'pulse',
  'ip-batch',
  'pulse-batch',
  'decide',
  'me',
  'phone-lookup',
  'phone-batch',
  'phone-meta',
  'mcp',
  'mcp-account',
  'evidence',
  'bouncer',
  'sandbox-ip',
  'sandbox-pulse',
] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

export type HttpPlugin = (app: FastifyInstance, context: HttpPluginContext) => void | Promise<void>;

interface HttpPluginContext {
  readonly services: HttpServices;
}
