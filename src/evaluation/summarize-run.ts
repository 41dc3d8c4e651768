import { AutoSummary } from '../domain/evaluations/auto-summary.ts';
import { isTrial } from '../domain/evaluations/marks.ts';
import { lacksScore } from '../domain/evaluations/missing-score.ts';
import { parsePlain } from '../util/json/parse.ts';
import type { RecordedRun } from './recorded-run.ts';
import type { EvaluationDeps } from './setup.ts';

/** What the recorded trials of a run come to, as the SDK summarizes them. */
export async function summarizeRun(
  { services }: Pick<EvaluationDeps, 'services'>,
  { id, owner, setup }: Pick<RecordedRun, 'id' | 'owner' | 'setup'>,
): Promise<Record<string, unknown>> {
  const outputs = new AutoSummary();
  const latencies = new AutoSummary();
  const scores = new Map(setup.scorers.map(({ key }) => [key, { summary: new AutoSummary(), unscored: 0 }]));
  const pages = await services.calls.query({
    project: owner.project,
    filter: { parent_ids: [id] },
    columns: new Set(['op_name', 'output'] as const),
  });
  for await (const page of pages) {
    for (const { call } of page) {
      if (!isTrial(call)) continue;
      const trial = parsePlain(call.output) as {
        output: unknown;
        scores: Record<string, unknown>;
        model_latency: number;
      };
      outputs.add(trial.output);
      latencies.add(trial.model_latency);
      for (const [key, score] of scores) {
        if (lacksScore(trial.scores, key)) score.unscored++;
        else score.summary.add(trial.scores[key]);
      }
    }
  }
  const output = outputs.result();
  const model_latency = latencies.result();
  return {
    ...(output ? { output } : {}),
    ...Object.fromEntries([...scores].map(([key, { summary, unscored }]) => [key, summary.result(unscored)])),
    ...(model_latency ? { model_latency } : {}),
  };
}
