import type { Context } from '../../context.ts';
import type { ProjectName } from '../../contract/ids.ts';
import type { trainedModelCreate as endpoint } from '../../contract/trained-models/create.ts';
import type { Handler } from '../../http/bind.ts';
import { findBaseModel } from '../../services/training/base-model.ts';
import { trainedModelAnswer } from './trained-model-answer.ts';

export function trainedModelCreate(
  context: Pick<Context, 'identity' | 'models' | 'services'>,
): Handler<typeof endpoint> {
  return async ({ body, caller }) => {
    const { entity, project, name, base_model: baseModel } = body;
    const projectName = `${entity || caller.defaultEntity}/${project}` as ProjectName;
    await findBaseModel(context, baseModel);
    const projectId = await context.identity.projectForWrite(caller, projectName);
    const model = await context.services.training.models.create({
      projectId,
      name,
      baseModel,
      createdBy: caller.userId,
      returnExisting: body.return_existing ?? false,
    });
    return trainedModelAnswer(model, projectName);
  };
}
