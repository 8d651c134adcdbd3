import {
  type DatabaseIntrospector,
  type DatabaseMetadataOptions,
  type Kysely,
  PostgresIntrospector,
  sql,
  type TableMetadata,
} from 'kysely';
import { DEFAULT_MIGRATION_LOCK_TABLE, DEFAULT_MIGRATION_TABLE } from 'kysely/migration';

/** Tables in which Kysely keeps its migrations. */
const OF_MIGRATIONS: ReadonlySet<string> = new Set([DEFAULT_MIGRATION_TABLE, DEFAULT_MIGRATION_LOCK_TABLE]);

interface CatalogRow {
  readonly schema: string;
  readonly name: string;
  readonly isView: boolean;
  readonly isForeign: boolean;
  readonly columns: TableMetadata['columns'];
}

/**
 * Names tables and columns from the catalogue alone. Kysely's own also asks for the sequence of each column by the name of its table, which fails with 42P01 when
 * another node drops a table meanwhile (a phone library that was replaced), and so would a start of this one.
 */
export class CatalogIntrospector extends PostgresIntrospector implements DatabaseIntrospector {
  readonly #db: Kysely<unknown>;

  constructor(db: Kysely<unknown>) {
    super(db);
    this.#db = db;
  }

  /** `isAutoIncrementing` is true of identity columns alone. */
  override async getTables(
    { withInternalKyselyTables }: DatabaseMetadataOptions = { withInternalKyselyTables: false },
  ): Promise<TableMetadata[]> {
    const { rows } = await sql<CatalogRow>`
      select s.nspname as schema, c.relname as name, c.relkind in ('v', 'm') as "isView", c.relkind = 'f' as "isForeign",
        coalesce(json_agg(json_build_object('name', a.attname, 'dataType', t.typname, 'isNullable', not a.attnotnull, 'hasDefaultValue', a.atthasdef,
          'isAutoIncrementing', a.attidentity <> '') order by a.attnum) filter (where a.attname is not null), '[]') as columns
      from pg_class c join pg_namespace s on s.oid = c.relnamespace
        left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped left join pg_type t on t.oid = a.atttypid
      where c.relkind in ('r', 'p', 'v', 'm', 'f') and s.nspname !~ '^pg_' and s.nspname <> 'information_schema'
      group by s.nspname, c.relname, c.relkind order by 1, 2`.execute(this.#db);
    const wanted = rows.filter(({ name }) => withInternalKyselyTables || !OF_MIGRATIONS.has(name));
    return wanted.map(({ schema, name, isView, isForeign, columns }) => ({
      schema,
      name,
      isView,
      isForeign,
      columns: [...columns],
    }));
  }
}
