import type { Arithmetic } from '../graphs/grouped-linear.ts';
import { graphWeights } from '../graphs/weights.ts';
import type { ModelConfig } from '../models/config.ts';
import type { GroupFormat } from '../models/grouped-rows.ts';
import { groupFormats } from '../models/weight-file.ts';
import { elementCount, type WeightSource } from '../models/weight-source.ts';

/** What the weights of a model take in memory. */
export type WeightMemory = { bytes: number; areQuantised: boolean };

/** How often quantised weights are packed, by the bits of their codes: those of 8 bits for few rows and for many. */
const packedCopies = { 4: 1, 8: 2 };

export function weightMemory(
  config: ModelConfig,
  source: Pick<WeightSource, 'groups'>,
  arithmetic: Arithmetic = 'exact',
): WeightMemory {
  // Vectors of an embedding that is not the head are read from the disk.
  const weights = graphWeights(config).filter(({ name }) => config.tiedEmbeddings || name !== 'embedding');
  const formats = arithmetic === 'widened' ? new Map<string, GroupFormat>() : groupFormats(weights, source);
  const bytes = weights.reduce(
    (sum, { name, shape }) => sum + elementCount(shape) * bytesOfElement(formats.get(name)),
    0,
  );
  return { bytes, areQuantised: formats.size > 0 };
}

function bytesOfElement(format: GroupFormat | undefined): number {
  if (format === undefined) return 4;
  const { bits, groupSize, hasMinima } = format;
  return packedCopies[bits] * (bits / 8 + 4 / groupSize) + (hasMinima ? 4 / groupSize : 0);
}
