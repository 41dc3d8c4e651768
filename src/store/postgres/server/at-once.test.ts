import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId, type ProjectId } from '../../../contract/ids.ts';
import type { ProjectPrice } from '../../../domain/prices/price-book.ts';
import { addItems } from '../annotation-queues/add-items.ts';
import { createQueue } from '../annotation-queues/create-queue.ts';
import { updateProgress } from '../annotation-queues/update-progress.ts';
import { migratePostgres } from '../migrate.ts';
import { deleteVersions } from '../objects/delete-versions.ts';
import { publishNewOps } from '../objects/publish-new-ops.ts';
import { publishVersion } from '../objects/publish-version.ts';
import type { Postgres } from '../postgres.ts';
import { addPrices } from '../prices/add-prices.ts';
import { linkVersion } from '../registry/link-version.ts';
import { appendLines } from '../runs/lines.ts';
import { replaceHistory } from '../runs/replace-history.ts';
import { addRun } from '../runs/runs.ts';
import { startTestServer, type TestServer } from '../testing/postgres-server.ts';
import { addTestProject } from '../testing/test-project.ts';
import { serverPostgres } from './open.ts';
import { parseServerUrl } from './server-url.ts';

/** Embedded PostgreSQL has one connection, so transactions overlap on a server alone. */

let server: TestServer;
let postgres: Postgres;
beforeAll(async () => {
  server = await startTestServer();
  const address = parseServerUrl(await server.createDatabase());
  postgres = (await serverPostgres({ address, direct: address, connectionsMax: 8, waitMsMax: 0 })).store;
  await migratePostgres(postgres);
  await addTestProject(postgres);
});
afterAll(async () => {
  await postgres?.close();
  await server?.close();
});

const writers = Array.from({ length: 8 }, (_, index) => index);
/** All at once. */
const each = <Value>(work: (index: number) => Promise<Value>) => Promise.all(writers.map(work));

const versionOf = (objectId: string, digest: string) => ({
  ...{ projectId: 'p', kind: 'object' as const, objectId, digest, baseClass: null, leafClass: null },
  ...{ sizeBytes: 1, userId: 'u' },
});

async function newRun(name: string): Promise<string> {
  await addRun(postgres, { projectId: 'p' as ProjectId, name, createdBy: 'u' });
  const run = await postgres.db.selectFrom('runs').select('id').where('name', '=', name).executeTakeFirstOrThrow();
  return run.id;
}

const countsOf = (runId: string) =>
  postgres.db
    .selectFrom('runs')
    .select(['history_lines', 'log_lines', 'summary'])
    .where('id', '=', runId)
    .executeTakeFirstOrThrow();

test('lines that several clients of a run stream are all counted, and all changes of its summary are kept', async () => {
  const runId = await newRun('lines');
  await each((index) =>
    appendLines(
      postgres,
      { runId, clientId: `c${index}` },
      [{ stream: 'history', firstLine: 0, lines: ['{}', '{}'] }],
      { summarize: (stored) => JSON.stringify({ ...JSON.parse(stored), [`k${index}`]: index }) },
    ),
  );
  const { history_lines, summary } = await countsOf(runId);
  expect(history_lines).toBe(2 * writers.length);
  expect(Object.keys(JSON.parse(summary))).toHaveLength(writers.length);
});

test('the same lines sent several times at once are counted once', async () => {
  const runId = await newRun('repeated');
  const lines = { stream: 'log' as const, firstLine: 0, lines: ['a', 'b', 'c'] };
  await each(() => appendLines(postgres, { runId, clientId: '' }, [lines], {}));
  expect((await countsOf(runId)).log_lines).toBe(3);
});

test('of histories that replace one another at once, one is there as a whole', async () => {
  const runId = await newRun('replaced');
  await each((index) => replaceHistory(postgres, runId, Array(index + 1).fill(`${index}`), `{"last":${index}}`));
  const { history_lines, summary } = await countsOf(runId);
  const last = JSON.parse(summary).last;
  const stored = await postgres.db.selectFrom('run_lines').select('content').where('run_id', '=', runId).execute();
  expect(history_lines).toBe(last + 1);
  expect(stored.map(({ content }) => content)).toEqual([
    Array(last + 1)
      .fill(`${last}`)
      .join('\n'),
  ]);
});

test('versions that are linked at once get different numbers, and one version gets one', async () => {
  const link = (digest: string) => ({
    ...{ collection: { entityId: 'e', registry: 'r', name: 'c' }, userId: 'u', aliases: ['best'] },
    version: { projectId: 'p', objectId: 'linked', digest },
  });
  await each((index) => publishVersion(postgres, versionOf('linked', `d${index}`)));
  const different = await each((index) => linkVersion(postgres, link(`d${index}`)));
  expect(different.toSorted()).toEqual(writers);
  expect(new Set(await each(() => linkVersion(postgres, link('d3'))))).toEqual(new Set([different[3]]));
});

test('a limit of prices holds for requests at once', async () => {
  const price = (index: number): ProjectPrice => ({
    ...{ id: newId(), llmId: `m${index}`, providerId: 'x', effectiveDate: 0, prompt: 1, completion: 1 },
    ...{
      level: 'project' as const,
      cacheRead: 0,
      cacheCreation: 0,
      promptUnit: 'USD',
      completionUnit: 'USD',
      createdBy: 'u',
      createdAt: 0,
    },
  });
  const added = await each((index) => addPrices(postgres, 'p', [price(index)], 3));
  expect(added.filter(Boolean)).toHaveLength(3);
});

test('calls that are added to a queue at once are added once, and actions of annotators on one are all kept', async () => {
  const queueId = newId();
  const queue = { projectId: 'p', queueId };
  await createQueue(postgres, 'p', { id: queueId, name: 'q', description: '', scorerRefs: [], createdBy: 'u' });
  const callIds = ['a', 'b', 'c'];
  const snapshots = new Map(callIds.map((id) => [id, { id, startedAt: 1, endedAt: 2, opName: 'op', traceId: 't' }]));
  const added = await each(() => addItems(postgres, queue, { callIds, snapshots, displayFields: [], addedBy: 'u' }));
  expect(added.reduce((sum, found) => sum + found!.added, 0)).toBe(callIds.length);
  const item = await postgres.db
    .selectFrom('annotation_queue_items')
    .select('id')
    .where('queue_id', '=', queueId)
    .limit(1)
    .executeTakeFirstOrThrow();
  await each((index) =>
    updateProgress(postgres, { queue, itemId: item.id, annotatorId: `u${index}`, state: 'completed' }),
  );
  const states = await postgres.db.selectFrom('annotation_progress').select('annotator_id').execute();
  expect(states).toHaveLength(writers.length);
});

test('ops that several requests publish at once exist once each', async () => {
  const objectIds = ['x', 'y', 'z'];
  await each((index) =>
    publishNewOps(postgres, {
      ...{ projectId: 'p', digest: 'd', sizeBytes: 1, userId: 'u' },
      objectIds: index % 2 === 0 ? objectIds : objectIds.toReversed(),
    }),
  );
  const stored = await postgres.db.selectFrom('object_versions').select('object_id').where('kind', '=', 'op').execute();
  expect(stored.map(({ object_id }) => object_id).toSorted()).toEqual(objectIds);
});

test('a version is deleted once, and one that is published meanwhile is the latest', async () => {
  await publishVersion(postgres, versionOf('deleted', 'first'));
  const name = { projectId: 'p', objectId: 'deleted', kind: 'object' as const };
  const [, ...deletions] = await Promise.all([
    publishVersion(postgres, versionOf('deleted', 'second')),
    ...writers.map(() => deleteVersions(postgres, name, ['first'])),
  ]);
  expect(deletions.filter(({ isDeleted }) => isDeleted)).toHaveLength(1);
  const latest = await postgres.db
    .selectFrom('object_aliases')
    .select('digest')
    .where('object_id', '=', 'deleted')
    .where('alias', '=', 'latest')
    .execute();
  expect(latest).toEqual([{ digest: 'second' }]);
});
