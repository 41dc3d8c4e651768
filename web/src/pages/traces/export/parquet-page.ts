export type PageColumn<Row> =
  | { kind: 'text'; read: (row: Row) => string | null }
  | { kind: 'number'; read: (row: Row) => number | null }
  | { kind: 'truth'; read: (row: Row) => boolean | null }
  /** Microseconds since 1970. */
  | { kind: 'time'; read: (row: Row) => bigint | null };

/** The values of a column as the data of a page: which of them are there, and these one after the other. */
export async function columnPage<Row>(
  column: PageColumn<Row>,
  rows: Row[],
): Promise<{ page: Uint8Array<ArrayBuffer>; size: number }> {
  const values = rows.map((row) => column.read(row));
  const present = values.filter((value) => value !== null);
  const truths = present.filter((value) => typeof value === 'boolean');
  const others = present.filter((value) => typeof value !== 'boolean');
  const plain = new Blob([levelsOf(values), bitsOf(truths), ...others.map(valueBytes)]);
  const compressed = new Response(plain.stream().pipeThrough(new CompressionStream('gzip')));
  return { page: new Uint8Array(await compressed.arrayBuffer()), size: plain.size };
}

/** For each value 1 if it is there and 0 if it is null, as runs of equal numbers with their length in front. */
function levelsOf(values: unknown[]): Uint8Array<ArrayBuffer> {
  const runs: number[] = [];
  for (let start = 0; start < values.length; ) {
    const isNull = values[start] === null;
    let end = start + 1;
    while (end < values.length && (values[end] === null) === isNull) end++;
    let rest = (end - start) * 2;
    for (; rest > 0x7f; rest >>>= 7) runs.push((rest & 0x7f) | 0x80);
    runs.push(rest, isNull ? 0 : 1);
    start = end;
  }
  const bytes = new Uint8Array(4 + runs.length);
  new DataView(bytes.buffer).setUint32(0, runs.length, true);
  bytes.set(runs, 4);
  return bytes;
}

/** Eight to a byte, the first in its lowest bit. */
function bitsOf(values: boolean[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.ceil(values.length / 8));
  for (const [i, value] of values.entries()) if (value) bytes[i >> 3]! |= 1 << (i & 7);
  return bytes;
}

function valueBytes(value: string | number | bigint): Uint8Array<ArrayBuffer> {
  if (typeof value === 'string') {
    const utf8 = new TextEncoder().encode(value);
    const bytes = new Uint8Array(4 + utf8.length);
    new DataView(bytes.buffer).setUint32(0, utf8.length, true);
    bytes.set(utf8, 4);
    return bytes;
  }
  const view = new DataView(new ArrayBuffer(8));
  if (typeof value === 'number') view.setFloat64(0, value, true);
  else view.setBigInt64(0, value, true);
  return new Uint8Array(view.buffer);
}
