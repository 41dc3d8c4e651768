import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askRunning } from '../../admin/client.ts';
import { readConfig } from '../../config.ts';
import { completeOf, readCall, startOf } from '../testing/calls.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';

/** The rows about the service itself. What a client does with it is tested in `e2e/`. */

let server: TestServer;
let project: string;
beforeAll(async () => {
  server = await startTestServer();
  project = await server.newProject();
});
afterAll(() => server.close());

const graphql = (query: string, variables?: Record<string, unknown>, key?: string | null) =>
  server.post('/graphql', { query, ...(variables ? { variables } : {}) }, key === undefined ? {} : { key });

const viewer = 'query DefaultEntity { viewer { username defaultEntity { name } } }';
const readProject = `query Project($name: String, $entityName: String) {
  project(name: $name, entityName: $entityName) { name }
}`;
const upsertModel = `mutation UpsertModel($name: String, $id: String, $entity: String, $description: String, $repo: String) {
  upsertModel(input: { id: $id, name: $name, entityName: $entity, description: $description, repo: $repo }) {
    model { name description }
  }
}`;

describe('without a key', () => {
  test.each([
    ['GET /health answers [evaluations 1]', '/health', { status: 'ok' }],
    [
      'GET /version returns a version [evaluations 2]',
      '/version',
      { version: expect.stringMatching(/^\d+\.\d+\.\d+$/) },
    ],
    [
      'GET /server_info returns both versions [evaluations 3]',
      '/server_info',
      {
        min_required_weave_python_version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
        trace_server_version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      },
    ],
  ])('%s', async (_name, path, expected) => {
    expect(await server.get(path, { key: null })).toMatchObject({ status: 200, json: expected });
  });

  test('GET /openapi.json and /docs describe the API', async () => {
    const { json } = await server.get('/openapi.json', { key: null });
    expect(Object.keys(json.paths)).toEqual(expect.arrayContaining(['/call/start', '/file/create', '/files/create']));
    const page = await server.get('/docs', { key: null });
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('/openapi.json') });
  });
});

describe('without a location database', () => {
  test('returns the address of the caller and no location [evaluations 5]', async () => {
    expect((await server.get('/geolocate')).json).toEqual({ ip: '127.0.0.1', location: null, allowed: true });
  });
  test('returns the requested address [evaluations 6]', async () => {
    const { status, json } = await server.get('/geolocate?ip=1.2.3.4');
    expect([status, json]).toEqual([200, { ip: '1.2.3.4', location: null, allowed: true }]);
  });
  test('ignores x-forwarded-for without a trusted proxy', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    expect((await server.get('/geolocate', { headers })).json.ip).toBe('127.0.0.1');
  });
});

describe('projects', () => {
  test('returns the internal ids of known projects only [evaluations 7]', async () => {
    const { json } = await server.post('/service/projects_info', { project_ids: [project, 'ent/none', 'bad name'] });
    expect(json).toEqual([
      { external_project_id: project, internal_project_id: expect.stringMatching(/^[A-Za-z0-9]+$/) },
    ]);
    const again = await server.post('/service/projects_info', { project_ids: [project] });
    expect(again.json).toEqual(json);
  });
  test('rejects a body without project_ids [evaluations 8]', async () => {
    const answer = await server.post('/service/projects_info', {});
    expect(answer.status).toBe(422);
    expect(answer.json.detail[0]).toMatchObject({ type: 'missing', loc: ['body', 'project_ids'] });
  });
});

describe('keys', () => {
  const body = () => ({ project_id: project, id: startOf(project).id });
  test.each([
    ['a missing key is a 401 with a reason [evaluations 9]', null],
    ['a wrong key is a 401 with a reason [evaluations 10]', 'x'.repeat(48)],
  ])('%s', async (_name, key) => {
    expect(await server.post('/call/read', body(), { key })).toMatchObject({
      status: 401,
      json: { reason: expect.stringContaining('API key') },
    });
  });
  test.each<[string, () => string]>([
    ['Basic', () => `Basic ${Buffer.from(`api:${server.key}`).toString('base64')}`],
    ['Bearer', () => `Bearer ${server.key}`],
  ])('accepts a key as %s [evaluations 11]', async (_name, authorization) => {
    const headers = { authorization: authorization() };
    expect((await server.post('/call/read', body(), { key: null, headers })).status).toBe(200);
  });
});

describe('the login calls', () => {
  test.each([undefined, {}])(
    'return the viewer and the default entity, with variables %j [evaluations 12 13]',
    async (variables) => {
      expect(await graphql(viewer, variables)).toMatchObject({
        status: 200,
        json: { data: { viewer: { username: 'ent', defaultEntity: { name: 'ent' } } } },
      });
    },
  );
  test('return null for a missing project [evaluations 14]', async () => {
    const answer = await graphql(readProject, { name: 'missing', entityName: 'ent' });
    expect(answer).toMatchObject({ status: 200, json: { data: { project: null } } });
  });
  test('create a project once [evaluations 15 16]', async () => {
    const variables = { name: 'made', entity: 'ent', description: null };
    for (const _ of [1, 2]) {
      expect((await graphql(upsertModel, variables)).json.data.upsertModel.model.name).toBe('made');
    }
    const { json } = await graphql(readProject, { name: 'made', entityName: 'ent' });
    expect(json.data.project.name).toBe('made');
  });
  test('reject a project in an entity of another user [evaluations 17]', async () => {
    const config = readConfig({ data: server.data }, {});
    await askRunning(config, 'users.create', { name: 'stranger' });
    const { key } = (await askRunning(config, 'keys.create', { user: 'stranger' }))!.answer;
    const { json } = await graphql(upsertModel, { name: 'taken', entity: 'ent' }, key);
    expect(json.errors[0].extensions.code).toBe('PERMISSION_ERROR');
  });
  test('answer a wrong key with 401 [evaluations 18]', async () => {
    expect((await graphql(viewer, {}, 'x'.repeat(48))).status).toBe(401);
  });
});

describe('requests', () => {
  test('the first write creates the project [evaluations 20]', async () => {
    const call = completeOf('ent/newly-written');
    expect((await server.post('/v2/ent/newly-written/calls/complete', { batch: [call] })).status).toBe(200);
    expect((await readCall(server, 'ent/newly-written', call.id)).call).toMatchObject({ id: call.id });
  });
  test('paths answer the same with and without /traces [evaluations 21]', async () => {
    const body = { project_id: project };
    const plain = await server.post('/objs/query', body);
    expect(await server.post('/traces/objs/query', body)).toMatchObject({ status: plain.status, text: plain.text });
  });
  test('an unknown path is a 404 in JSON [evaluations 22]', async () => {
    expect(await server.get('/no/such/path')).toMatchObject({ status: 404, json: { detail: 'Not Found' } });
  });
  test('unknown keys in the body are ignored [evaluations 23]', async () => {
    expect((await server.post('/objs/query', { project_id: project, more: 1 })).status).toBe(200);
  });
  test('a malformed body is a 422 [evaluations 24]', async () => {
    expect((await server.post('/objs/query', '{"project_id":')).status).toBe(422);
  });
  test('an empty OTLP export for agents is accepted [calls 148] [evaluations 27]', async () => {
    const headers = { 'content-type': 'application/x-protobuf', project_id: project };
    const answer = await server.post('/agents/otel/v1/traces', '', { headers });
    expect(answer.status).toBe(200);
  });
});
