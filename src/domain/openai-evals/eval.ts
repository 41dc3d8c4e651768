import type { Criterion } from '../../contract/openai-evals/criterion.ts';
import type { DataSourceConfig } from '../../contract/openai-evals/eval.ts';

/** An eval as it is stored: what clients define has OpenAI's shape. */
export type OpenAIEval = {
  id: string;
  name: string;
  dataSourceConfig: DataSourceConfig;
  criteria: Criterion[];
  metadata: Record<string, string>;
  createdAt: Date;
  updatedAt: Date;
};
