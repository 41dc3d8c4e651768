import type { Arithmetic } from '../graphs/grouped-linear.ts';
import { openSource } from '../models/open-source.ts';
import type { MeasuredModel } from './plan-memory.ts';
import { weightMemory } from './weight-memory.ts';

/** Reads what a model is and what its weights will take, without reading them. */
export async function measureModel(path: string, arithmetic: Arithmetic): Promise<MeasuredModel> {
  const { config, weights } = await openSource(path);
  weights.close();
  return { config, weightMemory: weightMemory(config, weights, arithmetic) };
}
