import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';

/** Every value may be null. */
export type ParquetColumn<Row> = { name: string } & (
  | { kind: 'text'; read: (row: Row) => string | null }
  | { kind: 'number'; read: (row: Row) => number | null }
  | { kind: 'truth'; read: (row: Row) => boolean | null }
  /** Microseconds since 1970. */
  | { kind: 'time'; read: (row: Row) => bigint | null }
);

/** Rows are compressed and written in groups, so that only one group is kept as it is. */
const groupRowsMax = 2000;

const types: Record<ParquetColumn<unknown>['kind'], Pick<SchemaElement, 'type' | 'converted_type'>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  truth: { type: 'BOOLEAN' },
  number: { type: 'DOUBLE' },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MICROS' },
};

/** Writes a Parquet file, compressed with Snappy. */
export class ParquetFile<Row> {
  readonly #columns: ParquetColumn<Row>[];
  readonly #bytes = new ByteWriter();
  readonly #writer: ParquetWriter;
  readonly #parts: BlobPart[] = [];
  #rows: Row[] = [];

  constructor(columns: ParquetColumn<Row>[]) {
    this.#columns = columns;
    const leaves = columns.map(({ name, kind }) => ({ name, repetition_type: 'OPTIONAL' as const, ...types[kind] }));
    const schema: SchemaElement[] = [{ name: 'calls', num_children: leaves.length }, ...leaves];
    this.#writer = new ParquetWriter({ writer: this.#bytes, schema, createdBy: 'heddle' });
  }

  async add(row: Row): Promise<void> {
    this.#rows.push(row);
    if (this.#rows.length >= groupRowsMax) await this.#writeGroup();
  }

  /** The parts of the whole file. */
  async end(): Promise<BlobPart[]> {
    if (this.#rows.length > 0) await this.#writeGroup();
    await this.#writer.finish();
    this.#takeBytes();
    return this.#parts;
  }

  async #writeGroup(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    const columnData = this.#columns.map(({ name, read }) => ({ name, data: rows.map((row) => read(row)) }));
    await this.#writer.write({ columnData, rowGroupSize: rows.length });
    this.#takeBytes();
  }

  /** The writer keeps only what is not yet a part. */
  #takeBytes(): void {
    this.#parts.push(this.#bytes.getBuffer());
    this.#bytes.index = 0;
  }
}
