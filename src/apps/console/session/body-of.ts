import type { FastifyRequest } from 'fastify';
import { isRecord } from '../../../core/kit/json.ts';

/**
 * Returns the fields of a JSON body or a query; none for a value of another kind. The caller must check each
 * field.
 */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isRecord(value) && !Buffer.isBuffer(value) ? value : {};

export const bodyOf = ({ body }: FastifyRequest): Readonly<Record<string, unknown>> => fieldsOf(body);
