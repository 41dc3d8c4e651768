import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { ApiError } from '../../contract/errors.ts';
import { hyperparametersOf } from '../../domain/fine-tuning/method.ts';
import { openAiId, readOpenAiId } from '../../domain/openai-ids.ts';
import type { Caller } from '../../identity/identity.ts';
import type { FineTuningJob } from '../../services/fine-tuning/fine-tuning.ts';
import { ownerForRead } from '../project.ts';

export function fineTuningJobAnswer(job: FineTuningJob) {
  const status = statusOf(job);
  const file = (id: string | null) => id && openAiId('file-', id);
  const { n_epochs, batch_size, learning_rate_multiplier } = hyperparametersOf(job.method);
  return {
    id: openAiId('ftjob-', job.id),
    object: 'fine_tuning.job' as const,
    created_at: seconds(job.createdAt),
    finished_at: job.endedAt && seconds(job.endedAt),
    estimated_finish: status === 'running' ? estimatedFinish(job) : null,
    model: job.model,
    fine_tuned_model: status === 'succeeded' ? job.fineTunedModel : null,
    organization_id: job.fineTunedModel.split(':').at(-3)!,
    status,
    method: job.method,
    hyperparameters: { n_epochs, batch_size, learning_rate_multiplier },
    seed: job.seed,
    training_file: openAiId('file-', job.trainingFileId),
    validation_file: file(job.validationFileId),
    result_files: job.resultFileId === null ? [] : [openAiId('file-', job.resultFileId)],
    trained_tokens: job.trainedTokens,
    error: status === 'failed' ? errorOf(job) : null,
    integrations: [],
    metadata: job.metadata,
  };
}

/** Files are validated when a job starts. OpenAI's types have no word for a paused job. */
function statusOf({ status, canceledAt, pausedAt, stepsTotal }: FineTuningJob) {
  switch (status) {
    case 'ended':
      return 'succeeded' as const;
    case 'failed':
      return canceledAt === null ? ('failed' as const) : ('cancelled' as const);
    case 'queued':
      return 'queued' as const;
    case 'running':
      if (pausedAt !== null) return 'queued' as const;
      return stepsTotal === null ? ('validating_files' as const) : ('running' as const);
    default:
      return status satisfies never;
  }
}

function estimatedFinish({ startedAt, steps, stepsTotal }: FineTuningJob): number | null {
  if (startedAt === null || steps === 0 || stepsTotal === null) return null;
  const elapsed = Date.now() - startedAt.getTime();
  return Math.ceil((startedAt.getTime() + (elapsed * stepsTotal) / steps) / 1000);
}

/** What clients call the data of a job. */
const filesOfParams: Record<string, string> = {
  training_data_url: 'training_file',
  validation_file: 'validation_file',
};

function errorOf({ failure }: FineTuningJob) {
  const file = filesOfParams[failure?.param ?? ''] ?? null;
  return {
    code: file === null ? 'training_failed' : `invalid_${file}`,
    message: failure?.error_message ?? 'The job failed.',
    param: file,
  };
}

/** The job that a request names. @throws ApiError, Failure if its project has none */
export function fineTuningJobOf(
  { identity, services }: Pick<Context, 'identity' | 'services'>,
  input: { params: { fine_tuning_job_id: string }; caller: Caller; raw: FastifyRequest },
): Promise<FineTuningJob> {
  const { fine_tuning_job_id: id } = input.params;
  return ownerForRead({ identity }, input).then(({ project: { id: projectId } }) =>
    services.fineTuning.find(projectId, readJobId(id)),
  );
}

export function readJobId(text: string, param = 'fine_tuning_job_id'): string {
  const id = readOpenAiId('ftjob-', text);
  if (id === null) throw new ApiError(404, `Could not find fine tune: ${text}`, { param });
  return id;
}

export function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
