import type { Grader } from '../../contract/graders/grader.ts';

/** Counts of tokens, by the name of the model. */
type Usage = Record<string, object>;

/** What a grader found. */
export type Grade = {
  score: number;
  /** The scores of the graders of a multi grader, by their names. */
  subScores: Record<string, number>;
  /** What the models that graded were asked and answered: one for a model grader, by name for those of a multi grader. */
  samples: Record<string, ModelSample>;
  usage: Usage;
};

/** One request to a model, as OpenAI shows it with the results of evals. */
export type ModelSample = {
  input: { role: string; content: unknown }[];
  output: { role: string; content: string | null; tool_calls: unknown }[];
  finish_reason: string;
  model: string;
  usage: SampleUsage;
  error: { code: string; message: string } | null;
  temperature: number | null;
  top_p: number | null;
  seed: number | null;
  max_completion_tokens: number | null;
};

export type SampleUsage = {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  cached_tokens: number;
};

/** From this score on, a sample passes, if the criterion does not say so. */
export function defaultThreshold(grader: Grader): number {
  switch (grader.type) {
    case 'string_check':
    case 'label_model':
      return 1;
    case 'score_model': {
      const [from, to] = grader.range ?? [0, 1];
      return (from! + to!) / 2;
    }
    case 'text_similarity':
    case 'multi':
    case 'python':
      return 0.5;
    default:
      return grader satisfies never;
  }
}
