import type { Context } from '../../context.ts';
import type { fineTuningJobRead as endpoint } from '../../contract/fine-tuning/read.ts';
import type { Handler } from '../../http/bind.ts';
import { fineTuningJobAnswer, fineTuningJobOf } from './fine-tuning-job-answer.ts';

export function fineTuningJobRead(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => fineTuningJobAnswer(await fineTuningJobOf(context, input));
}
