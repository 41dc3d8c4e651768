import { findTrialChildren, type TrialChild } from '../../store/clickhouse/evaluations/find-trial-children.ts';
import { findTrials } from '../../store/clickhouse/evaluations/find-trials.ts';
import { isObject } from '../../util/json/own-member.ts';
import { parsePlain } from '../../util/json/parse.ts';
import type { Deps } from '../deps.ts';
import { trialsMax } from './results/query-results.ts';

/**
 * The ids of the predictions and scores of a run, found by their position in its trials because SDKs do not mark them,
 * oldest first. A scorer that is a function is recognized by its name among the scores of the trial.
 */
export async function readTrialParts(
  { clickhouse }: Pick<Deps, 'clickhouse'>,
  { projectId, runId, model }: { projectId: string; runId: string; model: string },
): Promise<{ predictions: string[]; scores: string[] }> {
  const evaluationIds = [runId];
  const trials = await findTrials(clickhouse, { projectId, evaluationIds, fields: [], limit: trialsMax });
  const models = model === '' ? [] : [model];
  const trialIds = trials.map(({ id }) => id);
  const children = await findTrialChildren(clickhouse, { projectId, evaluationIds, models, trialIds });
  const byTrial = Map.groupBy(children, ({ trialId }) => trialId);
  const predictions: TrialChild[] = [];
  const scores: TrialChild[] = [];
  for (const trial of trials) {
    const inside = byTrial.get(trial.id) ?? [];
    const predict = inside.find(({ isPredict }) => isPredict);
    if (predict) predictions.push(predict);
    const keys = scorerKeys(trial.scores);
    scores.push(...inside.filter((child) => child !== predict && isScoreCall(child, keys)));
  }
  return { predictions: idsInOrder(predictions), scores: idsInOrder(scores) };
}

function scorerKeys(scores: string): ReadonlySet<string> {
  const parsed: unknown = scores === '' ? null : parsePlain(scores);
  return new Set(isObject(parsed) ? Object.keys(parsed) : []);
}

function isScoreCall({ isScore, opLabel }: TrialChild, keys: ReadonlySet<string>): boolean {
  return isScore || opLabel.endsWith('.score') || keys.has(opLabel);
}

function idsInOrder(calls: TrialChild[]): string[] {
  return calls.sort((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1)).map(({ id }) => id);
}
