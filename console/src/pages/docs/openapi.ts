/** The parts of an OpenAPI 3.1 document that the reference page draws. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

export interface Operation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
        readonly headers?: Readonly<Record<string, unknown>>;
      }
    >
  >;
}

export interface OpenApi {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface FieldRow {
  /** `risk.score`, `evidence[].risk_type` */
  readonly path: string;
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string | undefined;
}

const resolve = (document: OpenApi, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? schema);

/** Writes a field's type for the table. */
export function typeText(document: OpenApi, unresolved: Schema): string {
  const schema = resolve(document, unresolved);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.length > 12 ? 'string' : schema.enum.map(String).join(' | ');
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map((part) => typeText(document, part)))].join(' | ');
  if (schema.type === 'array') return `${typeText(document, schema.items ?? {})}[]`;
  if (schema.minimum !== undefined && schema.maximum !== undefined)
    return `${schema.type} ${schema.minimum}…${schema.maximum}`;
  return schema.format ?? schema.type ?? '';
}

/**
 * Every field of a document as one flat list, parents before children. A union gives the fields of all its
 * parts; a field is required when each part requires it.
 */
export function fieldsOf(document: OpenApi, unresolved: Schema, prefix = ''): readonly FieldRow[] {
  const schema = resolve(document, unresolved);
  if (schema.anyOf !== undefined) return merge(schema.anyOf.map((part) => fieldsOf(document, part, prefix)));
  return Object.entries(schema.properties ?? {}).flatMap(([name, part]) => {
    const inner = resolve(document, part);
    const path = `${prefix}${name}`;
    const row = {
      path,
      name,
      type: typeText(document, part),
      required: schema.required?.includes(name) ?? false,
      description: part.description ?? inner.description,
    };
    // The items of a batch are the documents of a single lookup, which stand elsewhere.
    if (name === 'results') return [{ ...row, type: 'object[]' }];
    if (inner.type === 'array' && inner.items !== undefined)
      return [row, ...fieldsOf(document, inner.items, `${path}[].`)];
    return [row, ...fieldsOf(document, inner, `${path}.`)];
  });
}

function merge(lists: readonly (readonly FieldRow[])[]): readonly FieldRow[] {
  const rows = new Map<string, FieldRow>();
  for (const row of lists.flat()) {
    const known = rows.get(row.path);
    const types = new Set([...(known?.type.split(' | ') ?? []), ...row.type.split(' | ')]);
    rows.set(row.path, {
      ...(known ?? row),
      type: [...types].join(' | '),
      required: lists.every((list) => list.some((other) => other.path === row.path && other.required)),
    });
  }
  return [...rows.values()];
}
