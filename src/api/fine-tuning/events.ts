import type { Context } from '../../context.ts';
import { ApiError } from '../../contract/errors.ts';
import type { fineTuningJobEvents as endpoint } from '../../contract/fine-tuning/events.ts';
import { openAiId, readOpenAiId } from '../../domain/openai-ids.ts';
import type { Handler } from '../../http/bind.ts';
import type { FineTuningJob, NumberedEvent } from '../../services/fine-tuning/fine-tuning.ts';
import { limitWithNext, openAiPage } from '../openai-page.ts';
import { describeEvent } from './describe-event.ts';
import { fineTuningJobOf, seconds } from './fine-tuning-job-answer.ts';

export function fineTuningJobEvents(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const job = await fineTuningJobOf(context, input);
    const { limit } = input.query;
    const after = input.query.after && readEventId(input.query.after);
    const events = await context.services.fineTuning.events(job, { after, limit: limitWithNext(limit) });
    return openAiPage(
      events.map((event) => eventAnswer(event, job)),
      limit,
    );
  };
}

function eventAnswer(event: NumberedEvent, job: FineTuningJob) {
  return {
    id: openAiId('ftevent-', event.id),
    object: 'fine_tuning.job.event' as const,
    created_at: seconds(event.createdAt),
    ...describeEvent(event, job),
  };
}

function readEventId(text: string): string {
  const id = readOpenAiId('ftevent-', text);
  if (id === null) throw new ApiError(404, `The job has no such event: ${text}`, { param: 'after' });
  return id;
}
