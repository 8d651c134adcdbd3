import type { FastifyInstance } from 'fastify';
import type { HttpServices } from './services.ts';

export type HttpPlugin = (app: FastifyInstance, context: HttpPluginContext) => void | Promise<void>;

export interface HttpPluginContext {
  readonly services: HttpServices;
}
