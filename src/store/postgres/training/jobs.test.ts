import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../contract/ids.ts';
import { newProjectId } from '../../../identity/project-ids.ts';
import type { Postgres } from '../postgres.ts';
import { newTestStore } from '../testing/test-postgres.ts';
import { listEvents } from './events.ts';
import { appendEvent, createJob, endJob, failJob, findJob } from './jobs.ts';
import { createModel } from './models.ts';

const store = newTestStore();
let postgres: Postgres;
beforeAll(async () => {
  postgres = await store.open();
});
afterAll(async () => {
  await postgres.close();
  store.remove();
});

test('a process whose job another one has taken writes nothing about it', async () => {
  const projectId = newProjectId();
  const [modelId, id] = [newId(), newId()];
  await postgres.db.insertInto('entities').values({ id: projectId, name: projectId }).execute();
  await postgres.db.insertInto('projects').values({ id: projectId, entity_id: projectId, name: 'p' }).execute();
  await createModel(postgres, { id: modelId, projectId, name: 'm', baseModel: 'b', createdBy: 'u' });
  await createJob(postgres, { id, modelId, kind: 'sft', config: {}, metrics: {}, createdBy: 'u' });
  const before = (await findJob(postgres, id))!;
  const fence = async () => {
    throw new Error('taken');
  };
  const checkpoint = { id: newId(), metrics: {}, sizeBytes: 1, content: { digest: 'd', files: [] } };
  await expect(endJob(postgres, before, checkpoint, undefined, fence)).rejects.toThrow('taken');
  await expect(failJob(postgres, id, 'no', { fence })).rejects.toThrow('taken');
  await expect(appendEvent(postgres, id, { type: 'notice', data: {} }, fence)).rejects.toThrow('taken');
  expect(await findJob(postgres, id)).toEqual(before);
  expect(await listEvents(postgres, { jobId: id, afterSequence: null, limit: 9 })).toEqual([]);
  expect(await endJob(postgres, before, checkpoint, undefined, async () => {})).toBe(1);
});
