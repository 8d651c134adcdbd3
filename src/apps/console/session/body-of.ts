import type { FastifyRequest } from 'fastify';
import { isRecord } from '../../../core/kit/json.ts';

/** The fields of a JSON body or a query; a value of another kind has none, and each field is checked by who reads it. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isRecord(value) && !Buffer.isBuffer(value) ? value : {};

export const bodyOf = ({ body }: FastifyRequest): Readonly<Record<string, unknown>> => fieldsOf(body);
