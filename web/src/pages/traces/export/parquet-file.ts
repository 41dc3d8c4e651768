import { columnPage, type PageColumn } from './parquet-page.ts';
import { i32, i64, list, struct, type ThriftValue, text, thriftBytes } from './thrift.ts';

export type ParquetColumn<Row> = PageColumn<Row> & { name: string };

/** Rows are compressed and written in groups, so that only one group is kept as it is. */
const groupRowsMax = 2000;

const kinds = {
  text: { type: 6, converted: 0 }, // BYTE_ARRAY, UTF8
  truth: { type: 0, converted: null }, // BOOLEAN
  number: { type: 5, converted: null }, // DOUBLE
  time: { type: 2, converted: 10 }, // INT64, TIMESTAMP_MICROS
} as const;
const [gzip, plain, rle, optional] = [2, 0, 3, 1];

/** Writes a Parquet file: one page for each column of a group, compressed with gzip. Every value may be null. */
export class ParquetFile<Row> {
  readonly #columns: ParquetColumn<Row>[];
  readonly #parts: BlobPart[] = ['PAR1'];
  readonly #groups: ThriftValue[] = [];
  #rows: Row[] = [];
  #size = 4;
  #count = 0;

  constructor(columns: ParquetColumn<Row>[]) {
    this.#columns = columns;
  }

  async add(row: Row): Promise<void> {
    this.#rows.push(row);
    if (this.#rows.length >= groupRowsMax) await this.#writeGroup();
  }

  /** The parts of the whole file. */
  async end(): Promise<BlobPart[]> {
    if (this.#rows.length > 0) await this.#writeGroup();
    const footer = thriftBytes(
      struct(
        [1, i32(1)],
        [2, list('struct', [this.#root(), ...this.#columns.map(schemaOf)])],
        [3, i64(this.#count)],
        [4, list('struct', this.#groups)],
        [6, text('heddle')],
      ),
    );
    const length = new DataView(new ArrayBuffer(4));
    length.setUint32(0, footer.length, true);
    return [...this.#parts, footer, length.buffer, 'PAR1'];
  }

  #root(): ThriftValue {
    return struct([4, text('calls')], [5, i32(this.#columns.length)]);
  }

  async #writeGroup(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    const chunks: ThriftValue[] = [];
    let total = 0;
    for (const column of this.#columns) {
      const { page, size } = await columnPage(column, rows);
      const header = thriftBytes(pageHeader(rows.length, size, page.length));
      const sizes = { whole: header.length + size, compressed: header.length + page.length };
      chunks.push(chunkOf(column, rows.length, this.#size, sizes));
      this.#parts.push(header, page);
      this.#size += sizes.compressed;
      total += sizes.whole;
    }
    this.#groups.push(struct([1, list('struct', chunks)], [2, i64(total)], [3, i64(rows.length)]));
    this.#count += rows.length;
  }
}

function schemaOf<Row>({ name, kind }: ParquetColumn<Row>): ThriftValue {
  const { type, converted } = kinds[kind];
  return struct(
    [1, i32(type)],
    [3, i32(optional)],
    [4, text(name)],
    ...(converted === null ? [] : [[6, i32(converted)] as [number, ThriftValue]]),
  );
}

function pageHeader(count: number, size: number, compressed: number): ThriftValue {
  const data = struct([1, i32(count)], [2, i32(plain)], [3, i32(rle)], [4, i32(rle)]);
  return struct([1, i32(0)], [2, i32(size)], [3, i32(compressed)], [5, data]);
}

function chunkOf<Row>(
  { name, kind }: ParquetColumn<Row>,
  count: number,
  offset: number,
  sizes: { whole: number; compressed: number },
): ThriftValue {
  const metadata = struct(
    [1, i32(kinds[kind].type)],
    [2, list('i32', [i32(plain), i32(rle)])],
    [3, list('text', [text(name)])],
    [4, i32(gzip)],
    [5, i64(count)],
    [6, i64(sizes.whole)],
    [7, i64(sizes.compressed)],
    [9, i64(offset)],
  );
  return struct([2, i64(offset)], [3, metadata]);
}
