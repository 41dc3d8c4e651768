import type { OpenAIEval } from '../../domain/openai-evals/eval.ts';

export function evalAnswer({ id, name, dataSourceConfig, criteria, metadata, createdAt }: OpenAIEval) {
  return {
    object: 'eval' as const,
    id,
    name,
    data_source_config: dataSourceConfig,
    testing_criteria: criteria,
    metadata,
    created_at: Math.floor(createdAt.getTime() / 1000),
  };
}
