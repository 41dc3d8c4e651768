import type { FineTuningJob } from '../../domain/fine-tuning/job.ts';
import { parseFineTunedName } from '../../domain/fine-tuning/names.ts';
import type { Caller } from '../../identity/identity.ts';
import { findFineTuningCheckpoint } from '../../store/postgres/fine-tuning/checkpoints.ts';
import { findFineTuningJob } from '../../store/postgres/fine-tuning/jobs.ts';
import { findModel } from '../../store/postgres/training/models.ts';
import { notFound } from '../../util/failures.ts';
import type { Deps } from '../deps.ts';
import { trainingKeys } from '../training/training-keys.ts';
import { type ModelResolver, noSuchModel } from './resolve-model.ts';
import { overBase } from './served-model.ts';

type FineTunedDeps = Pick<Deps, 'identity' | 'postgres'>;

/** A model or checkpoint that a fine-tuning job made. */
export type FineTunedModel = { job: FineTuningJob; base: string; checkpointId: string };

/** Resolves names such as `ft:heddle/tiny:entity:suffix:id`, for callers who may read the project. */
export function fineTunedResolver(deps: FineTunedDeps & Pick<Deps, 'models'>): ModelResolver {
  return async (name, caller) => {
    const found = await findFineTunedModel(deps, name, caller);
    if (found === null) return null;
    const base = await deps.models.find(found.base);
    if (!base) throw notFound(`The base model ${found.base} of ${name} is no longer served.`, { param: 'model' });
    const files = { blobs: trainingKeys.checkpoint(found.job.projectId, found.checkpointId) };
    return overBase(base, { id: found.checkpointId, name, files });
  };
}

/** @returns null for a name of another form @throws Failure if there is no such model, or the caller may not use it */
export async function findFineTunedModel(
  { identity, postgres }: FineTunedDeps,
  name: string,
  caller: Caller,
): Promise<FineTunedModel | null> {
  const parsed = parseFineTunedName(name);
  if (parsed === null) return null;
  const job = await findFineTuningJob(postgres, { fineTunedModel: parsed.model });
  const model = job && (await findModel(postgres, job.modelId));
  const isReadable = job !== null && (await identity.readableProjectName(caller, job.projectId)) !== null;
  if (!job || !model || !isReadable || job.modelDeletedAt !== null) throw noSuchModel(name);
  const checkpointId = parsed.step === null ? checkpointOf(job) : await checkpointOfStep(postgres, job, parsed.step);
  if (checkpointId === null) throw noSuchModel(name);
  return { job, base: model.baseModel, checkpointId };
}

/** Null before its end. */
function checkpointOf({ status, checkpointId }: FineTuningJob): string | null {
  return status === 'ended' ? checkpointId : null;
}

async function checkpointOfStep(postgres: Deps['postgres'], { id }: FineTuningJob, step: number) {
  return (await findFineTuningCheckpoint(postgres, id, { step }))?.id ?? null;
}
