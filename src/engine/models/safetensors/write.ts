import { writeFile } from '../file-writer.ts';
import { chunksOf, type StreamedTensor, tensorBytes } from '../streamed-tensor.ts';
import { elementCount } from '../weight-source.ts';

export type WrittenTensor = { shape: number[]; values: Float32Array };

/** Encodes a safetensors file of f32 tensors. */
export function encodeSafetensors(tensors: ReadonlyMap<string, WrittenTensor>): Uint8Array<ArrayBuffer> {
  for (const [name, { shape, values }] of tensors) {
    if (values.length !== elementCount(shape)) {
      throw new Error(`${name} has ${values.length} elements; its shape is ${shape.join(' × ')}`);
    }
  }
  const header = encodeHeader(
    [...tensors].map(([name, { shape, values }]) => ({ name, dtype: 'F32', shape, bytes: values.byteLength })),
  );
  const values = [...tensors.values()].map((each) => each.values);
  const file = new Uint8Array(values.reduce((sum, each) => sum + each.byteLength, header.length));
  file.set(header);
  let end = header.length;
  for (const { buffer, byteOffset, byteLength } of values) {
    file.set(new Uint8Array(buffer, byteOffset, byteLength), end);
    end += byteLength;
  }
  return file;
}

/** Writes a safetensors file of tensors of the types F32, F16 and BF16. Writes block. @returns the size of each piece */
export function writeSafetensors(path: string, tensors: StreamedTensor[]): Generator<number> {
  return writeFile(path, function* (file) {
    file.write(
      encodeHeader(tensors.map((tensor) => ({ ...tensor, dtype: tensor.type.name, bytes: tensorBytes(tensor) }))),
    );
    for (const tensor of tensors) {
      for (const chunk of chunksOf(tensor)) {
        file.write(chunk);
        yield chunk.length;
      }
    }
  });
}

type Entry = { name: string; dtype: string; shape: number[]; bytes: number };

/** The length and the header, padded with spaces so that the tensors start at a multiple of 8 bytes. */
function encodeHeader(tensors: Entry[]): Uint8Array {
  const entries: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  let offset = 0;
  for (const { name, dtype, shape, bytes } of tensors) {
    entries[name] = { dtype, shape, data_offsets: [offset, offset + bytes] };
    offset += bytes;
  }
  const text = Buffer.from(JSON.stringify(entries));
  const header = Buffer.alloc(8 + Math.ceil(text.length / 8) * 8, ' ');
  header.writeBigUInt64LE(BigInt(header.length - 8));
  text.copy(header, 8);
  return header;
}
