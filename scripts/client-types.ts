/**
 * Writes clients/typescript/src/openapi.generated.ts: the documents of openapi.json as TypeScript. Run it
 * when a schema of the service changes; a test holds the file to the schemas. Our schemas use a small part of
 * JSON Schema, and anything beyond it is refused here.
 */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { openApiDocument } from '../src/apps/http/openapi/document.ts';

export const CLIENT_TYPES = resolve(import.meta.dirname, '../clients/typescript/src/openapi.generated.ts');

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** A document whose name a global has. */
const nameOf = (component: string): string => (component === 'Error' ? 'ErrorBody' : component);

/** Text of the file. */
export function clientTypes(): string {
  const { components } = openApiDocument('http://127.0.0.1') as {
    components: { schemas: Readonly<Record<string, Schema>> };
  };
  const types = Object.entries(components.schemas).map(
    ([name, schema]) => `${comment(schema, '')}export type ${nameOf(name)} = ${typeOf(schema, '')};\n`,
  );
  return `// Made by scripts/client-types.ts from the OpenAPI document. Answers may have further keys: ignore those you do not know.\n\n${types.join('\n')}`;
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref.split('/').at(-1)!);
  if (schema.anyOf !== undefined) return schema.anyOf.map((part) => typeOf(part, indent)).join(' | ');
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  if (schema.const !== undefined) return literal(schema.const);
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return schema.maxItems === 0 ? 'readonly []' : arrayType(typeOf(schema.items!, indent));
    case 'object':
      return objectType(schema, indent);
    default:
      throw new Error(`no TypeScript for ${JSON.stringify(schema)}`);
  }
}

const arrayType = (item: string): string => (item.includes(' | ') ? `readonly (${item})[]` : `readonly ${item}[]`);

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value));

function objectType({ properties, patternProperties, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `;
  if (properties === undefined) {
    const [values] = Object.values(patternProperties ?? {});
    if (values === undefined) throw new Error('an object that says nothing of its keys');
    return `{ readonly [key: string]: ${typeOf(values, indent)} }`;
  }
  const lines = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(schema, inner)}${inner}readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema, inner)};\n`,
  );
  return `{\n${lines.join('')}${indent}}`;
}

const comment = ({ description }: Schema, indent: string): string =>
  description === undefined ? '' : `${indent}/** ${description} */\n`;

if (import.meta.main) writeFileSync(CLIENT_TYPES, clientTypes());
