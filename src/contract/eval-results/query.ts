import { z } from 'zod';
import { querySchema } from '../calls/filter.ts';
import { defineEndpoint } from '../endpoint.ts';
import { spanRefSchema } from '../predictions/prediction.ts';
import { projectParams } from '../project.ts';
import { anyJson, bool, float, int, jsonObject, optional, rowCount, text } from '../wire.ts';

const flag = (value: boolean) => bool().default(value);

const sortBy = z
  .object({
    field: z.string(),
    direction: z.enum(['asc', 'desc']),
    evaluation_call_id: optional(text()),
    mode: z.enum(['value', 'difference']).default('value'),
  })
  .meta({ id: 'EvalResultsSortBy' });

const filter = z.object({ query: querySchema, evaluation_call_id: optional(text()) }).meta({ id: 'EvalResultsFilter' });

const isAtLeast = () =>
  optional(bool()).meta({
    description: 'Whether more may have been paid: the price of some tokens, or one of their counts, is not known.',
  });

const isEstimate = () =>
  optional(bool()).meta({
    description: 'Whether less may have been paid: some requests had other terms than the prices, such as batches.',
  });

const unpricedTokens = () =>
  optional(z.record(z.string(), int())).meta({
    description: 'Tokens without a known price, which the cost leaves out, by model.',
  });

const trial = z
  .object({
    predict_and_score_call_id: z.string(),
    predict_call_id: optional(z.string()),
    model_output: optional(anyJson()),
    scores: jsonObject(),
    model_latency_seconds: optional(float()),
    total_tokens: optional(int()),
    total_cost: optional(float()),
    is_at_least: isAtLeast(),
    is_estimate: isEstimate(),
    unpriced_tokens: unpricedTokens(),
    scorer_call_ids: z.record(z.string(), z.string()),
    genai_span_ref: optional(z.array(spanRefSchema)),
  })
  .meta({ id: 'EvalResultsTrial' });

const row = z
  .object({
    row_digest: z.string(),
    raw_data_row: optional(anyJson()),
    evaluations: z.array(
      z.object({ evaluation_call_id: z.string(), trials: z.array(trial) }).meta({ id: 'EvalResultsRowEvaluation' }),
    ),
  })
  .meta({ id: 'EvalResultsRow' });

/** The lower and upper end of a 95 % confidence interval. */
const interval = z.tuple([float(), float()]);

const pairedDifference = z
  .object({
    baseline_evaluation_call_id: z.string(),
    count: int(),
    mean: float(),
    standard_error: optional(float()),
    interval_95: optional(interval),
  })
  .meta({
    id: 'EvalResultsPairedDifference',
    description: 'How this evaluation differs from the first one asked for, over the rows that both of them scored.',
  });

const scorerStats = z
  .object({
    scorer_key: z.string(),
    path: optional(z.string()),
    value_type: optional(z.enum(['binary', 'continuous', 'text'])),
    trial_count: int().default(0).describe('Trials that have this score'),
    failed_count: int()
      .default(0)
      .describe(
        'Trials that lack it because the model or the scorer failed: they are in the denominator of `pass_rate`',
      ),
    numeric_count: int().default(0),
    numeric_mean: optional(float()),
    pass_true_count: int().default(0),
    pass_known_count: int().default(0),
    pass_rate: optional(float()),
    pass_signal_coverage: optional(float()),
    count: int(),
    standard_error: optional(float()),
    interval_95: optional(interval),
    paired_difference: optional(pairedDifference),
  })
  .meta({ id: 'EvalResultsScorerStats' });

const failures = z
  .object({ count: int(), error: optional(z.string()) })
  .meta({ id: 'EvalResultsFailures', description: 'How many failed, and why the first one did.' });

const evaluationSummary = z
  .object({
    evaluation_call_id: z.string(),
    trial_count: int().default(0),
    scorer_stats: z.array(scorerStats),
    failures: z.object({ predictions: failures, scores: failures }).meta({ id: 'EvalResultsRunFailures' }),
    predict_total_tokens: optional(int()),
    predict_total_cost: optional(float()),
    predict_is_at_least: isAtLeast(),
    predict_is_estimate: isEstimate(),
    predict_unpriced_tokens: unpricedTokens(),
    evaluation_ref: optional(z.string()),
    model_ref: optional(z.string()),
    display_name: optional(z.string()),
    trace_id: optional(z.string()),
    started_at: optional(z.string()),
  })
  .meta({ id: 'EvalResultsEvaluationSummary' });

export const evalResultsQuery = defineEndpoint({
  method: 'POST',
  path: '/v2/{entity}/{project}/eval_results/query',
  group: 'Eval results',
  name: 'Eval Results Query',
  description:
    'The results of evaluations, one row for each example of their datasets, with the trials of each evaluation. ' +
    'Filters and sorting take `scores.*`, `inputs.*` and `output.*`; filters also take `row_digest`. The summary counts the filtered rows: ' +
    'each score has its mean with a standard error and a 95 % interval, and is compared with the first evaluation row by row.',
  params: projectParams,
  body: z
    .object({
      evaluation_call_ids: optional(z.array(text())),
      evaluation_run_ids: optional(z.array(text())),
      require_intersection: flag(false),
      include_raw_data_rows: flag(false),
      resolve_row_refs: flag(false),
      include_rows: flag(true),
      include_summary: flag(false),
      summary_require_intersection: optional(bool()),
      include_predict_and_score_children: flag(true),
      include_costs: flag(false),
      sort_by: optional(z.array(sortBy)),
      filters: optional(z.array(filter)),
      filter_logic_operator: z.enum(['and', 'or']).default('or'),
      limit: optional(rowCount()),
      offset: rowCount().default(0),
    })
    .meta({ id: 'EvalResultsQueryBody' }),
  answer: {
    kind: 'json',
    schema: z
      .object({
        rows: z.array(row),
        total_rows: int(),
        summary: optional(
          z
            .object({ row_count: int().default(0), evaluations: z.array(evaluationSummary) })
            .meta({ id: 'EvalResultsSummaryRes' }),
        ),
        warnings: z.array(z.string()),
      })
      .meta({ id: 'EvalResultsQueryRes' }),
  },
});

export type EvalResultsQuery = z.output<NonNullable<typeof evalResultsQuery.body>>;
export type EvalResultsSort = z.output<typeof sortBy>;
export type EvalResultsFilter = z.output<typeof filter>;
