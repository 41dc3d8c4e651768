import { fromBinary } from '@bufbuild/protobuf';
import { invalidInput } from '../../util/failures.ts';
import {
  type Chunk,
  type ForwardBackwardRequest,
  ForwardBackwardRequestSchema,
  type Tensor as WireTensor,
} from '../proto/tinker.generated.ts';
import type { Tensor, TrainingRequest } from '../training-request.ts';
import { checkTensor } from './check-tensor.ts';
import { dataTypes } from './data-types.ts';
import { readFloats, readInts, readLongs } from './floats.ts';

/** @throws Failure for bytes that are not a request, and for values that are not computed here */
export function readTrainingRequest(bytes: Uint8Array): TrainingRequest {
  const request = decode(bytes);
  return {
    modelId: request.modelId,
    seqId: request.seqId === 0 ? null : request.seqId,
    data: request.data.map(({ modelInput, lossFnInputs }, i) => ({
      tokens: tokensOf(modelInput, i),
      inputs: new Map(
        Object.entries(lossFnInputs).map(([name, tensor]) => [name, readTensor(tensor, `data[${i}].${name}`)]),
      ),
    })),
    lossName: request.lossFn,
    lossConfig: configOf(request),
    isForwardOnly: request.forwardOnly,
  };
}

function decode(bytes: Uint8Array): ForwardBackwardRequest {
  try {
    return fromBinary(ForwardBackwardRequestSchema, bytes);
  } catch (error) {
    throw invalidInput(`The body is not a ForwardBackwardRequest in protobuf: ${(error as Error).message}`);
  }
}

function tokensOf(chunks: Chunk[], datum: number): Int32Array {
  const parts = chunks.map(({ chunk }) => {
    if (chunk.case === 'encodedText') return readWhole(chunk.value.tokens, 4, `data[${datum}].model_input`, readInts);
    throw invalidInput(`data[${datum}].model_input has a chunk that is not text. Only tokens are supported.`);
  });
  return Int32Array.from(parts.flatMap((part) => Array.from(part)));
}

function configOf({ lossFnConfig, lossFnConfigV2 }: ForwardBackwardRequest): Map<string, number | string> {
  const newer = Object.entries(lossFnConfigV2).flatMap(([key, { value }]): [string, number | string][] =>
    value.case === undefined ? [] : [[key, value.value]],
  );
  return new Map(newer.length > 0 ? newer : Object.entries(lossFnConfig));
}

function readTensor({ encoding, dtype, shape }: WireTensor, field: string): Tensor {
  const [width, read] = readerOf(dtype, field);
  const wide = shape.map(Number);
  if (encoding.case === 'sparseCsr') {
    const { values, crowIndices, colIndices } = encoding.value;
    const indices = (bytes: Uint8Array) => Array.from(readWhole(bytes, 8, field, readLongs));
    const sparse = { rowStarts: indices(crowIndices), columns: indices(colIndices) };
    return checkTensor({ shape: wide, values: readWhole(values, width, field, read), sparse }, field);
  }
  const values = readWhole(encoding.value ?? new Uint8Array(), width, field, read);
  return checkTensor({ shape: wide.length > 0 ? wide : [values.length], values, sparse: null }, field);
}

type Reader = (bytes: Uint8Array) => Float32Array | Int32Array;

function readerOf(dtype: number, field: string): [width: number, read: Reader] {
  if (dtype === dataTypes.float32) return [4, readFloats];
  if (dtype === dataTypes.int64) return [8, readLongs];
  if (dtype === dataTypes.int32) return [4, readInts];
  throw invalidInput(`${field} has the data type ${dtype}. Supported: 1 (float32), 2 (int64), 3 (int32).`);
}

function readWhole<Values>(
  bytes: Uint8Array,
  width: number,
  field: string,
  read: (bytes: Uint8Array) => Values,
): Values {
  if (bytes.length % width === 0) return read(bytes);
  throw invalidInput(`${field} has ${bytes.length} bytes, which is not a multiple of ${width}.`);
}
