import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../api/testing/server.ts';

const adapterFolder = join(import.meta.dirname, '../../testing/tiny-model/adapter');

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ HEDDLE_ARTIFACT_FILE_MAX_BYTES: '50000' });
});
afterAll(() => server.close());

type Answer = { data: any; errors?: { message: string; extensions: { code: string } }[] };

async function ask(query: string, variables: object, key?: string): Promise<Answer> {
  const { status, json } = await server.post('/graphql', { query, variables }, key === undefined ? {} : { key });
  expect(status).toBe(200);
  return json;
}

async function newProject(): Promise<{ entityName: string; projectName: string }> {
  const [entityName, projectName] = (await server.newProject()).split('/');
  return { entityName: entityName!, projectName: projectName! };
}
type Project = Awaited<ReturnType<typeof newProject>>;

const upsert = `mutation Upsert($entity: String, $project: String, $name: String, $id: String, $config: JSONString) {
  upsertBucket(input: { entityName: $entity, modelName: $project, name: $name, id: $id, config: $config }) {
    inserted bucket { id name state historyLineCount } } }`;
const read = `query Read($entity: String, $project: String, $name: String!) {
  project(name: $project, entityName: $entity) { run(name: $name) {
    id state config summaryMetrics historyLineCount historyTail history(minStep: 0, maxStep: 100, samples: 100) } } }`;
const create = `mutation Create($input: CreateArtifactInput!) {
  createArtifact(input: $input) { artifact { id state versionIndex } } }`;
const place = `mutation Place($files: [CreateArtifactFileSpecInput!]!) {
  createArtifactFiles(input: { artifactFiles: $files, storageLayout: V2 }) { files { edges { node { uploadUrl } } } } }`;
const manifest = `mutation Manifest($id: ID!, $digest: String!) {
  createArtifactManifest(input: { artifactID: $id, name: "wandb_manifest.json", digest: $digest, entityName: "e", projectName: "p", type: FULL }) {
    artifactManifest { file { uploadUrl } } } }`;
const commit = `mutation Commit($id: ID!) { commitArtifact(input: { artifactID: $id }) { artifact { id versionIndex state size aliases { alias } } } }`;

const md5 = (content: string | Buffer) => Buffer.from(hash('md5', content, 'hex'), 'hex').toString('base64');

async function put(url: string, content: string | Buffer): Promise<number> {
  return (await fetch(url, { method: 'PUT', body: content as BodyInit })).status;
}

/** Creates an artifact and uploads its files; what `change` returns replaces its manifest. */
async function upload(
  project: Project,
  files: Record<string, string | Buffer>,
  change = (contents: object) => contents,
  more: object = {},
) {
  const input = {
    ...project,
    artifactTypeName: 'dataset',
    artifactCollectionName: 'corpus',
    digest: String(Math.random()),
    ...more,
  };
  const { data } = await ask(create, { input });
  const { id } = data.createArtifact.artifact;
  const specs = Object.entries(files).map(([name, content]) => ({ artifactID: id, name, md5: md5(content) }));
  const placed = await ask(place, { files: specs });
  for (const [index, { node }] of placed.data.createArtifactFiles.files.edges.entries()) {
    if (node.uploadUrl) expect(await put(node.uploadUrl, Object.values(files)[index]!)).toBe(200);
  }
  const contents = Object.fromEntries(
    Object.entries(files).map(([name, content]) => [name, { digest: md5(content), size: content.length }]),
  );
  const text = JSON.stringify({ version: 1, contents: change(contents) });
  const made = await ask(manifest, { id, digest: md5(text) });
  expect(await put(made.data.createArtifactManifest.artifactManifest.file.uploadUrl, text)).toBe(200);
  return { id, committed: await ask(commit, { id }) };
}

async function newRun(name = 'run') {
  const project = await newProject();
  const variables = { entity: project.entityName, project: project.projectName, name };
  expect((await ask(upsert, variables)).data.upsertBucket.inserted).toBe(true);
  const path = `/files/${project.entityName}/${project.projectName}/${name}/file_stream`;
  return {
    project,
    variables,
    stream: (body: object, key?: string) => server.post(path, body, key === undefined ? {} : { key }),
    read: async () => (await ask(read, variables)).data.project.run,
  };
}

const history = (offset: number, ...steps: number[]) => ({
  files: { 'wandb-history.jsonl': { offset, content: steps.map((_step) => JSON.stringify({ _step })) } },
});

test('rows of a history that are sent again after a lost answer are stored once [training 97]', async () => {
  const run = await newRun();
  for (const body of [history(0, 0, 1), history(0, 0, 1), history(2, 2), history(2, 2, 3)]) {
    expect(await run.stream(body)).toMatchObject({ status: 200, json: {} });
  }
  const found = await run.read();
  expect(found.history.map((row: string) => JSON.parse(row)._step)).toEqual([0, 1, 2, 3]);
  expect(found.historyLineCount).toBe(4);
  expect(JSON.parse(found.historyTail)).toEqual(['{"_step":3}']);
});

test('a run that restarts under the same id replaces its history', async () => {
  const run = await newRun();
  await run.stream(history(0, 0, 1, 2));
  await run.stream(history(0, 0));
  expect(await run.read()).toMatchObject({ historyLineCount: 1, history: ['{"_step":0}'] });
});

test('a run ends with the state that its client reports and keeps NaN in its summary', async () => {
  const run = await newRun();
  const summary = { 'wandb-summary.json': { offset: 0, content: ['{"loss":NaN}'] } };
  await run.stream({ files: summary, complete: true, exitcode: 1 });
  expect(await run.read()).toMatchObject({ state: 'failed', summaryMetrics: '{"loss":NaN}' });
  await ask(upsert, run.variables); // it is resumed
  expect(await run.read()).toMatchObject({ state: 'running' });
});

test.each([
  [{ files: { 'wandb-history.jsonl': { offset: -1, content: ['{}'] } } }, 400],
  [{ files: { 'wandb-history.jsonl': { offset: 0, content: [{}] } } }, 400],
  [{ files: { 'wandb-summary.json': { offset: 0, content: ['[1]'] } } }, 400],
  ['{', 400],
])('rejects the invalid report %j', async (body, status) => {
  const run = await newRun();
  expect(await run.stream(body as object)).toMatchObject({ status });
});

test('commits an artifact once its manifest and files are stored, with its size [training 98]', async () => {
  const project = await newProject();
  const { committed } = await upload(project, { 'a.txt': 'hello', 'sub/b.txt': 'worlds' });
  expect(committed.data.commitArtifact.artifact).toMatchObject({
    versionIndex: 0,
    state: 'COMMITTED',
    size: 11,
    aliases: [{ alias: 'latest' }],
  });
});

test.each([
  [
    'a file that is not uploaded',
    { 'b.txt': { digest: md5('other'), size: 5 } },
    'b.txt of the artifact corpus is not uploaded',
  ],
  ['a wrong size', { 'a.txt': { digest: md5('hello'), size: 6 } }, 'has 5 bytes, not 6'],
  ['a path out of the folder', { '../a.txt': { digest: md5('hello'), size: 5 } }, 'is outside its folder'],
  ['an entry that is not an object', { 'a.txt': 1 }, 'The entry of a.txt in the manifest is not valid'],
  ['a digest of another kind', { 'a.txt': { digest: 'xxh128', size: 5 } }, 'not an MD5 digest'],
])('rejects a manifest with %s [training 98]', async (_what, contents, message) => {
  const { committed } = await upload(await newProject(), { 'a.txt': 'hello' }, () => contents);
  expect(committed.errors![0]!.message).toContain(message);
});

test('rejects uploads with other bytes or too many bytes, and forged URLs [training 99 100]', async () => {
  const project = await newProject();
  const input = { ...project, artifactTypeName: 'dataset', artifactCollectionName: 'corpus', digest: 'd' };
  const { id } = (await ask(create, { input })).data.createArtifact.artifact;
  const placed = await ask(place, { files: [{ artifactID: id, name: 'a', md5: md5('hello') }] });
  const { uploadUrl } = placed.data.createArtifactFiles.files.edges[0].node;
  expect(await put(uploadUrl, 'jello')).toBe(400);
  expect(await put(uploadUrl, 'x'.repeat(50_001))).toBe(413);
  expect(await put(uploadUrl.replace(/expires=\d/, 'expires=9'), 'hello')).toBe(403);
  expect((await fetch(uploadUrl)).status).toBe(403);
  expect(await put(uploadUrl, 'hello')).toBe(200);
});

test('a file of an artifact is downloaded in parts, and files of runs as a whole', async () => {
  const { id } = await upload(await newProject(), { 'a.txt': 'hello there' });
  const find = 'query A($id: ID!) { artifact(id: $id) { files { edges { node { directUrl servedUrl } } } } }';
  const { directUrl, servedUrl } = (await ask(find, { id })).data.artifact.files.edges[0].node;
  expect(new URL(directUrl).pathname).toBe(new URL(servedUrl).pathname);
  const part = await fetch(directUrl, { headers: { range: 'bytes=6-' } });
  expect([part.status, part.headers.get('etag'), await part.text()]).toEqual([
    206,
    `"${hash('md5', 'hello there')}"`,
    'there',
  ]);
  const beyond = await fetch(directUrl, { headers: { range: 'bytes=11-' } });
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */11']);

  const run = await newRun();
  const addFile = `mutation F($project: String, $entity: String) {
    createRunFiles(input: { projectName: $project, entityName: $entity, runName: "run", files: ["log.txt"] }) { files { uploadUrl } } }`;
  const { entityName: entity, projectName: project } = run.project;
  const { uploadUrl } = (await ask(addFile, { entity, project })).data.createRunFiles.files[0];
  expect(await put(uploadUrl, 'one two')).toBe(200);
  const files = `query R($project: String, $entity: String) { project(name: $project, entityName: $entity) {
    run(name: "run") { files { edges { node { directUrl } } } } } }`;
  const log = (await ask(files, { entity, project })).data.project.run.files.edges[0].node.directUrl;
  const whole = await fetch(log, { headers: { range: 'bytes=4-' } });
  expect([whole.status, whole.headers.get('accept-ranges'), await whole.text()]).toEqual([200, 'none', 'one two']);
});

test('runs and artifacts of others are neither found nor changed [training 102]', async () => {
  const { key } = await stranger();
  const run = await newRun();
  const { id: runId } = await run.read();
  const { id } = await upload(run.project, { 'a.txt': 'hello' });
  const forbidden = async (query: string, variables: object) => {
    const { errors } = await ask(query, variables, key);
    expect(errors![0]!.extensions.code).toMatch(/PERMISSION_ERROR|NOT_FOUND/);
  };
  await forbidden(upsert, run.variables);
  await forbidden(upsert, { id: runId, config: '{}' });
  await forbidden(read, run.variables);
  await forbidden('mutation D($id: ID!) { deleteRun(input: { id: $id }) { clientMutationId } }', { id: runId });
  await forbidden(place, { files: [{ artifactID: id, name: 'a', md5: md5('a') }] });
  await forbidden(manifest, { id, digest: '' });
  await forbidden(commit, { id });
  await forbidden('mutation U($id: ID!) { updateArtifact(input: { artifactID: $id }) { artifact { id } } }', { id });
  await forbidden('mutation D($id: ID!) { deleteArtifact(input: { artifactID: $id }) { artifact { id } } }', { id });
  const alias = { alias: 'x', artifactCollectionName: 'corpus', ...run.project };
  for (const verb of ['addAliases', 'deleteAliases']) {
    const type = `${verb[0]!.toUpperCase()}${verb.slice(1)}Input`;
    await forbidden(`mutation A($input: ${type}!) { ${verb}(input: $input) { success } }`, {
      input: { artifactID: id, aliases: [alias] },
    });
  }
  const artifact = await ask('query A($id: ID!) { artifact(id: $id) { digest } }', { id }, key);
  expect(artifact.data.artifact).toBeNull();
  expect((await run.stream(history(0, 0), key)).status).toBe(403);
  const { entityName, projectName } = run.project;
  const file = `/artifactsV2/default/${entityName}/${projectName}/corpus/${id}/${hash('md5', 'hello')}/a.txt`;
  expect((await server.get(file, { key })).status).toBe(403);
  expect(await server.get(file)).toMatchObject({ status: 200, text: 'hello' });
  expect((await server.get(file, { key: null })).status).toBe(401);
});

test('an uploaded adapter becomes a checkpoint and is deleted only with it', async () => {
  const project = await newProject();
  const { entityName: entity, projectName } = project;
  const models = '/v1/preview/models';
  const model = { entity, project: projectName, name: 'agent', base_model: 'heddle/tiny' };
  const { id: modelId } = (await server.post(models, model)).json;
  const files = Object.fromEntries(
    ['adapter_config.json', 'adapter_model.safetensors'].map((name) => [name, readFileSync(join(adapterFolder, name))]),
  );
  const lora = { artifactTypeName: 'lora', artifactCollectionName: 'agent' };
  const checkpoints = async () =>
    (await server.get(`${models}/${modelId}/checkpoints`)).json.data.map(({ step }: { step: number }) => step);

  await upload(project, { ...files, 'adapter_model.safetensors': 'no weights' }, undefined, lora);
  expect(await checkpoints()).toEqual([]);
  const aliases = [{ alias: 'step3', artifactCollectionName: 'agent' }];
  const { id } = await upload(project, files, undefined, { ...lora, aliases });
  expect(await checkpoints()).toEqual([3]);

  const remove =
    'mutation D($id: ID!) { deleteArtifact(input: { artifactID: $id, deleteAliases: true }) { artifact { id } } }';
  expect((await ask(remove, { id })).errors![0]!.message).toContain('Delete the checkpoint instead');
  const find = 'query A($id: ID!) { artifact(id: $id) { state files { edges { node { directUrl } } } } }';
  const { edges } = (await ask(find, { id })).data.artifact.files;
  const statuses = edges.map(async ({ node }: any) => (await fetch(node.directUrl)).status);
  expect(await Promise.all(statuses)).toEqual([200, 200]);
  expect(await checkpoints()).toEqual([3]);
  await server.post(`${models}/${modelId}/checkpoints`, { steps: [3] }, { method: 'DELETE' });
  expect([await checkpoints(), (await ask(find, { id })).data.artifact]).toEqual([[], null]);
});

test('a run hides the artifacts that the caller may not read', async () => {
  const { id: artifactID } = await upload(await newProject(), { 'a.txt': 'hello' });
  const { key, entity } = await stranger();
  const names = { entity, project: 'shared', name: 'run' };
  await ask(upsert, names);
  const input = { artifactID, entityName: entity, projectName: 'shared', runName: 'run' };
  await ask('mutation Use($input: UseArtifactInput!) { useArtifact(input: $input) { artifact { id } } }', { input });
  const used = `query Used($entity: String, $project: String, $name: String!) {
    project(name: $project, entityName: $entity) { run(name: $name) { inputArtifacts { totalCount edges { node { id } } } } } }`;
  const usedBy = async (reader?: string) => (await ask(used, names, reader)).data.project.run.inputArtifacts;
  expect(await usedBy()).toEqual({ totalCount: 1, edges: [{ node: { id: artifactID } }] });
  expect(await usedBy(key)).toEqual({ totalCount: 0, edges: [] });
});

test('rows of processes that share a run are all stored, each once', async () => {
  const run = await newRun();
  const streamAs = async (client: string, offset: number, ...steps: number[]) => {
    const path = `/files/${run.project.entityName}/${run.project.projectName}/run/file_stream`;
    const answer = await server.post(path, history(offset, ...steps), {
      headers: { 'x-wandb-async-client-id': client },
    });
    expect(answer.status).toBe(200);
  };
  await streamAs('a', 0, 0, 1);
  await streamAs('b', 0, 0, 1);
  await streamAs('a', 2, 2);
  await streamAs('a', 2, 2); // again, after a lost answer
  await streamAs('c', 5, 7); // it begins after the lines of others
  await streamAs('c', 6, 8);
  await streamAs('c', 6, 8);
  const found = await run.read();
  expect(found.history.map((row: string) => JSON.parse(row)._step)).toEqual([0, 1, 0, 1, 2, 7, 8]);
  expect(found.historyLineCount).toBe(7);
});

const sampled = `query Sampled($entity: String, $project: String, $name: String!, $specs: [JSONString!]!) {
  project(name: $project, entityName: $entity) { run(name: $name) { sampledHistory(specs: $specs) historyKeys } } }`;

test('a page of steps ends where each release of the client means it to, and keeps rows of one step and numbers that JSON lacks', async () => {
  const run = await newRun();
  const rows = [0, 1, 2, 3, 3].map((step) => `{"_step":${step},"x":NaN,"deep":{"y":${step}}}`);
  await run.stream({ files: { 'wandb-history.jsonl': { offset: 0, content: rows } } });
  const specs = [
    { keys: ['_step', 'deep.y'], minStep: 0, maxStep: 3, samples: 4 }, // 0.31.0: inclusive
    { keys: ['deep.y'], minStep: 0, maxStep: 3, samples: 1000 }, // 0.25.0: exclusive
    { keys: ['x'], minStep: 3, maxStep: 4, samples: 1 },
  ].map((spec) => JSON.stringify(spec));
  const found = (await ask(sampled, { ...run.variables, specs })).data.project.run;
  const [inclusive, exclusive, nonFinite] = found.sampledHistory;
  expect(inclusive.map((row: any) => row['deep.y'])).toEqual([0, 1, 2, 3, 3]);
  expect(exclusive.map((row: any) => row['deep.y'])).toEqual([0, 1, 2]);
  expect(nonFinite).toEqual([{ x: 'NaN' }, { x: 'NaN' }]);
  expect(found.historyKeys).toMatchObject({ lastStep: 3, keys: { 'deep.y': { previousValue: 3 } } });
  const { errors } = await ask(sampled, { ...run.variables, specs: ['{"colour":1}'] });
  expect(errors![0]!.message).toContain('colour');
});

test('a filter selects and counts runs, and one that is not understood is rejected', async () => {
  const project = await newProject();
  const names = { entity: project.entityName, project: project.projectName };
  for (const lr of [1, 2, 3]) {
    await ask(upsert, { ...names, name: `r${lr}`, config: JSON.stringify({ lr: { value: lr } }) });
  }
  const list = `query List($entity: String, $project: String, $filters: JSONString, $order: String, $after: String) {
    project(name: $project, entityName: $entity) { runCount(filters: $filters)
      runs(filters: $filters, order: $order, first: 1, after: $after) { edges { node { name } cursor } pageInfo { hasNextPage } } } }`;
  const filters = '{"config.lr":{"$gte":2}}';
  const first = (await ask(list, { ...names, filters, order: '-config.lr' })).data.project;
  expect(first).toMatchObject({
    runCount: 2,
    runs: { edges: [{ node: { name: 'r3' } }], pageInfo: { hasNextPage: true } },
  });
  const after = first.runs.edges[0].cursor;
  const second = (await ask(list, { ...names, filters, order: '-config.lr', after })).data.project;
  expect(second.runs).toMatchObject({ edges: [{ node: { name: 'r2' } }], pageInfo: { hasNextPage: false } });
  const { errors } = await ask(list, { ...names, filters: '{"colour":1}' });
  expect(errors![0]!.message).toContain('cannot use the field colour');
});

test('an operation with 10 MB of variables is answered', async () => {
  const run = await newRun();
  const query = `query Large($entity: String, $project: String, $desc: String) {
    project(name: $project, entityName: $entity) { run(name: "", desc: $desc) { name } } }`;
  const { data } = await ask(query, { ...run.variables, desc: 'a'.repeat(10_000_000) });
  expect(data.project.run).toBeNull();
});

test.each([
  ['mutation R { createRunQueue(input: {}) { queueID } }', 'heddle does not support launch queues (createRunQueue).'],
  [
    'mutation L($input: LinkArtifactInput!) { linkArtifact(input: $input) { versionIndex } }',
    'does not support links of artifacts',
  ],
])('the operation %s is rejected with the feature that is missing', async (query, message) => {
  const { errors } = await ask(query, {});
  expect(errors).toHaveLength(1);
  expect(errors![0]!.message).toContain(message);
});

let strangers = 0;

async function stranger(): Promise<{ key: string; entity: string }> {
  const { runOperation } = await import('../admin/client.ts');
  const { readConfig } = await import('../config.ts');
  const config = readConfig({}, { HEDDLE_DATA: server.data });
  const never = () => Promise.reject(new Error('the server must answer'));
  const name = `stranger-${strangers++}`;
  await runOperation(config, 'users.create', { name }, never);
  const { key } = await runOperation(config, 'keys.create', { user: name }, never);
  return { key, entity: name };
}
