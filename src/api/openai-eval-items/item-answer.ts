import type { OpenAIEvalRun } from '../../domain/openai-evals/run.ts';
import type { FoundItem } from '../../services/evaluations/openai-evals/items.ts';

export function itemAnswer({ id: runId, evalId }: OpenAIEvalRun, found: FoundItem) {
  const { id, index, status, results, sample, item, createdAt } = found;
  return {
    object: 'eval.run.output_item' as const,
    id,
    eval_id: evalId,
    run_id: runId,
    status,
    datasource_item_id: index,
    datasource_item: item,
    results,
    sample,
    created_at: Math.floor(createdAt / 1e6),
  };
}
