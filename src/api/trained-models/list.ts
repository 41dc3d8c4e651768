import type { Context } from '../../context.ts';
import type { ProjectName } from '../../contract/ids.ts';
import type { trainedModelList as endpoint } from '../../contract/trained-models/list.ts';
import type { Handler } from '../../http/bind.ts';
import { limitWithNext, trainingPage } from '../training-page.ts';
import { trainedModelAnswer } from './trained-model-answer.ts';

export function trainedModelList({
  identity,
  services,
}: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ query, caller }) => {
    const { entity, project, name, after, limit } = query;
    const projectName = `${entity || caller.defaultEntity}/${project}` as ProjectName;
    const projectId = await identity.projectForRead(caller, projectName);
    const found = await services.training.models.list({ projectId, name, after, limit: limitWithNext(limit) });
    return trainingPage(
      found.map((model) => trainedModelAnswer(model, projectName)),
      limit,
    );
  };
}
