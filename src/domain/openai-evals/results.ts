import type { z } from 'zod';
import type { ItemStatus } from '../../contract/openai-eval-items/item.ts';
import type { criterionResult, modelUsage, resultCounts } from '../../contract/openai-eval-runs/run.ts';
import { isObject } from '../../util/json/own-member.ts';

/** What the rows of a run come to, in OpenAI's shape. */
export type RunResults = {
  result_counts: z.output<typeof resultCounts>;
  per_model_usage: z.output<typeof modelUsage>[];
  per_testing_criteria_results: z.output<typeof criterionResult>[];
};

/** What counts of one row. */
export type CountedItem = {
  status: ItemStatus;
  results: { name: string; passed: boolean }[];
  /** Counts of tokens by model, as the summaries of calls have them. */
  usage: Record<string, object>;
};

/** @param criteria the ids of the criteria */
export function noResults(criteria: string[]): RunResults {
  return {
    result_counts: { total: 0, passed: 0, failed: 0, errored: 0 },
    per_model_usage: [],
    per_testing_criteria_results: criteria.map((id) => ({ testing_criteria: id, passed: 0, failed: 0 })),
  };
}

/** Adds a row to the results. A row that is errored passed none of the criteria that it was not graded by. */
export function addItem(results: RunResults, { status, results: found, usage }: CountedItem): void {
  const counts = results.result_counts;
  counts.total++;
  counts[countNames[status]]++;
  for (const criterion of results.per_testing_criteria_results) {
    const hasPassed = found.some(({ name, passed }) => passed && name === criterion.testing_criteria);
    criterion[hasPassed ? 'passed' : 'failed']++;
  }
  for (const [model, counted] of Object.entries(usage)) addUsage(results, model, counted);
}

const countNames = { pass: 'passed', fail: 'failed', error: 'errored' } as const;

function addUsage({ per_model_usage: all }: RunResults, model: string, counted: object): void {
  let sum = all.find(({ model_name }) => model_name === model);
  if (!sum) {
    const counts = { invocation_count: 0, prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cached_tokens: 0 };
    sum = { model_name: model, ...counts };
    all.push(sum);
  }
  const read = (name: string) => countAt(counted, name);
  sum.invocation_count += read('requests');
  sum.prompt_tokens += read('prompt_tokens');
  sum.completion_tokens += read('completion_tokens');
  sum.total_tokens += read('total_tokens') || read('prompt_tokens') + read('completion_tokens');
  const details = isObject(counted) ? counted.prompt_tokens_details : null;
  sum.cached_tokens += isObject(details) ? countAt(details, 'cached_tokens') : 0;
}

function countAt(counts: object, name: string): number {
  const value = (counts as Record<string, unknown>)[name];
  return typeof value === 'number' ? value : 0;
}
