import { expect } from 'vitest';
import { newId } from '../../../../contract/ids.ts';
import { listOlderCheckpoints } from '../../../../services/training/checkpoint-artifacts.ts';
import { trainingKeys } from '../../../../services/training/training-keys.ts';
import { openBlobDirectory } from '../../../blobs/directory/blob-directory.ts';
import { findVersion } from '../../artifacts/find-artifacts.ts';
import { deleteCheckpoints, listCheckpoints } from '../../training/checkpoints.ts';
import { listEvents } from '../../training/events.ts';
import { addCheckpoint, appendEvent, completeJob, createJob, endJob, failJob, findJob } from '../../training/jobs.ts';
import { addMetrics, createModel, deleteModel } from '../../training/models.ts';
import { type Cases, each, type Start, writers } from './case.ts';
import { temporaryFolder } from './temporary-folder.ts';

export const trainingCases: Cases = {
  /** Jobs of one model end at once, each with the next step; one job ends once. */
  async 'store/postgres/training/jobs.ts endJob'(start) {
    const { postgres } = start;
    const model = await newModel(start);
    const jobs = await each(() => newJob(start, model.id));
    const steps = await each((index) => endJob(postgres, jobs[index]!, checkpointOf()));
    expect(steps.toSorted()).toEqual(writers.map((index) => index + 1));
    const job = await newJob(start, model.id);
    const ended = await each(() => endJob(postgres, job, checkpointOf()));
    expect(ended.filter((step) => step !== null)).toEqual([writers.length + 1]);
    expect(await typesOfEvents(start, job.id)).toEqual(['training_ended']);
  },

  /** Checkpoints of a job that goes on have different steps; none is added once it has ended. */
  async 'store/postgres/training/jobs.ts addCheckpoint'(start) {
    const { postgres } = start;
    const job = await newJob(start, (await newModel(start)).id);
    const also = async () => {};
    const steps = await each(() => addCheckpoint(postgres, job, checkpointOf(), also));
    expect(steps.toSorted()).toEqual(writers.map((index) => index + 1));
    await completeJob(postgres, job.id);
    expect(await addCheckpoint(postgres, job, checkpointOf(), also)).toBeNull();
  },

  async 'store/postgres/training/jobs.ts completeJob'(start) {
    const { postgres } = start;
    const job = await newJob(start, (await newModel(start)).id);
    const ended = await each(() => completeJob(postgres, job.id));
    expect(ended.filter(Boolean)).toHaveLength(1);
    expect(await typesOfEvents(start, job.id)).toEqual(['training_ended']);
  },

  async 'store/postgres/training/jobs.ts failJob'(start) {
    const { postgres } = start;
    const job = await newJob(start, (await newModel(start)).id);
    const outcomes = await each<boolean | number | null>((index) =>
      index % 2 === 0 ? failJob(postgres, job.id, 'no') : endJob(postgres, job, checkpointOf()),
    );
    expect(outcomes.filter((outcome) => outcome !== false && outcome !== null)).toHaveLength(1);
    expect(await typesOfEvents(start, job.id)).toHaveLength(1);
  },

  async 'store/postgres/training/jobs.ts appendEvent'(start) {
    const { postgres } = start;
    const job = await newJob(start, (await newModel(start)).id);
    await each((index) => appendEvent(postgres, job.id, { type: 'notice', data: { index } }));
    const events = await postgres.db
      .selectFrom('training_events')
      .select('sequence')
      .where('job_id', '=', job.id)
      .execute();
    expect(events.map(({ sequence }) => sequence).toSorted()).toEqual(writers);
  },

  async 'store/postgres/training/models.ts addMetrics'(start) {
    const { id } = await newModel(start);
    await each((index) => addMetrics(start.postgres, id, { [`m${index}`]: index }));
    const { metrics } = await start.postgres.db
      .selectFrom('trained_models')
      .select('metrics')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(Object.keys(metrics)).toHaveLength(writers.length);
  },

  /** A job that ends meanwhile leaves nothing behind. */
  async 'store/postgres/training/models.ts deleteModel'(start) {
    const { postgres, projectId } = start;
    const model = await newModel(start);
    const jobs = await each(() => newJob(start, model.id));
    const [deleted] = await Promise.all([
      each(() => deleteModel(postgres, model.id)),
      ...jobs.map((job) => endJob(postgres, job, checkpointOf())),
    ]);
    expect(deleted.filter((found) => found !== null)).toHaveLength(1);
    const left = await Promise.all(
      (['training_jobs', 'checkpoints'] as const).map((table) =>
        postgres.db.selectFrom(table).select('id').where('model_id', '=', model.id).execute(),
      ),
    );
    expect(left).toEqual([[], []]);
    expect(await findVersion(postgres, { projectId, name: model.name, version: 'latest' })).toBeNull();
  },

  async 'store/postgres/training/checkpoints.ts deleteCheckpoints'(start) {
    const { postgres, projectId } = start;
    const model = await newModel(start);
    for (const _step of [1, 2]) await endJob(postgres, await newJob(start, model.id), checkpointOf());
    const deleted = await each((index) => deleteCheckpoints(postgres, model.id, index % 2 === 0 ? [1] : [1, 2]));
    expect(deleted.flatMap(({ checkpoints }) => checkpoints.map(({ step }) => step)).toSorted()).toEqual([1, 2]);
    expect(await findVersion(postgres, { projectId, name: model.name, version: 'latest' })).toBeNull();
  },

  /** Several processes start at once. */
  async 'services/training/checkpoint-artifacts.ts listOlderCheckpoints'(start) {
    const { postgres, projectId } = start;
    const blobs = openBlobDirectory(temporaryFolder());
    const model = await newModel(start);
    const id = newId();
    await postgres.db
      .insertInto('checkpoints')
      .values({ id, model_id: model.id, step: 1, kind: 'sft', size_bytes: 1 })
      .execute();
    for (const file of ['adapter_config.json', 'adapter_model.safetensors'])
      await blobs.put(`${trainingKeys.checkpoint(projectId, id)}/${file}`, Buffer.from('x'));
    await each(() => listOlderCheckpoints({ postgres, blobs }));
    const listed = await findVersion(postgres, { projectId, name: model.name, version: 'latest' });
    expect(listed).toMatchObject({ id, versionIndex: 0, fileCount: 2 });
    expect(
      await listCheckpoints(postgres, { modelId: model.id, order: 'asc', afterStep: null, limit: 9 }),
    ).toHaveLength(1);
  },
};

export async function newModel({ postgres, projectId }: Start) {
  return createModel(postgres, { id: newId(), projectId, name: 'm', baseModel: 'b', createdBy: 'u' });
}

export async function newJob({ postgres }: Start, modelId: string) {
  const id = newId();
  await createJob(postgres, { id, modelId, kind: 'sft', config: {}, metrics: {}, createdBy: 'u' });
  return (await findJob(postgres, id))!;
}

function checkpointOf() {
  return { id: newId(), metrics: {}, sizeBytes: 1, content: { digest: 'd', files: [] } };
}

async function typesOfEvents({ postgres }: Start, jobId: string): Promise<string[]> {
  const events = await listEvents(postgres, { jobId, afterSequence: null, limit: 100 });
  return events.map(({ type }) => type);
}
