import type { Context } from '../../context.ts';
import { ApiError } from '../../contract/errors.ts';
import type { fineTuningJobCheckpoints as endpoint } from '../../contract/fine-tuning/checkpoints.ts';
import { checkpointName } from '../../domain/fine-tuning/names.ts';
import { openAiId, readOpenAiId } from '../../domain/openai-ids.ts';
import type { Handler } from '../../http/bind.ts';
import { limitWithNext, openAiPage } from '../openai-page.ts';
import { fineTuningJobOf, seconds } from './fine-tuning-job-answer.ts';

export function fineTuningJobCheckpoints(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const job = await fineTuningJobOf(context, input);
    const { limit } = input.query;
    const after = input.query.after && readCheckpointId(input.query.after);
    const found = await context.services.fineTuning.checkpoints(job, { after, limit: limitWithNext(limit) });
    const answers = found.map(({ id, step, metrics, createdAt }) => ({
      id: openAiId('ftckpt_', id),
      object: 'fine_tuning.job.checkpoint' as const,
      created_at: seconds(createdAt),
      fine_tuned_model_checkpoint: id === job.id ? job.fineTunedModel : checkpointName(job.fineTunedModel, step),
      fine_tuning_job_id: input.params.fine_tuning_job_id,
      step_number: step,
      metrics,
    }));
    return openAiPage(answers, limit);
  };
}

function readCheckpointId(text: string): string {
  const id = readOpenAiId('ftckpt_', text);
  if (id === null) throw new ApiError(404, `The job has no such checkpoint: ${text}`, { param: 'after' });
  return id;
}
