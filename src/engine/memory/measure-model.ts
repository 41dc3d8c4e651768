import type { Arithmetic } from '../graphs/grouped-linear.ts';
import { openSource } from '../models/open-source.ts';
import type { MeasuredModel } from './plan-memory.ts';
import { weightMemory } from './weight-memory.ts';

/** Reads the configuration of a model and the memory of its weights, without reading the weights. */
export async function measureModel(path: string, arithmetic: Arithmetic): Promise<MeasuredModel> {
  const { config, weights } = await openSource(path);
  weights.close();
  return { config, weightMemory: weightMemory(config, weights, arithmetic) };
}
