import type { Context } from '../../context.ts';
import type { fineTuningJobCreate as endpoint } from '../../contract/fine-tuning/create.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForWrite } from '../project.ts';
import { fineTuningJobAnswer } from './fine-tuning-job-answer.ts';

export function fineTuningJobCreate({
  identity,
  services,
}: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const projectId = (await ownerForWrite({ identity }, input)).project.id;
    const { body, caller } = input;
    return fineTuningJobAnswer(await services.fineTuning.create({ projectId, body, caller }));
  };
}
