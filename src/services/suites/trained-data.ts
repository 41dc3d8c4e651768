import type { ProjectId } from '../../contract/ids.ts';
import { messagesOfCall } from '../../domain/suites/compared-texts.ts';
import { readCallsById } from '../../store/clickhouse/calls/find/read-calls-by-id.ts';
import { callsOfJob, type JobToScan } from '../../store/postgres/suites/trained-jobs.ts';
import { isRefusal } from '../../util/failures.ts';
import { parsePlain } from '../../util/json/parse.ts';
import { toJson } from '../../util/json/write.ts';
import type { Deps } from '../deps.ts';
import { type DataResolver, resolveData } from '../training/data/resolve-data.ts';
import { trainingKeys } from '../training/training-keys.ts';
import type { UploadedFiles } from '../uploaded-files.ts';
import type { TrainingData } from './compare-data.ts';

export type TrainedDataDeps = Pick<Deps, 'clickhouse' | 'postgres' | 'blobs' | 'identity'> & {
  uploadedFiles: UploadedFiles;
  resolvers: readonly DataResolver[];
};

/** How the lines of a job's data are counted. */
export function countedOf(kind: JobToScan['kind']): 'lines' | 'trajectories' {
  return kind === 'rl' ? 'trajectories' : 'lines';
}

/**
 * What is left of the data of a job. Its copy is deleted when it ends; then the file or the dataset that it was copied from, and the calls that
 * were recorded with the job.
 */
export async function trainedData(
  deps: TrainedDataDeps,
  projectId: ProjectId,
  job: JobToScan,
): Promise<TrainingData[]> {
  const key = trainingKeys.jobData(projectId, job.id);
  if ((await deps.blobs.size(key)) !== null) {
    return [{ counted: countedOf(job.kind), open: async () => (await deps.blobs.get(key))?.stream ?? none() }];
  }
  const found = [
    await uploadedFile(deps, projectId, job),
    await copiedData(deps, job),
    await calls(deps, projectId, job),
  ];
  return found.filter((each) => each !== null);
}

async function* none(): AsyncGenerator<Uint8Array> {
  // The job has just ended.
}

async function uploadedFile(
  { uploadedFiles }: TrainedDataDeps,
  projectId: ProjectId,
  { trainingFileId: id }: JobToScan,
): Promise<TrainingData | null> {
  if (id === null || !(await uploadedFiles.find(projectId, id))) return null;
  return { counted: 'lines', open: async () => (await uploadedFiles.open(projectId, id)).stream };
}

/** A dataset or an artifact, if the creator of the job may still read it. */
async function copiedData(
  { identity, resolvers }: TrainedDataDeps,
  { config, createdBy }: JobToScan,
): Promise<TrainingData | null> {
  const address = config.training_data_url;
  if (typeof address !== 'string' || !/^(weave|wandb-artifact):\/\//.test(address)) return null;
  const caller = await identity.findCaller(createdBy);
  if (caller === null) return null;
  const open = () => resolveData(resolvers, address, caller);
  try {
    await open();
    return { counted: 'lines', open };
  } catch (error) {
    if (isRefusal(error)) return null; // deleted meanwhile
    throw error;
  }
}

async function calls(deps: TrainedDataDeps, projectId: ProjectId, job: JobToScan): Promise<TrainingData | null> {
  const some = await callsOfJob(deps.postgres, { jobId: job.id, after: '', limit: 1 });
  return some.length === 0 ? null : { counted: 'calls', open: async () => callLines(deps, projectId, job) };
}

/** Read from the stores together. */
const callsTogether = 50;

async function* callLines(
  { postgres, clickhouse }: TrainedDataDeps,
  projectId: ProjectId,
  { id: jobId, kind }: JobToScan,
): AsyncGenerator<Uint8Array> {
  for (let after = ''; ; ) {
    const ids = await callsOfJob(postgres, { jobId, after, limit: callsTogether });
    if (ids.length === 0) return;
    after = ids.at(-1)!;
    const found = await readCallsById(clickhouse, {
      ...{ projectId, ids, columns: new Set(['inputs', 'output'] as const) },
      ...{ includeStorageSize: false, includeTotalStorageSize: false },
    });
    for (const { id, inputs, output } of found) {
      const messages = messagesOfCall(parsePlain(inputs), parsePlain(output || 'null'));
      if (messages) yield Buffer.from(`${toJson(lineOf(kind, messages, id))}\n`);
    }
  }
}

/** As jobs store it: the answers of trajectories are choices. */
function lineOf(kind: JobToScan['kind'], messages: readonly unknown[], callId: string): object {
  if (kind !== 'rl') return { messages, call_id: callId };
  const choice = { message: messages.at(-1), finish_reason: 'stop', call_id: callId };
  return { trajectory: { messages_and_choices: [...messages.slice(0, -1), choice] } };
}
