import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { afterAll, describe, expect, test } from 'vitest';
import { ggufTypes } from '../models/gguf/dequantize.ts';
import { prepareWeightFile } from '../models/weight-file.ts';
import type { WeightSource } from '../models/weight-source.ts';
import { temporaryFolder } from '../testing/fixtures.ts';
import { type Arithmetic, quantisedRun } from './grouped-linear.ts';
import { linear } from './linear.ts';
import { GraphBuilder } from './onnx/builder.ts';
import { encodeModel } from './onnx/encode.ts';

const inSize = 512;
const outSize = 48;
const tolerance = 2e-5;
const quantisedTypes = [...ggufTypes.values()].filter(({ groups }) => groups !== null);
/** Positions of f16 numbers in the blocks of a type. Other bytes may have any value. */
const halves: Record<string, number[]> = { Q4_1: [0, 2], Q5_1: [0, 2], Q4_K: [0, 2], Q5_K: [0, 2], Q6_K: [208] };
const { folder, remove } = temporaryFolder();
afterAll(remove);

describe.each(quantisedTypes)('$name', ({ name }) => {
  test('products of few and of many rows equal those with widened weights', async () => {
    const source = randomSource({ part: name });
    for (const rows of [1, 4, 5, 32, 33]) {
      expect(await largestError(source, ['part'], rows, 'exact')).toBeLessThan(tolerance);
    }
  });
});

test('combines parts of different types in one matrix', async () => {
  const source = randomSource({ queries: 'Q4_K', keys: 'Q4_0', values: 'Q6_K' });
  for (const rows of [1, 60]) {
    expect(await largestError(source, ['queries', 'keys', 'values'], rows, 'exact')).toBeLessThan(tolerance);
  }
});

test('widens a matrix if one of its parts is not quantised', async () => {
  const source = randomSource({ queries: 'Q4_0', values: 'F32' });
  const { places } = prepare(source, ['queries', 'values']);
  expect(places.get('weight')!.kind).toBe('f32');
  expect(await largestError(source, ['queries', 'values'], 1, 'exact')).toBeLessThan(tolerance);
});

test('fast arithmetic is less accurate', async () => {
  const error = await largestError(randomSource({ part: 'Q4_0' }), ['part'], 1, 'fast');
  expect(error).toBeGreaterThan(1e-3);
  expect(error).toBeLessThan(0.2);
});

test('accepts an input without rows', async () => {
  const source = randomSource({ part: 'Q8_0' });
  expect(await product(source, ['part'], new Float32Array(0), 'exact')).toHaveLength(0);
});

/** The largest error of products with random activations, relative to their root mean square. */
async function largestError(source: WeightSource, parts: string[], rows: number, arithmetic: Arithmetic) {
  const x = Float32Array.from({ length: rows * inSize }, (_, i) => Math.sin(i * i) * (i % 61 === 0 ? 20 : 1));
  x.fill(0, 0, 64); // groups of zeros
  const found = await product(source, parts, x, arithmetic);
  const weights = parts.map((part) => source.readRows(part, 0, outSize));
  const exact = Array.from({ length: rows }, (_, row) =>
    weights.flatMap((matrix) => Array.from({ length: outSize }, (__, out) => dot(matrix, out, x, row))),
  ).flat();
  const scale = Math.sqrt(exact.reduce((sum, each) => sum + each ** 2, 0) / exact.length);
  return Math.max(...exact.map((each, i) => Math.abs(found[i]! - each))) / scale;
}

function dot(matrix: Float32Array, out: number, x: Float32Array, row: number): number {
  let sum = 0;
  for (let i = 0; i < inSize; i++) sum += matrix[out * inSize + i]! * x[row * inSize + i]!;
  return sum;
}

async function product(source: WeightSource, parts: string[], x: Float32Array, arithmetic: Arithmetic) {
  const rows = x.length / inSize;
  const { places } = prepare(source, parts);
  const graph = new GraphBuilder('product', places);
  const input = graph.input('x', 'float32', [1, 'N', inSize]);
  const positions = graph.input('positions', 'int64', [1, 'N']);
  const y = linear(graph, input, 'weight', quantisedRun(graph, positions, arithmetic));
  graph.output('y', y, 'float32', [1, 'N', parts.length * outSize]);
  const session = await InferenceSession.create(encodeModel(graph.graph()), {
    intraOpNumThreads: 1,
    extra: { session: { model_external_initializers_file_folder_path: folder, disable_quant_qdq: '1' } },
  });
  const feeds = {
    x: new Tensor('float32', x, [1, rows, inSize]),
    positions: new Tensor('int64', new BigInt64Array(rows), [1, rows]),
  };
  const found = (await session.run(feeds)).y!.data as Float32Array;
  await session.release();
  return found;
}

let files = 0;

function prepare(source: WeightSource, parts: string[]) {
  const path = join(folder, `model-${files++}`);
  writeFileSync(path, '');
  const weight = { name: 'weight', shape: [parts.length * outSize, inSize], parts };
  return prepareWeightFile(path, folder, [weight], source, 'quantised');
}

/** Matrices of random bytes. */
function randomSource(types: Record<string, string>): WeightSource {
  const typeOf = (name: string) => [...ggufTypes.values()].find((type) => type.name === types[name])!;
  const readStored = (name: string, first: number, count: number) => {
    const { name: typeName, blockElements, blockBytes } = typeOf(name);
    const rowBytes = (inSize / blockElements) * blockBytes;
    const bytes = new Uint8Array(outSize * rowBytes);
    const view = new DataView(bytes.buffer);
    if (typeName === 'F32') for (let i = 0; i < bytes.length; i += 4) view.setFloat32(i, Math.cos(i * i), true);
    else {
      for (let i = 0; i < bytes.length; i++) bytes[i] = (i * i * 7919 + i * 31) >> 3;
      for (let block = 0; block < bytes.length; block += blockBytes) {
        for (const at of halves[typeName] ?? [0]) view.setUint16(block + at, 0x2000 + ((block * 13) % 1024), true);
      }
    }
    return bytes.slice(first * rowBytes, (first + count) * rowBytes);
  };
  return {
    has: (name) => name in types,
    shape: () => [outSize, inSize],
    readRows: (name, first, count) => typeOf(name).decode(readStored(name, first, count)),
    stored: typeOf,
    readStored,
    groups: (name) => typeOf(name).groups?.format ?? null,
    readGroups: (name, first, count) => typeOf(name).groups!.read(readStored(name, first, count)),
    close() {},
  };
}
