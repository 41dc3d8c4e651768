import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../api/testing/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

type Answer = { data: any; errors?: { message: string; extensions: { code: string } }[] };

async function ask(query: string, variables: object): Promise<Answer> {
  const { status, json } = await server.post('/graphql', { query, variables });
  expect(status).toBe(200);
  return json;
}

const upsertSweep = `mutation Upsert($input: UpsertSweepInput!) {
  upsertSweep(input: $input) { sweep { id name state } configValidationWarnings } }`;
const createAgent = `mutation Agent($input: CreateAgentInput!) { createAgent(input: $input) { agent { id } } }`;
const heartbeat = `mutation Beat($id: ID!, $runState: JSONString) {
  agentHeartbeat(input: { id: $id, metrics: "{}", runState: $runState }) { agent { id } commands } }`;
const upsertRun = `mutation Run($input: UpsertBucketInput!) { upsertBucket(input: $input) { bucket { id sweepName } } }`;
const readSweep = `query Read($entityName: String, $projectName: String, $name: String!) {
  project(name: $projectName, entityName: $entityName) { totalSweeps sweep(sweepName: $name) {
    id displayName method state description config runCount runCountExpected bestLoss
    runs { edges { node { name running failed } } } } } }`;

const grid = { method: 'grid', name: 'lrs', metric: { name: 'loss' }, parameters: { lr: { values: [1, 2, 3] } } };

async function newSweep(config: object, more: object = {}) {
  const [entityName, projectName] = (await server.newProject()).split('/');
  const project = { entityName, projectName };
  const input = { ...project, config: JSON.stringify(config), templateVariableValues: 'null', ...more };
  const { id } = (await ask(upsertSweep, { input })).data.upsertSweep.sweep;
  return {
    id,
    project,
    change: (changes: object) => ask(upsertSweep, { input: { ...project, id, ...changes } }),
    read: async () => (await ask(readSweep, { ...project, name: id })).data.project.sweep,
    agent: async () =>
      (await ask(createAgent, { input: { ...project, host: 'h', sweep: id } })).data.createAgent.agent.id,
    run: (name: string, summary = {}) =>
      ask(upsertRun, {
        input: {
          entityName,
          modelName: projectName,
          name,
          sweep: id,
          state: 'finished',
          summaryMetrics: JSON.stringify(summary),
        },
      }),
  };
}

async function next(agentId: string, runState: object = {}): Promise<any[]> {
  const { data } = await ask(heartbeat, { id: agentId, runState: JSON.stringify(runState) });
  return JSON.parse(data.agentHeartbeat.commands);
}

test('agents that ask at once get each point of a grid once, and then exit', async () => {
  const sweep = await newSweep({ ...grid, program: 'train.py' });
  expect(await sweep.read()).toMatchObject({
    state: 'PENDING',
    method: 'grid',
    displayName: 'lrs',
    runCountExpected: 3,
  });
  const agents = await Promise.all(Array.from({ length: 8 }, sweep.agent));
  const commands = (await Promise.all(agents.map((agent) => next(agent)))).flat();
  const runs = commands.filter(({ type }) => type === 'run');
  expect(runs.map(({ args }) => args.lr.value).sort()).toEqual([1, 2, 3]);
  expect(runs[0]).toEqual({
    type: 'run',
    run_id: expect.stringMatching(/^\w{8}$/),
    program: 'train.py',
    args: runs[0].args,
  });
  expect(new Set(runs.map((run) => run.run_id)).size).toBe(3);
  expect((await sweep.read()).state).toBe('FINISHED');
  expect(await next(agents[0], { [runs[0].run_id]: true })).toEqual([]);
  expect(await next(agents[0])).toEqual([{ type: 'exit' }]);
});

test('an agent with a run gets no other run', async () => {
  const agent = await (await newSweep(grid)).agent();
  const [{ run_id: name }] = await next(agent);
  expect(await next(agent, { [name]: true })).toEqual([]);
  expect(await next(agent, { [name]: false })).toMatchObject([{ type: 'run' }]);
});

test('a paused sweep gives out no runs until it is resumed, and a canceled one ends its agents', async () => {
  const sweep = await newSweep({ ...grid, method: 'random' });
  const agent = await sweep.agent();
  expect(await next(agent)).toMatchObject([{ type: 'run' }]);
  await sweep.change({ state: 'PAUSED' });
  expect(await next(agent)).toEqual([]);
  await sweep.change({ state: 'RUNNING' });
  expect(await next(agent)).toMatchObject([{ type: 'run' }]);
  await sweep.change({ state: 'FINISHED' });
  expect(await next(agent, { r: true })).toEqual([]);
  await sweep.change({ state: 'CANCELED' });
  expect(await next(agent, { r: true })).toEqual([{ type: 'exit' }]);
});

test('a sweep lists its runs and the best value of its metric', async () => {
  const sweep = await newSweep(grid);
  expect(await sweep.read()).toMatchObject({ bestLoss: null, runCount: 0, runs: { edges: [] } });
  for (const [name, loss] of [
    ['a', 3],
    ['b', 1],
    ['c', 2],
  ] as const) {
    expect((await sweep.run(name, { loss })).data.upsertBucket.bucket.sweepName).toBe(sweep.id);
  }
  const other = { entityName: sweep.project.entityName, modelName: sweep.project.projectName, name: 'other' };
  await ask(upsertRun, { input: { ...other, summaryMetrics: '{"loss": 0}' } });
  const found = await sweep.read();
  expect(found).toMatchObject({ bestLoss: 1, runCount: 3 });
  expect(found.runs.edges.map(({ node }: any) => node)).toEqual(
    ['c', 'b', 'a'].map((name) => ({ name, running: false, failed: false })),
  );
});

test('a config can be replaced until the first run', async () => {
  const sweep = await newSweep(grid);
  const shorter = JSON.stringify({ ...grid, parameters: { lr: { values: [9] } } });
  expect((await sweep.change({ config: shorter })).errors).toBeUndefined();
  expect((await sweep.read()).runCountExpected).toBe(1);
  const agent = await sweep.agent();
  expect(await next(agent)).toMatchObject([{ args: { lr: { value: 9 } } }]);
  expect((await sweep.change({ config: shorter })).errors![0]!.message).toContain('cannot change after its first run');
  expect((await sweep.change({ state: 'RUNNING' })).errors![0]!.message).toContain('all of its 1 runs have started');
});

test('pages of the sweeps of a project have the newest first', async () => {
  const sweep = await newSweep(grid);
  const { data } = await ask(upsertSweep, { input: { ...sweep.project, config: JSON.stringify(grid) } });
  const list = `query List($entityName: String, $projectName: String, $after: String) {
    project(name: $projectName, entityName: $entityName) { totalSweeps
      sweeps(first: 1, after: $after) { edges { node { name } } pageInfo { endCursor hasNextPage } } } }`;
  const first = (await ask(list, sweep.project)).data.project;
  expect(first).toMatchObject({ totalSweeps: 2, sweeps: { pageInfo: { hasNextPage: true } } });
  expect(first.sweeps.edges[0].node.name).toBe(data.upsertSweep.sweep.name);
  const second = (await ask(list, { ...sweep.project, after: first.sweeps.pageInfo.endCursor })).data.project;
  expect(second.sweeps).toMatchObject({ edges: [{ node: { name: sweep.id } }], pageInfo: { hasNextPage: false } });
});

test.each([
  [{ config: '{"method": "bayes", "parameters": {"x": {"value": 1}}}' }, 'heddle supports the methods grid and random'],
  [{ config: JSON.stringify({ ...grid, early_terminate: { type: 'hyperband' } }) }, 'the early termination of runs'],
  [{ config: null }, 'The sweep needs a config'],
  [{ config: JSON.stringify(grid), state: 'ASLEEP' }, 'The state of a sweep is one of PENDING'],
  [{ config: JSON.stringify(grid), priorRunsFilters: '{"name":"a"}' }, 'A sweep of heddle has no priorRunsFilters'],
  [{ id: 'none', state: 'PAUSED' }, 'The project has no sweep none'],
])('rejects the sweep %j', async (input, message) => {
  const [entityName, projectName] = (await server.newProject()).split('/');
  const { errors } = await ask(upsertSweep, { input: { entityName, projectName, ...input } });
  expect(errors![0]!.message).toContain(message);
});

test('a run cannot join a sweep of another project', async () => {
  const [sweep, other] = [await newSweep(grid), await newSweep(grid)];
  const { entityName, projectName } = other.project;
  const { errors } = await ask(upsertRun, {
    input: { entityName, modelName: projectName, name: 'r', sweep: sweep.id },
  });
  expect(errors![0]!.message).toContain(`The project has no sweep ${sweep.id}`);
});

test('an agent of a sweep that does not exist is told to exit', async () => {
  expect(await next('none:1')).toEqual([{ type: 'exit' }]);
});
