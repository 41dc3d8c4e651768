import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId, type ProjectId } from '../../contract/ids.ts';
import { newProjectId } from '../../identity/project-ids.ts';
import { openJobs } from '../../jobs/jobs.ts';
import { trainingQueue, trainTask } from '../../jobs/tasks/train.ts';
import { openBlobDirectory } from '../../store/blobs/directory/blob-directory.ts';
import { openAlone } from '../../store/peers/alone.ts';
import { jobsToCancel } from '../../store/postgres/job-attempts/look.ts';
import type { Postgres } from '../../store/postgres/postgres.ts';
import { temporaryFolder } from '../../store/postgres/testing/at-once/temporary-folder.ts';
import { newTestStore } from '../../store/postgres/testing/test-postgres.ts';
import { createModel } from '../../store/postgres/training/models.ts';
import { type JobRunner, openTrainingJobs } from './jobs.ts';

const store = newTestStore();
let postgres: Postgres;
let jobs: Awaited<ReturnType<typeof openJobs>>;
const projectId = newProjectId() as ProjectId;

beforeAll(async () => {
  postgres = await store.open();
  await postgres.db.insertInto('entities').values({ id: 'e', name: 'e' }).execute();
  await postgres.db.insertInto('projects').values({ id: projectId, entity_id: 'e', name: 'p' }).execute();
  const onError = (error: unknown) => expect.fail(String(error));
  jobs = await openJobs(postgres, openAlone(), { mayStart: () => false, onError });
  await jobs.start([trainTask({} as never)]);
  await trainingQueue(jobs).check(); // pg-boss reads the queue once, which must not be within a transaction
});
afterAll(async () => {
  await jobs.close();
  await postgres.close();
  store.remove();
});

/** A queued job, at a process that does with its cancellation what the test says. */
async function queued(runner: Partial<JobRunner>) {
  const blobs = openBlobDirectory(temporaryFolder());
  const training = openTrainingJobs({ postgres, blobs }, { ...trainingQueue(jobs), ...runner }, []);
  const model = await createModel(postgres, { id: newId(), projectId, name: newId(), baseModel: 'b', createdBy: 'u' });
  const { id } = await training.createRl({ model, config: {}, createdBy: 'u', groups: [] });
  return { training, id };
}

const toCancel = () => jobsToCancel(postgres.db, 'train');

test('a job whose process ends between its last event and its cancellation is to be canceled', async () => {
  const { training, id } = await queued({ cancel: () => Promise.reject(new Error('ended')) });
  await expect(training.cancel(id)).rejects.toThrow('ended');
  expect((await training.find(id))?.status).toBe('failed');
  expect(await toCancel()).toContain(id);
});

test('a job that cannot be canceled has no event that says so', async () => {
  const { training, id } = await queued({ askToCancel: () => Promise.reject(new Error('no')) });
  await expect(training.cancel(id)).rejects.toThrow('no');
  expect((await training.find(id))?.status).toBe('queued');
});

test('a job that is over is not asked to be canceled', async () => {
  const { training, id } = await queued({ cancel: async () => {} });
  expect(await training.cancel(id)).toBe(true);
  await postgres.db.deleteFrom('job_attempts').execute();
  expect(await training.cancel(id)).toBe(false);
  expect(await toCancel()).toEqual([]);
});
