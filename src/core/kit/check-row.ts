import { isRecord } from './json.ts';

interface FieldKinds {
  readonly text: string;
  readonly scalar: string;
  readonly flag: boolean;
  readonly list: readonly unknown[];
  readonly record: Readonly<Record<string, unknown>>;
}

export type FieldRule = readonly [kind: keyof FieldKinds, fault: string];

export type RowSchema = Readonly<Record<string, FieldRule>>;

/** An absent or null field is undefined. */
export type CheckedRow<Schema extends RowSchema> = {
  readonly [Field in keyof Schema]: FieldKinds[Schema[Field][0]] | undefined;
};

const READERS: { readonly [Kind in keyof FieldKinds]: (value: unknown) => FieldKinds[Kind] | undefined } = {
  text: (value) => (typeof value === 'string' ? value : undefined),
  scalar: (value) =>
    typeof value === 'string' ? value : typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined,
  flag: (value) => (typeof value === 'boolean' ? value : undefined),
  list: (value) => (Array.isArray(value) ? value : undefined),
  record: (value) => (isRecord(value) ? value : undefined),
};

/**
 * Checks types before any computation, because a foreign `toString` could throw. @returns fields, or the
 * fault
 */
export function checkRow<Schema extends RowSchema>(
  value: unknown,
  schema: Schema,
): CheckedRow<Schema> | string | undefined {
  if (!isRecord(value)) return undefined;
  const row: Record<string, unknown> = {};
  for (const { field, read, fault } of rulesOf(schema)) {
    const given = Object.hasOwn(value, field) ? (value[field] ?? undefined) : undefined;
    const taken = given === undefined ? undefined : read(given);
    if (given !== undefined && taken === undefined) return fault;
    row[field] = taken;
  }
  return row as CheckedRow<Schema>;
}

interface Rule {
  readonly field: string;
  readonly read: (value: unknown) => unknown;
  readonly fault: string;
}

const RULES = new WeakMap<RowSchema, readonly Rule[]>();

function rulesOf(schema: RowSchema): readonly Rule[] {
  const known = RULES.get(schema);
  if (known !== undefined) return known;
  const rules = Object.entries(schema).map(([field, [kind, fault]]): Rule => ({ field, read: READERS[kind], fault }));
  RULES.set(schema, rules);
  return rules;
}
