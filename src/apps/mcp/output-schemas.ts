import type { Tool } from '@modelcontextprotocol/server';
import type { TSchema } from 'typebox';
import { DOCUMENTS } from '../../contract/documents.ts';

type Schema = Readonly<Record<'type' | 'description' | 'properties' | 'items' | 'anyOf', unknown>>;
type Fields = Readonly<Record<string, Schema>>;

const { IPBatch, IPRisk, IPTimeline, Me, NetworkRisk, PhoneProfile, PulseIPRisk, Explanation } = DOCUMENTS;
const BATCH = {
  ...fieldsOf(IPBatch, 1),
  results: { type: 'array', description: 'In the order asked. Short: ip, score, level, signals, state, order.' },
  meta: { type: 'object', description: 'Versions of the data, once for all.' },
  next_page: { type: 'integer', description: 'The next page of a full answer; absent after the last.' },
};

/** What each tool answers: the fields of published documents with their meanings, and which are always there. */
const OUTPUTS: Readonly<Record<string, readonly [fields: object, required: string]>> = {
  ip_risk_lookup: [fieldsOf(IPRisk), 'ip risk evidence_state computed_at'],
  ip_risk_batch: [BATCH, 'count billable results'],
  ip_risk_explain: [fieldsOf(Explanation), 'score evidence_state rows'],
  ip_risk_history: [{ ...fieldsOf(IPTimeline), ...fieldsOf(PulseIPRisk) }, 'ip'],
  network_risk: [fieldsOf(NetworkRisk), 'network active'],
  phone_risk_lookup: [fieldsOf(PhoneProfile, 1), 'hit evidence_state risk'],
  my_quota: [
    { ...fieldsOf(Me), resets_at: { type: 'string', description: 'The next reset, RFC 3339.' } },
    'plan per_day',
  ],
};

/** Documents may gain fields, so the schemas are open; a client that checks an answer by them refuses nothing. */
export function withOutput(definition: Tool): Tool {
  const [properties, required] = OUTPUTS[definition.name]!;
  return { ...definition, outputSchema: { type: 'object', properties, required: required.split(' ') } as never };
}

/** @param depth how many levels of fields are described; clients show the whole to a model */
function fieldsOf(schema: TSchema, depth = 2): Fields {
  const { properties, items, anyOf } = schema as unknown as Schema;
  if (anyOf !== undefined) return Object.assign({}, ...(anyOf as TSchema[]).map((one) => fieldsOf(one, depth)));
  if (items !== undefined) return fieldsOf(items as TSchema, depth);
  const fields = Object.entries((properties ?? {}) as Readonly<Record<string, TSchema & Schema>>);
  return Object.fromEntries(fields.map(([name, field]) => [name, outline(field, depth - 1)]));
}

function outline(field: TSchema & Schema, depth: number): Schema {
  const { type, description } = field;
  const inner = depth === 0 ? {} : fieldsOf(field, depth);
  const nested = { type: 'object', properties: inner };
  return {
    ...{ type, description },
    ...(Object.keys(inner).length > 0 && (type === 'array' ? { items: nested } : nested)),
  } as Schema;
}
