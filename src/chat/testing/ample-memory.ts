import { MemoryBudget } from '../../engine/memory/memory-budget.ts';

/** A budget limited only by the machine. */
export function ampleMemory(): MemoryBudget {
  return new MemoryBudget({ bytesMax: 2 ** 50, setting: 'HEDDLE_MODEL_MEMORY_MAX_BYTES' });
}
