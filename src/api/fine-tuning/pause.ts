import type { Context } from '../../context.ts';
import type { fineTuningJobPause as endpoint } from '../../contract/fine-tuning/pause.ts';
import type { Handler } from '../../http/bind.ts';
import { fineTuningJobAnswer, fineTuningJobOf } from './fine-tuning-job-answer.ts';

export function fineTuningJobPause(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const job = await fineTuningJobOf(context, input);
    await context.services.fineTuning.pause(job);
    return fineTuningJobAnswer(await context.services.fineTuning.find(job.projectId, job.id));
  };
}
