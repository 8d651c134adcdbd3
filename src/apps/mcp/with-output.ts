import type { Tool } from '@modelcontextprotocol/server';
import { DOCUMENTS } from '../../contract/documents.ts';

interface Schema {
  readonly type?: unknown;
  readonly description?: unknown;
  readonly properties?: Fields;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}
type Fields = Readonly<Record<string, Schema>>;

const { IPBatch, IPRisk, IPTimeline, Me, NetworkRisk, PhoneProfile, PulseIPRisk, Explanation } = DOCUMENTS;

const { ip, risk, evidence_state: state, meta } = fieldsOf(IPRisk);
const { data_version } = meta!.properties!;
const { override } = meta!.properties!;
const order = { type: 'string', description: 'allow, challenge or deny: what to do about the address.' };
const { error } = fieldsOf(DOCUMENTS.IPBatch.properties.results);

/** Each tool answers a published document, with fields in place of its own or beside them. */
const OUTPUTS: Readonly<Record<string, readonly [document: object, more?: Fields]>> = {
  ip_risk_lookup: [IPRisk],
  ip_risk_batch: [
    IPBatch,
    {
      results: {
        type: 'array',
        description: 'In the order asked. With detail full the documents of ip_risk_lookup, without meta.',
        items: { type: 'object', properties: { ip, ...risk!.properties, state, order, override, error } as Fields },
      },
      meta: {
        type: 'object',
        description: 'Versions of the data, once for all.',
        properties: { data_version } as Fields,
      },
      next_page: { type: 'integer', description: 'Next page of a full answer.' },
    },
  ],
  ip_risk_explain: [Explanation],
  ip_risk_history: [{ anyOf: [IPTimeline, PulseIPRisk] }],
  network_risk: [NetworkRisk],
  phone_risk_lookup: [PhoneProfile],
  my_quota: [Me, { resets_at: { type: 'string', description: 'The next reset, RFC 3339.' } }],
};

export function withOutput(definition: Tool): Tool {
  const [document, more] = OUTPUTS[definition.name]!;
  const { required } = document as Schema;
  const properties = { ...fieldsOf(document), ...more };
  return { ...definition, outputSchema: { type: 'object', properties, ...(required && { required }) } as never };
}

/** Returns the fields with their types and meanings, to the innermost. */
function fieldsOf(schema: object): Fields {
  const { properties = {}, items, anyOf } = schema as Schema;
  if (anyOf !== undefined) return Object.assign({}, ...anyOf.toReversed().map(fieldsOf));
  if (items !== undefined) return fieldsOf(items);
  const shown = Object.entries(properties).map(([name, field]) => {
    const { type, description } = field;
    const inner = { type: 'object', properties: fieldsOf(field) };
    const more = type === 'array' ? { items: inner } : inner;
    return [name, { type, description, ...(Object.keys(inner.properties).length > 0 && more) }];
  });
  return Object.fromEntries(shown);
}
