import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Datum, ServerLoss } from './datum.ts';

/**
 * The protobuf messages `ForwardBackwardRequest` and `ForwardBackwardOutput` of `tinker_public.proto`, as the client 0.25 of
 * Tinker sends and reads them. Numbers of arrays are little-endian bytes.
 */
export type ForwardBackwardRequest = {
  modelId: string;
  sequenceId: number;
  data: readonly Datum[];
  loss: ServerLoss;
  /** Whether only logprobs are wanted. */
  isForwardOnly: boolean;
};

export const protobufType = 'application/x-protobuf';

const types = { float32: 1, int64: 2 } as const;

export function encodeForwardBackward(request: ForwardBackwardRequest): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  writer.tag(1, WireType.LengthDelimited).string(request.modelId);
  writer.tag(2, WireType.Varint).int32(request.sequenceId);
  for (const datum of request.data) message(writer, 3, () => writeDatum(writer, datum));
  writer.tag(4, WireType.LengthDelimited).string(request.loss.name);
  for (const [key, value] of Object.entries(configOf(request.loss))) {
    message(writer, 5, () => writer.tag(1, WireType.LengthDelimited).string(key).tag(2, WireType.Bit64).double(value));
  }
  if (request.isForwardOnly) writer.tag(6, WireType.Varint).bool(true);
  return writer.finish();
}

function configOf({ clip }: ServerLoss): Record<string, number> {
  return clip ? { clip_low_threshold: clip.low, clip_high_threshold: clip.high } : {};
}

function writeDatum(writer: BinaryWriter, { tokens, targets, inputs }: Datum): void {
  const encodedText = () => writer.tag(1, WireType.LengthDelimited).bytes(bytesOf(tokens));
  message(writer, 1, () => message(writer, 1, encodedText));
  const integers = new BigInt64Array(Array.from(targets, BigInt));
  writeInput(writer, 'target_tokens', types.int64, bytesOf(integers), targets.length);
  for (const [name, values] of Object.entries(inputs)) {
    writeInput(writer, name, types.float32, bytesOf(values), values.length);
  }
}

function writeInput(writer: BinaryWriter, name: string, type: number, dense: Uint8Array, length: number): void {
  message(writer, 2, () => {
    writer.tag(1, WireType.LengthDelimited).string(name);
    message(writer, 2, () => {
      writer.tag(1, WireType.LengthDelimited).bytes(dense);
      writer.tag(3, WireType.Varint).int32(type);
      message(writer, 4, () => writer.int64(length)); // packed
    });
  });
}

function message(writer: BinaryWriter, field: number, write: () => unknown): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  write();
  writer.join();
}

function bytesOf({ buffer, byteOffset, byteLength }: NodeJS.TypedArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** The logprobs of each datum's targets. @throws Error for bytes that are not this message */
export function decodeLogprobs(bytes: Uint8Array): Float32Array[] {
  const found: Float32Array[] = [];
  eachField(bytes, (number, value) => {
    if (number === 2) found.push(...logprobsOfRecord(value));
  });
  return found;
}

/** An `ArrayRecord`: the arrays of several datums, by name. */
function logprobsOfRecord(bytes: Uint8Array): Float32Array[] {
  let found: Float32Array[] = [];
  eachField(bytes, (number, entry) => {
    if (number !== 2) return;
    let [name, tensor] = ['', new Uint8Array()];
    eachField(entry, (part, value) => {
      if (part === 1) name = Buffer.from(value).toString();
      if (part === 2) tensor = value as Uint8Array<ArrayBuffer>;
    });
    if (name === 'logprobs') found = splitTensor(tensor);
  });
  return found;
}

/** A `BatchedTensor`: one array for each datum, with its offsets in bytes. */
function splitTensor(bytes: Uint8Array): Float32Array[] {
  let [data, offsets] = [new Uint8Array(), new Uint8Array()];
  eachField(bytes, (number, value) => {
    if (number === 1) data = value as Uint8Array<ArrayBuffer>;
    if (number === 2) offsets = value as Uint8Array<ArrayBuffer>;
  });
  const view = new DataView(offsets.buffer, offsets.byteOffset, offsets.byteLength);
  const ends = Array.from({ length: offsets.byteLength / 8 }, (_, i) => Number(view.getBigInt64(8 * i, true)));
  return ends.slice(1).map((end, i) => new Float32Array(data.slice(ends[i], end).buffer));
}

/** Calls back for each field that has bytes. */
function eachField(bytes: Uint8Array, field: (number: number, value: Uint8Array) => void): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (type === WireType.LengthDelimited) field(number, reader.bytes());
    else reader.skip(type);
  }
}
