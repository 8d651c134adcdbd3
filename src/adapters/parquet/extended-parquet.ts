import type { ColumnChunk, FileMetaData, KeyValue, LogicalType, RowGroup, SchemaElement } from 'hyparquet';
import type { ParquetWriter } from 'hyparquet-writer';
import type { Output } from '../log-files/open-output.ts';
import type { ParquetFile, RowRange } from './parquet-file.ts';

/** A column that is added. Values are null where there is none. */
export interface AddedColumn {
  readonly name: string;
  readonly kind: 'text' | 'int32' | 'int64' | 'double' | 'boolean';
}

/**
 * Writes a Parquet file as it is with further columns behind its own. The pages of the old columns are copied byte for byte, whatever their types and packing; the footer is
 * written again. What points from the footer to other places of the old file is left out: page indexes, Bloom filters, and the least and greatest value of old columns.
 */
export class ExtendedParquet {
  readonly #file: ParquetFile;
  readonly #added: readonly AddedColumn[];
  readonly #output: Output;
  readonly #writer: ParquetWriter;

  private constructor(file: ParquetFile, added: readonly AddedColumn[], output: Output, writer: ParquetWriter) {
    this.#file = file;
    this.#added = added;
    this.#output = output;
    this.#writer = writer;
  }

  /** @throws Error that names the column that cannot be kept as it is, or stands there already */
  static async begin(file: ParquetFile, added: readonly AddedColumn[], output: Output): Promise<ExtendedParquet> {
    const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
    const { metadata } = file;
    const twice = added.find(({ name }) => file.columns.some(({ element }) => element.name === name));
    if (twice !== undefined)
      throw new Error(`the file has a column ${JSON.stringify(twice.name)} already; leave it out of --fields`);
    for (const { columns } of metadata.row_groups) columns.forEach(checkChunk);
    const kvMetadata = keptNotes(metadata);
    const writer = new ParquetWriter({
      writer: new ByteWriter(),
      schema: extendedSchema(metadata.schema, added),
      createdBy: 'pulse',
      ...(kvMetadata.length > 0 && { kvMetadata }),
    });
    return new ExtendedParquet(file, added, output, writer);
  }

  /** @param values of each added column, one for each row of the group */
  async write(
    { group, start, end }: RowRange & { readonly group: RowGroup },
    values: readonly (readonly unknown[])[],
  ): Promise<void> {
    await this.#flush();
    const { writer } = this.#writer;
    const from = writer.offset;
    const kept: ColumnChunk[] = [];
    for (const chunk of group.columns) kept.push(await this.#copy(chunk));
    const columnData = this.#added.map(({ name }, i) => ({ name, data: values[i] as unknown[] }));
    await this.#writer.write({ columnData, rowGroupSize: end - start });
    const written = this.#writer.row_groups.at(-1)!;
    written.columns.unshift(...kept);
    written.file_offset = BigInt(from);
    written.total_byte_size += kept.reduce((sum, { meta_data }) => sum + meta_data!.total_uncompressed_size, 0n);
    written.total_compressed_size = BigInt(writer.offset - from);
    if (group.sorting_columns !== undefined) written.sorting_columns = group.sorting_columns;
    await this.#flush();
  }

  async finish(): Promise<void> {
    await this.#writer.finish();
    await this.#flush();
  }

  async #copy({ meta_data: meta }: ColumnChunk): Promise<ColumnChunk> {
    const { writer } = this.#writer;
    const to = writer.offset;
    const from = startOf(meta!);
    for await (const piece of this.#file.bytes(from, Number(meta!.total_compressed_size))) {
      await this.#output.write(piece);
      writer.offset += piece.length;
    }
    return movedChunk(meta!, BigInt(to - from), BigInt(to));
  }

  async #flush(): Promise<void> {
    const writer = this.#writer.writer as InstanceType<typeof import('hyparquet-writer').ByteWriter>;
    await this.#output.write(Buffer.from(writer.getBytes()));
    writer.index = 0;
  }
}

type ColumnMeta = NonNullable<ColumnChunk['meta_data']>;

/** The dictionary stands in front of the other pages. */
const startOf = ({ dictionary_page_offset: dictionary, data_page_offset: data }: ColumnMeta): number =>
  Number(dictionary !== undefined && dictionary > 0n && dictionary < data ? dictionary : data);

function movedChunk(meta: ColumnMeta, by: bigint, to: bigint): ColumnChunk {
  const {
    type,
    encodings,
    path_in_schema,
    codec,
    num_values,
    total_uncompressed_size,
    total_compressed_size,
    encoding_stats,
  } = meta;
  const dictionary = meta.dictionary_page_offset;
  const nulls = meta.statistics?.null_count;
  return {
    file_offset: to,
    meta_data: {
      type,
      encodings,
      path_in_schema,
      codec,
      num_values,
      total_uncompressed_size,
      total_compressed_size,
      data_page_offset: meta.data_page_offset + by,
      ...(dictionary !== undefined && dictionary > 0n && { dictionary_page_offset: dictionary + by }),
      ...(nulls !== undefined && { statistics: { null_count: nulls } }),
      ...(encoding_stats !== undefined && { encoding_stats }),
    },
  };
}

/** @throws Error that names a column that the footer could not describe as it is */
function checkChunk({ meta_data: meta, file_path, crypto_metadata, encrypted_column_metadata }: ColumnChunk): void {
  const name = JSON.stringify(meta?.path_in_schema.join('.') ?? '');
  if (meta === undefined || crypto_metadata !== undefined || encrypted_column_metadata !== undefined)
    throw new Error(`the column ${name} is encrypted`);
  if (file_path !== undefined) throw new Error(`the column ${name} is in another file`);
  if (meta.codec === undefined || meta.type === undefined || meta.encodings.includes(undefined as never))
    throw new Error(`the column ${name} is written in a way that is not known`);
}

/** Kinds of values that the footer says in full. */
const LOGICAL: readonly LogicalType['type'][] = [
  'STRING', 'MAP', 'LIST', 'ENUM', 'DECIMAL', 'DATE', 'TIME', 'TIMESTAMP', 'INTEGER', 'NULL', 'JSON', 'BSON', 'UUID', 'FLOAT16', 'GEOMETRY', 'GEOGRAPHY',
]; // biome-ignore format: rows of names

/** @throws Error that names a column whose kind could not be written as it is */
function keptElement(element: SchemaElement): SchemaElement {
  const { logical_type: logical, ...rest } = element;
  if (logical === undefined) return element;
  if (!LOGICAL.includes(logical.type))
    throw new Error(
      `the column ${JSON.stringify(element.name)} has a type that cannot be written back unchanged; leave it out of the file`,
    );
  // The format gives both the same meaning; the library would write the width of the newer one in a form that strict readers refuse.
  if (logical.type === 'INTEGER')
    return {
      ...rest,
      converted_type: `${logical.isSigned ? 'INT' : 'UINT'}_${logical.bitWidth}` as NonNullable<
        SchemaElement['converted_type']
      >,
    };
  return element;
}

function extendedSchema([root, ...elements]: readonly SchemaElement[], added: readonly AddedColumn[]): SchemaElement[] {
  return [
    { ...root!, num_children: (root!.num_children ?? 0) + added.length },
    ...elements.map(keptElement),
    ...added.map(elementOf),
  ];
}

function elementOf({ name, kind }: AddedColumn): SchemaElement {
  const type = ({ text: 'BYTE_ARRAY', int32: 'INT32', int64: 'INT64', double: 'DOUBLE', boolean: 'BOOLEAN' } as const)[
    kind
  ];
  return {
    name,
    type,
    repetition_type: 'OPTIONAL',
    ...(kind === 'text' && { converted_type: 'UTF8', logical_type: { type: 'STRING' } }),
  };
}

/** Arrow's note lists the columns of the file as it was. */
const keptNotes = ({ key_value_metadata: notes = [] }: FileMetaData): KeyValue[] =>
  notes.filter(({ key }) => key !== 'ARROW:schema');
