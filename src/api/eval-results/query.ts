import type { Context } from '../../context.ts';
import type { evalResultsQuery as endpoint } from '../../contract/eval-results/query.ts';
import type { Estimate } from '../../domain/evaluations/results/estimate.ts';
import type { PairedDifference, ScorerStats } from '../../domain/evaluations/results/leaf.ts';
import type { Handler } from '../../http/bind.ts';
import type { EvaluationResults } from '../../services/evaluations/results/query-results.ts';
import type { TrialAnswer } from '../../services/evaluations/results/trial-answers.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { formatTimestamp } from '../../util/timestamp.ts';
import { ownerForRead } from '../project.ts';

export function evalResultsQuery(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  const { evaluations } = context.services;
  return async (input) => {
    const { body } = input;
    const owner = await ownerForRead(context, input);
    const results = await evaluations.results(body, owner);
    const warnings: string[] = [];
    const examples = results.rows.map(({ example }) => example);
    const { rows, isComplete } =
      body.include_raw_data_rows && body.resolve_row_refs
        ? await evaluations.resolveRows(examples, owner)
        : { rows: examples, isComplete: true };
    if (!isComplete) warnings.push('Failed to resolve dataset row refs; raw_data_row may contain refs');
    return {
      rows: results.rows.map(({ row, trials }, i) => ({
        row_digest: row.digest,
        raw_data_row: body.include_raw_data_rows ? new JsonText(rows[i] || 'null') : null,
        evaluations: [...Map.groupBy(trials, ({ trial }) => trial.evaluationId)].map(([id, each]) => ({
          evaluation_call_id: id,
          trials: each.map(trialAnswer),
        })),
      })),
      total_rows: results.totalRows,
      summary: results.summary && {
        row_count: results.summary.rowCount,
        evaluations: results.summary.evaluations.map(evaluationAnswer),
      },
      warnings,
    };
  };
}

function trialAnswer({ trial, ...answer }: TrialAnswer) {
  return {
    predict_and_score_call_id: trial.callId,
    predict_call_id: answer.predictCallId,
    model_output: answer.modelOutput,
    scores: answer.scores,
    model_latency_seconds: answer.latencySeconds,
    total_tokens: answer.tokens,
    total_cost: answer.cost?.dollars ?? null,
    is_at_least: answer.cost?.isAtLeast ?? null,
    is_estimate: answer.cost?.isEstimate ?? null,
    unpriced_tokens: answer.cost?.unpricedTokens ?? null,
    scorer_call_ids: Object.fromEntries(answer.scorerCallIds),
    genai_span_ref: answer.spanRefs,
  };
}

type Evaluation = NonNullable<EvaluationResults['summary']>['evaluations'][number];

function evaluationAnswer({ evaluationId, trialCount, scorers, tokens, cost, failures, root }: Evaluation) {
  return {
    evaluation_call_id: evaluationId,
    trial_count: trialCount,
    scorer_stats: scorers.map(scorerAnswer),
    failures,
    predict_total_tokens: tokens,
    predict_total_cost: cost?.dollars ?? null,
    predict_is_at_least: cost?.isAtLeast ?? null,
    predict_is_estimate: cost?.isEstimate ?? null,
    predict_unpriced_tokens: cost?.unpricedTokens ?? null,
    evaluation_ref: root?.evaluationRef || null,
    model_ref: root?.modelRef || null,
    display_name: root?.displayName || null,
    trace_id: root?.traceId ?? null,
    started_at: root ? formatTimestamp(root.startedAt).replace('Z', '+00:00') : null,
  };
}

function scorerAnswer(stats: ScorerStats) {
  return {
    scorer_key: stats.scorerKey,
    path: stats.path,
    value_type: stats.valueType,
    trial_count: stats.trialCount,
    failed_count: stats.failedCount,
    numeric_count: stats.numericCount,
    numeric_mean: stats.numericMean,
    pass_true_count: stats.passTrueCount,
    pass_known_count: stats.passKnownCount,
    pass_rate: stats.passRate,
    pass_signal_coverage: stats.passSignalCoverage,
    count: stats.estimate?.count ?? 0,
    ...uncertainty(stats.estimate),
    paired_difference: stats.difference && differenceAnswer(stats.difference),
  };
}

function differenceAnswer(difference: PairedDifference) {
  return {
    baseline_evaluation_call_id: difference.baselineId,
    count: difference.count,
    mean: difference.mean,
    ...uncertainty(difference),
  };
}

function uncertainty(estimate: Estimate | null) {
  return { standard_error: estimate?.standardError ?? null, interval_95: estimate?.interval95 ?? null };
}
