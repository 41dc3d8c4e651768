import { MemoryBudget } from '../../engine/memory/memory-budget.ts';

/** A budget that only the machine limits. */
export function ampleMemory(): MemoryBudget {
  return new MemoryBudget({ bytesMax: 2 ** 50, setting: 'HEDDLE_MODEL_MEMORY_MAX_BYTES' });
}
