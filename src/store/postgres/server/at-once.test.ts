import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProjectId } from '../../../contract/ids.ts';
import { newProjectId } from '../../../identity/project-ids.ts';
import { migratePostgres } from '../migrate.ts';
import type { Postgres } from '../postgres.ts';
import { artifactCases } from '../testing/at-once/artifacts.ts';
import { deploymentCases } from '../testing/at-once/deployment.ts';
import { evidenceCases } from '../testing/at-once/evidence.ts';
import { identityCases } from '../testing/at-once/identity.ts';
import { jobCases } from '../testing/at-once/jobs.ts';
import { objectCases } from '../testing/at-once/objects.ts';
import { peerCases } from '../testing/at-once/peers.ts';
import { queuedCases } from '../testing/at-once/queued.ts';
import { runCases } from '../testing/at-once/runs.ts';
import { trainingCases } from '../testing/at-once/training.ts';
import { transactionsIn } from '../testing/find-transactions.ts';
import { startTestServer, type TestServer } from '../testing/postgres-server.ts';
import { serverPostgres } from './open.ts';
import { parseServerUrl } from './server-url.ts';

/** Embedded PostgreSQL has one connection, so transactions overlap on a server alone. */
const cases = {
  ...artifactCases,
  ...deploymentCases,
  ...evidenceCases,
  ...identityCases,
  ...jobCases,
  ...objectCases,
  ...peerCases,
  ...queuedCases,
  ...runCases,
  ...trainingCases,
};

let server: TestServer;
let postgres: Postgres;
beforeAll(async () => {
  server = await startTestServer();
  const address = parseServerUrl(await server.createDatabase());
  postgres = (await serverPostgres({ address, direct: address, connectionsMax: 10, waitMsMax: 0 })).store;
  await migratePostgres(postgres);
  await postgres.db.insertInto('entities').values({ id: 'e', name: 'e' }).execute();
});
afterAll(async () => {
  await postgres?.close();
  await server?.close();
});

test('each transaction has a case here', () => {
  const found = transactionsIn(fileURLToPath(new URL('../../../', import.meta.url)));
  expect(Object.keys(cases).toSorted(), 'add a case to store/postgres/testing/at-once/').toEqual(found.toSorted());
});

test.each(Object.entries(cases))('%s is right when it runs several times at once', async (_name, run) => {
  const projectId = newProjectId() as ProjectId;
  await postgres.db.insertInto('projects').values({ id: projectId, entity_id: 'e', name: projectId }).execute();
  await run({ postgres, projectId });
});
