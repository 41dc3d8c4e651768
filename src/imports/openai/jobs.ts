import { fineTuningJobCreate } from '../../contract/fine-tuning/create.ts';
import { validate } from '../../contract/validate.ts';
import { openAiId } from '../../domain/openai-ids.ts';
import type { FineTuningJob } from '../../services/fine-tuning/fine-tuning.ts';
import { isObject } from '../../util/json/own-member.ts';
import { toJson } from '../../util/json/write.ts';
import type { Definition } from './definitions.ts';
import { sourceFileId } from './files.ts';
import type { Import } from './import.ts';
import type { Located } from './records.ts';
import { count, type ImportedJob } from './report.ts';

type Job = Definition<'fine_tuning.job'>;

/** In the metadata of a job that was started from an imported one. */
const importedFrom = 'imported_from';

/**
 * Stores the definition of a job as an object of the project. With the name of a served model, starts the job on it, since
 * its own model is not here.
 */
export async function importJob(work: Import, { value: job, sent }: Located<Job>, model: string | null): Promise<void> {
  const { context, owner, report } = work;
  const object = { _type: 'OpenAIFineTuningJob', _class_name: 'OpenAIFineTuningJob', _bases: ['Object', 'BaseModel'] };
  await context.services.objects.publish({
    projectId: owner.project.id,
    objectId: job.id,
    value: toJson({ ...object, ...sent() }),
    caller: owner.caller,
  });
  report.fineTuningJobs.push({ ...described(job), ...(await start(work, job, model)) });
}

function described({ id, status, model, method }: Job): Pick<ImportedJob, 'id' | 'status' | 'model' | 'method'> {
  return { id, status, model, method: typeof method?.type === 'string' ? method.type : 'supervised' };
}

async function start(work: Import, job: Job, model: string | null): Promise<Pick<ImportedJob, 'outcome' | 'canStart'>> {
  const { context, owner, report } = work;
  if (job.status === 'failed' || job.status === 'cancelled') {
    return { outcome: `not started: it ${job.status === 'failed' ? 'failed' : 'was cancelled'}`, canStart: false };
  }
  const training_file = await sourceFileId(work, job.training_file);
  const validation_file = job.validation_file ? await sourceFileId(work, job.validation_file) : null;
  const missing = training_file === null ? job.training_file : validation_file === null && job.validation_file;
  if (missing) return { outcome: `not started: import its file ${missing}`, canStart: false };
  if (model === null) return { outcome: 'can be started', canStart: true };
  const before = await startedFrom(work, job.id, model);
  if (before) {
    count(report.jobs, false);
    return { outcome: `started before as ${openAiId('ftjob-', before.id)}`, canStart: true };
  }
  const body = validate(
    fineTuningJobCreate.body!,
    {
      ...{ model, training_file, validation_file, seed: job.seed, suffix: suffixOf(job) },
      ...(job.method ? { method: withoutNulls(job.method) } : { hyperparameters: job.hyperparameters }),
      metadata: { ...Object.fromEntries(Object.entries(job.metadata ?? {}).slice(0, 15)), [importedFrom]: job.id },
    },
    job.id,
  );
  const created = await context.services.fineTuning.create({
    projectId: owner.project.id,
    caller: owner.caller,
    body,
  });
  count(report.jobs, true);
  return { outcome: `started as ${openAiId('ftjob-', created.id)}`, canStart: true };
}

/** A job that was started from this one on the model, and did not fail. */
async function startedFrom({ context, owner }: Import, id: string, model: string): Promise<FineTuningJob | null> {
  const page = { after: null, limit: 100, metadata: { [importedFrom]: id } };
  const jobs = await context.services.fineTuning.list(owner.project.id, page);
  return jobs.find((job) => job.model === model && job.status !== 'failed') ?? null;
}

/** As it was given, or as the name of the model has it: `ft:base:organization:suffix:id`. */
function suffixOf({ user_provided_suffix: given, fine_tuned_model: name }: Job): string | undefined {
  return given || name?.split(':')[3] || undefined;
}

/** OpenAI lists the methods that a job does not use as null. */
function withoutNulls(value: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(entries.map(([key, each]) => [key, isObject(each) ? withoutNulls(each) : each]));
}
