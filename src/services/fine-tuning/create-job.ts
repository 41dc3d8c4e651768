import type { z } from 'zod';
import type { fineTuningJobCreate } from '../../contract/fine-tuning/create.ts';
import type { FineTuningMethod } from '../../contract/fine-tuning/method.ts';
import { newId, type ProjectId } from '../../contract/ids.ts';
import { chooseMethod } from '../../domain/fine-tuning/method.ts';
import { cleanSuffix, fineTunedModelName, trainedModelName } from '../../domain/fine-tuning/names.ts';
import { graderFault } from '../../domain/graders/check-grader.ts';
import { openAiId } from '../../domain/openai-ids.ts';
import type { Caller } from '../../identity/identity.ts';
import { addFineTuning } from '../../store/postgres/fine-tuning/jobs.ts';
import { appendEvent, createJob } from '../../store/postgres/training/jobs.ts';
import { createModel } from '../../store/postgres/training/models.ts';
import { Failure, invalidInput } from '../../util/failures.ts';
import type { Deps } from '../deps.ts';
import { findFineTunedModel } from '../models/fine-tuned-model.ts';
import { findBaseModel } from '../training/base-model.ts';
import { deleteBlobs } from '../training/delete-blobs.ts';
import type { JobRunner } from '../training/jobs.ts';
import { trainingKeys } from '../training/training-keys.ts';
import type { UploadedFiles } from '../uploaded-files.ts';
import { copyData, findTrainingFile } from './copy-data.ts';
import { trainingConfig } from './training-config.ts';

export type CreateDeps = Pick<Deps, 'postgres' | 'blobs' | 'models' | 'modelReader' | 'identity'> & {
  files: UploadedFiles;
  runner: JobRunner;
};

export type NewFineTuning = {
  projectId: ProjectId;
  caller: Caller;
  body: z.output<NonNullable<(typeof fineTuningJobCreate)['body']>>;
};

/** Queues a job with copies of its files. It survives a crash once this resolves. @throws Failure */
export async function createFineTuning(deps: CreateDeps, wanted: NewFineTuning): Promise<{ id: string }> {
  const { projectId, body } = wanted;
  if (body.integrations?.length) throw integrationRefused();
  checkGrader(body.method);
  const start = await findStart(deps, wanted);
  const [training, validation] = await findFiles(deps, wanted);
  const id = newId();
  try {
    const examples = await copyData(deps, projectId, training, trainingKeys.jobData(projectId, id));
    if (validation) await copyData(deps, projectId, validation, trainingKeys.validationData(projectId, id));
    const method = chooseMethod(body.method ?? supervised(body), examples);
    await queueJob(deps, wanted, { id, start, method, training, validation });
  } catch (error) {
    await deleteBlobs(deps.blobs, trainingKeys.job(projectId, id));
    throw error;
  }
  return { id };
}

function supervised({ hyperparameters }: NewFineTuning['body']) {
  return { type: 'supervised' as const, supervised: { hyperparameters } };
}

function integrationRefused(): Failure {
  const reason = 'Metrics are in the events and in the result file of a job, and its trace is in the project.';
  return invalidInput(`Integrations are not supported. ${reason}`, { param: 'integrations' });
}

/** @throws Failure for a grader that cannot be used */
function checkGrader(method: NewFineTuning['body']['method']): void {
  const fault = method?.type === 'reinforcement' ? graderFault(method.reinforcement.grader) : null;
  if (!fault) return;
  throw invalidInput(fault.message, { param: ['method.reinforcement.grader', ...fault.path].join('.') });
}

/** The key of a job's metadata that allows rows of suites: `true`. */
const allowingKey = 'heddle_allow_suite_rows';

type Start = Awaited<ReturnType<typeof findStart>>;

/** The base model, and the checkpoint that a fine-tuned model is further trained from. */
async function findStart(deps: CreateDeps, { body, caller }: NewFineTuning) {
  const tuned = await findFineTunedModel(deps, body.model, caller);
  try {
    const base = await findBaseModel(deps, tuned?.base ?? body.model);
    return { base, checkpoint: tuned && { projectId: tuned.job.projectId, id: tuned.checkpointId } };
  } catch (error) {
    throw error instanceof Failure ? invalidInput(error.message, { param: 'model' }) : error;
  }
}

async function findFiles(deps: CreateDeps, { projectId, body }: NewFineTuning): Promise<[string, string | null]> {
  const training = await findTrainingFile(deps, projectId, { id: body.training_file, param: 'training_file' });
  if (!body.validation_file) return [training, null];
  return [training, await findTrainingFile(deps, projectId, { id: body.validation_file, param: 'validation_file' })];
}

type Queued = { id: string; start: Start; method: FineTuningMethod; training: string; validation: string | null };

async function queueJob(deps: CreateDeps, { projectId, caller, body }: NewFineTuning, queued: Queued): Promise<void> {
  const { id, start, method } = queued;
  const { hiddenSize } = await deps.modelReader.sizes(start.base);
  const suffix = cleanSuffix(body.suffix);
  const [entity] = (await deps.identity.projectName(projectId))!.split('/') as [string];
  const createdBy = caller.userId;
  await deps.postgres.db.transaction().execute(async (transaction) => {
    const db = { db: transaction };
    const model = { id: newId(), projectId, name: trainedModelName(suffix, id), baseModel: start.base.name, createdBy };
    await createModel(db, model);
    const allowsSuiteRows = body.metadata?.[allowingKey] === 'true';
    const { kind, config } = trainingConfig(method, { hiddenSize, trainingFile: openAiId('file-', queued.training) });
    await createJob(db, { id, modelId: model.id, kind, config, metrics: {}, createdBy, allowsSuiteRows });
    await addFineTuning(db, {
      id,
      projectId,
      model: body.model,
      fineTunedModel: fineTunedModelName({ base: start.base.name, entity, suffix, jobId: id }),
      startProjectId: start.checkpoint?.projectId ?? null,
      startCheckpointId: start.checkpoint?.id ?? null,
      trainingFileId: queued.training,
      validationFileId: queued.validation,
      method,
      seed: body.seed ?? Math.floor(Math.random() * 2 ** 31),
      metadata: body.metadata,
    });
    await appendEvent(db, id, {
      type: 'notice',
      data: { message: `Created fine-tuning job: ${openAiId('ftjob-', id)}` },
    });
    await deps.runner.enqueue({ id, modelId: model.id, projectId }, transaction);
  });
}
