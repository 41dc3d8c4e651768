import type { Context } from '../../context.ts';
import type { trainingJobRollouts as endpoint } from '../../contract/training-jobs/rollouts.ts';
import type { Handler } from '../../http/bind.ts';
import { findTrainedModel, findTrainingJob } from '../trained-model.ts';
import { rolloutAnswer } from './rollout-answer.ts';

export function trainingJobRollouts(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ params, query, caller }) => {
    const { id, modelId } = await findTrainingJob(context, caller, params.job_id);
    const { model } = await findTrainedModel(context, caller, modelId);
    const kept = await context.services.training.jobs.rollouts(model, id);
    const found = kept.findLast(({ step }) => step <= (query.step ?? 1));
    return {
      steps: kept.map(({ step }) => step),
      step: found?.step ?? null,
      total: found?.total ?? 0,
      rollouts: (found?.rollouts ?? []).map(rolloutAnswer),
    };
  };
}
