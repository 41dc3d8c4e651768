import type { BaseModel } from '../../domain/model.ts';
import type { ModelReader } from '../../inference/model-reader.ts';
import { storeRollouts } from '../../services/training/rollouts.ts';
import { trainingKeys } from '../../services/training/training-keys.ts';
import type { Blobs } from '../../store/blobs/blobs.ts';
import type { TrainingJob } from '../../store/postgres/training/jobs.ts';
import type { TrainedModel } from '../../store/postgres/training/models.ts';
import { notFound } from '../../util/failures.ts';
import { prepareInThread, type WantedPreparation } from './prepare.ts';
import type { PreparedKind, PreparedOf, PrepareRequest } from './prepare-worker.ts';

/** Rollouts of each step that are stored for the page. */
const rolloutsKept = { stepsMax: 100, perStepMax: 8 };
const none = { stepsMax: 0, perStepMax: 0 };

type JobData<Kind extends PreparedKind> = {
  job: TrainingJob;
  model: TrainedModel;
  base: BaseModel;
  kind: Kind;
  settings: PrepareRequest<Kind>['settings'];
  signal: AbortSignal;
};

/** The data of a job as tokens. @throws Failure for data that cannot be trained on */
export async function prepareJob<Kind extends PreparedKind>(
  { blobs, modelReader }: { blobs: Blobs; modelReader: ModelReader },
  { job, model, base, kind, settings, signal }: JobData<Kind>,
): Promise<{ prepared: PreparedOf[Kind]; validation: PreparedOf[Kind] | null }> {
  const data = await blobs.get(trainingKeys.jobData(model.projectId, job.id));
  if (!data) throw notFound('The data of the job was deleted.');
  const request: WantedPreparation<Kind> = {
    ...{ kind, settings, base },
    seed: seedOf(job.id),
    now: job.createdAt.getTime(),
    rollouts: rolloutsKept,
  };
  const prepared = await prepareInThread(modelReader, data.stream, request, signal);
  if ('rollouts' in prepared) {
    await storeRollouts(blobs, trainingKeys.rollouts(model.projectId, model.id, job.id), prepared.rollouts);
  }
  const validationData = await blobs.get(trainingKeys.validationData(model.projectId, job.id));
  if (validationData === null) return { prepared, validation: null };
  const once = { ...request, settings: { ...settings, epochs: 1 }, isValidation: true, rollouts: none };
  return { prepared, validation: await prepareInThread(modelReader, validationData.stream, once, signal) };
}

/** The same for each run of a job. */
function seedOf(jobId: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${jobId.replaceAll('-', '')}`));
}
