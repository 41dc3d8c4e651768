import { type GGUFTypedMetadata, GGUFValueType, serializeGgufMetadata } from '@huggingface/gguf';
import { writeFile } from '../file-writer.ts';
import { chunksOf, type StreamedTensor, tensorBytes } from '../streamed-tensor.ts';
import { ggufTypes } from './dequantize.ts';
import type { TypedValues } from './values.ts';

const alignmentKey = 'general.alignment';
const defaultAlignment = 32;

/** Writes a GGUF file. Writes block. @returns the size of each piece */
export function writeGguf(path: string, values: TypedValues, tensors: StreamedTensor[]): Generator<number> {
  const alignment = Number(values[alignmentKey]?.value ?? defaultAlignment);
  return writeFile(path, function* (file) {
    file.write(encodeValues(values, tensors.length));
    file.write(encodeTensorInfos(tensors, alignment));
    for (const tensor of tensors) {
      file.pad(alignment);
      for (const chunk of chunksOf(tensor)) {
        file.write(chunk);
        yield chunk.length;
      }
    }
    file.pad(alignment); // llama.cpp expects padding after the last tensor too
  });
}

/** The library pads for tensor data, but the descriptions of tensors come first: an alignment of 1 adds no padding. */
function encodeValues(values: TypedValues, tensorCount: number): Uint8Array {
  const count = (value: number) => ({ value: BigInt(value), type: GGUFValueType.UINT64 as const });
  const metadata = {
    version: { value: 3, type: GGUFValueType.UINT32 },
    tensor_count: count(tensorCount),
    kv_count: count(Object.keys(values).length),
    ...values,
  };
  return serializeGgufMetadata(metadata as GGUFTypedMetadata, { alignment: 1 });
}

function encodeTensorInfos(tensors: StreamedTensor[], alignment: number): Uint8Array {
  let offset = 0;
  const infos = tensors.map((tensor) => {
    const info = encodeTensorInfo(tensor, offset);
    offset += Math.ceil(tensorBytes(tensor) / alignment) * alignment;
    return info;
  });
  return Buffer.concat(infos);
}

function encodeTensorInfo({ name, shape, type }: StreamedTensor, offset: number): Uint8Array {
  const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
  const u64 = (value: number) => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
  const sizes = shape.toReversed().map(u64); // GGUF files have the fastest dimension first
  return Buffer.concat([
    u64(Buffer.byteLength(name)),
    Buffer.from(name),
    u32(shape.length),
    ...sizes,
    u32(numberOf(type.name)),
    u64(offset),
  ]);
}

function numberOf(typeName: string): number {
  for (const [number, { name }] of ggufTypes) if (name === typeName) return number;
  throw new Error(`GGUF files have no type ${typeName}`);
}
