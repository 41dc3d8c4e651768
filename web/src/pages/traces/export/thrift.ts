/** Values of Thrift's compact protocol, in which the metadata of Parquet files are written. */
export type ThriftValue =
  | { type: 'i32' | 'i64'; value: number }
  | { type: 'text'; value: string }
  | { type: 'list'; of: ThriftValue['type']; values: ThriftValue[] }
  | { type: 'struct'; fields: [id: number, value: ThriftValue][] };

export const i32 = (value: number): ThriftValue => ({ type: 'i32', value });
export const i64 = (value: number): ThriftValue => ({ type: 'i64', value });
export const text = (value: string): ThriftValue => ({ type: 'text', value });
export const list = (of: ThriftValue['type'], values: ThriftValue[]): ThriftValue => ({ type: 'list', of, values });
export const struct = (...fields: [number, ThriftValue][]): ThriftValue => ({ type: 'struct', fields });

const codes = { i32: 5, i64: 6, text: 8, list: 9, struct: 12 } as const;

/** A value in the compact protocol. The ids of a struct's fields must ascend by less than 16. */
export function thriftBytes(value: ThriftValue): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  write(value, bytes);
  return Uint8Array.from(bytes);
}

function write(value: ThriftValue, bytes: number[]): void {
  switch (value.type) {
    case 'i32':
    case 'i64':
      writeVarint(BigInt(value.value) * 2n, bytes); // zigzag of a number that is not negative
      return;
    case 'text': {
      const utf8 = new TextEncoder().encode(value.value);
      writeVarint(BigInt(utf8.length), bytes);
      bytes.push(...utf8);
      return;
    }
    case 'list':
      if (value.values.length < 15) bytes.push((value.values.length << 4) | codes[value.of]);
      else {
        bytes.push(0xf0 | codes[value.of]);
        writeVarint(BigInt(value.values.length), bytes);
      }
      for (const each of value.values) write(each, bytes);
      return;
    case 'struct': {
      let last = 0;
      for (const [id, member] of value.fields) {
        bytes.push(((id - last) << 4) | codes[member.type]);
        write(member, bytes);
        last = id;
      }
      bytes.push(0);
      return;
    }
    default:
      value satisfies never;
  }
}

function writeVarint(value: bigint, bytes: number[]): void {
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
}
