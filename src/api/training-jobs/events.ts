import type { Context } from '../../context.ts';
import type { trainingJobEvents as endpoint } from '../../contract/training-jobs/events.ts';
import type { Handler } from '../../http/bind.ts';
import { findTrainingJob } from '../trained-model.ts';
import { limitWithNext, trainingPage } from '../training-page.ts';

export function trainingJobEvents(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ params, query, caller }) => {
    const { id } = await findTrainingJob(context, caller, params.job_id);
    const { after, limit } = query;
    const events = await context.services.training.jobs.events(id, { after, limit: limitWithNext(limit) });
    return trainingPage(events, limit);
  };
}
