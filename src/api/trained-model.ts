import type { Context } from '../context.ts';
import { notFound } from '../contract/errors.ts';
import type { ProjectName } from '../contract/ids.ts';
import type { Caller } from '../identity/identity.ts';
import type { TrainingJob } from '../services/training/jobs.ts';
import type { TrainedModel } from '../services/training/models.ts';

type Deps = Pick<Context, 'identity' | 'services'>;

/** A trained model with its project. @throws ApiError 404 if there is none that the caller may read */
export async function findTrainedModel(
  { identity, services }: Deps,
  caller: Caller,
  id: string,
): Promise<{ model: TrainedModel; project: ProjectName }> {
  const model = await services.training.models.find(id);
  const project = model && (await identity.readableProjectName(caller, model.projectId));
  if (!project) throw notFound('Model not found');
  return { model, project };
}

/** A training job. @throws ApiError 404 if it does not exist or the caller may not read its model */
export async function findTrainingJob(context: Deps, caller: Caller, id: string): Promise<TrainingJob> {
  const job = await context.services.training.jobs.find(id);
  const model = job && (await context.services.training.models.find(job.modelId));
  if (!model || !(await context.identity.readableProjectName(caller, model.projectId))) {
    throw notFound('Training job not found');
  }
  return job;
}
