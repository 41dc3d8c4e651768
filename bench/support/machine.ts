import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { matMulTransposed } from '../../src/engine/graphs/linear.ts';
import { GraphBuilder } from '../../src/engine/graphs/onnx/builder.ts';
import { encodeModel } from '../../src/engine/graphs/onnx/encode.ts';

/**
 * What the machine gives at best to the engine's main operation, the product with a packed matrix of weights: many rows
 * at once are bound by arithmetic, one row by how fast the matrix comes from memory.
 */
export async function measureMachine(folder: string): Promise<{ gigaflops: number; gigabytesPerSecond: number }> {
  const many = await bestSeconds(folder, 512, 4096, 1024);
  const one = await bestSeconds(folder, 1, 65_536, 1024);
  return {
    gigaflops: (2 * 512 * 4096 * 1024) / many / 1e9,
    gigabytesPerSecond: (4 * 65_536 * 1024) / one / 1e9,
  };
}

async function bestSeconds(folder: string, rows: number, outSize: number, inSize: number): Promise<number> {
  const file = `machine-${outSize}.weights`;
  writeFileSync(join(folder, file), new Float32Array(outSize * inSize).fill(0.5));
  const graph = new GraphBuilder(
    'machine',
    new Map([['w', { kind: 'f32' as const, file, offset: 0, shape: [outSize, inSize] }]]),
  );
  const x = graph.input('x', 'float32', [rows, inSize]);
  graph.output('y', matMulTransposed(graph, x, graph.weight('w')), 'float32', [rows, outSize]);
  const session = await InferenceSession.create(encodeModel(graph.graph()), {
    extra: { session: { model_external_initializers_file_folder_path: folder, intra_op: { allow_spinning: '0' } } },
  });
  const feeds = { x: new Tensor('float32', new Float32Array(rows * inSize).fill(0.5), [rows, inSize]) };
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 20; i++) {
    const start = performance.now();
    await session.run(feeds);
    best = Math.min(best, (performance.now() - start) / 1000);
  }
  await session.release();
  return best;
}
