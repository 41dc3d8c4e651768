import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelConfig } from '../models/config.ts';
import { unpackCodes, valuesOf } from '../models/grouped-rows.ts';
import type { WeightFile } from '../models/weight-file.ts';
import type { WeightPlace } from '../models/weight-layout.ts';

/**
 * Reads the vectors of tokens from the weight file on demand. A graph that gathers them would need the whole table in memory,
 * where most models already have it as their packed head.
 */
export type Embedding = {
  /** `[tokens, hidden]` */
  rows(tokens: Int32Array): Float32Array;
  close(): void;
};

type Read = (bytes: Uint8Array, offset: number) => void;

/** @param table `head` reads the rows of a head that is not also the embedding */
export function openEmbedding(
  { folder, places }: WeightFile,
  { hiddenSize }: ModelConfig,
  table: 'embedding' | 'head' = 'embedding',
): Embedding {
  const place = places.get(table)!;
  const opened = openSync(join(folder, place.file), 'r');
  const read: Read = (bytes, offset) => {
    const count = readSync(opened, bytes, 0, bytes.length, offset);
    if (count !== bytes.length) throw new Error(`${place.file} ends within its ${table}.`);
  };
  return {
    rows(tokens) {
      const vectors = new Float32Array(tokens.length * hiddenSize);
      for (const [i, token] of tokens.entries()) {
        readRow(read, place, token, vectors.subarray(i * hiddenSize, (i + 1) * hiddenSize));
      }
      return vectors;
    },
    close: () => closeSync(opened),
  };
}

function readRow(read: Read, place: WeightPlace, row: number, out: Float32Array): void {
  if (place.kind === 'f32') {
    read(new Uint8Array(out.buffer, out.byteOffset, out.byteLength), place.offset + row * out.byteLength);
    return;
  }
  const { format, offsets } = place;
  const codes = new Uint8Array((out.length * format.bits) / 8);
  read(codes, offsets.codes + row * codes.length);
  const floats = (offset: number) => {
    const values = new Float32Array(out.length / format.groupSize);
    read(new Uint8Array(values.buffer), offset + row * values.byteLength);
    return values;
  };
  const scales = floats(offsets.scales);
  const minima = offsets.minima === null ? null : floats(offsets.minima);
  out.set(valuesOf({ codes: unpackCodes(codes, format), scales, minima }, format));
}
