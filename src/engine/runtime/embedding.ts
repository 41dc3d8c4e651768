import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelConfig } from '../models/config.ts';
import type { WeightFile } from '../models/weight-file.ts';

/**
 * The vectors of tokens, read from the file of weights as they are needed: a graph that gathered them would hold the
 * whole table in memory, where most models have it once already, as their packed head.
 */
export type Embedding = {
  /** `[tokens, hidden]` */
  rows(tokens: Int32Array): Float32Array;
  close(): void;
};

/** @param table `head`: the rows of a head that is not the embedding */
export function openEmbedding(
  { folder, places }: WeightFile,
  { hiddenSize }: ModelConfig,
  table: 'embedding' | 'head' = 'embedding',
): Embedding {
  const { file, offset } = places.get(table)!;
  const opened = openSync(join(folder, file), 'r');
  const rowBytes = 4 * hiddenSize;
  return {
    rows(tokens) {
      const vectors = new Float32Array(tokens.length * hiddenSize);
      const bytes = new Uint8Array(vectors.buffer);
      for (const [i, token] of tokens.entries()) {
        const read = readSync(opened, bytes, i * rowBytes, rowBytes, offset + token * rowBytes);
        if (read !== rowBytes) throw new Error(`${file} ends before the vector of token ${token}.`);
      }
      return vectors;
    },
    close: () => closeSync(opened),
  };
}
