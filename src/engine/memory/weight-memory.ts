import type { Arithmetic } from '../graphs/grouped-linear.ts';
import { graphWeights } from '../graphs/weights.ts';
import type { ModelConfig } from '../models/config.ts';
import type { GroupFormat } from '../models/grouped-rows.ts';
import { groupFormats } from '../models/weight-file.ts';
import { elementCount, type WeightSource } from '../models/weight-source.ts';

/** The memory of a model's weights. */
export type WeightMemory = { bytes: number; areQuantised: boolean };

/** The number of packed copies of quantised weights, by the bits of their codes. 8 bits have one for few rows and one for many. */
const packedCopies = { 4: 1, 8: 2 };

export function weightMemory(
  config: ModelConfig,
  source: Pick<WeightSource, 'groups'>,
  arithmetic: Arithmetic = 'exact',
): WeightMemory {
  // An embedding that is not also the head is read from disk when needed.
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
