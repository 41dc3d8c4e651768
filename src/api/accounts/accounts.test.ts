import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const keyShape = /^[A-Za-z0-9]{48}$/;

function addMember(entity: string, username: string, key = server.key) {
  return server.post(`/entities/${entity}/members`, { username }, { key });
}

function remove(path: string, key = server.key) {
  return server.post(path, '', { key, method: 'DELETE' });
}

async function keysOf(key: string) {
  return (await server.get('/keys', { key })).json.keys;
}

async function membersOf(entity: string) {
  return (await server.get(`/entities/${entity}/members`)).json.members;
}

/** A user of their own entity, with a key. */
async function newUser(name: string, entity = name): Promise<string> {
  expect(await addMember(entity, name)).toMatchObject({ status: 200, json: { is_new_user: true } });
  return (await server.post('/keys', { username: name })).json.key;
}

describe('API keys', () => {
  test('are shown once, listed without their value, and rejected after they are revoked', async () => {
    const made = await server.post('/keys', { name: 'laptop' });
    const { key, id } = made.json;
    expect(made).toMatchObject({ status: 200, json: { key: expect.stringMatching(keyShape), username: 'ent' } });
    const [newest] = await keysOf(key);
    expect(newest).toEqual({
      ...{ id, username: 'ent', name: 'laptop', ending: key.slice(-4), is_own: true },
      ...{ created_at: expect.any(String), revoked_at: null },
    });
    expect(await remove(`/keys/${id}`)).toMatchObject({ status: 200, json: { revoked_at: expect.any(String) } });
    expect((await server.get('/keys', { key })).status).toBe(401);
    expect((await remove(`/keys/${id}`)).status).toBe(404);
  });

  test('of other users can be listed, created and revoked by the owner alone', async () => {
    const [one, other] = [await newUser('one'), await newUser('other')];
    const listed = await keysOf(one);
    expect(listed.map((each: { username: string }) => each.username)).toEqual(['one']);
    const { id } = (await keysOf(other))[0];
    expect((await remove(`/keys/${id}`, one)).status).toBe(404);
    expect((await server.post('/keys', { username: 'other' }, { key: one })).status).toBe(403);
    expect((await server.get('/keys', { key: other })).status).toBe(200);
    expect((await remove(`/keys/${id}`)).status).toBe(200);
    expect((await server.get('/keys', { key: other })).status).toBe(401);
  });

  test('are not found by their last characters, and not made for a user who does not exist', async () => {
    const { ending } = (await keysOf(server.key)).find((each: { name: string }) => each.name === 'first key');
    expect((await remove(`/keys/${ending}`)).status).toBe(404);
    expect((await server.post('/keys', { username: 'nobody' })).status).toBe(404);
    expect((await server.post('/keys', { name: 'a/b' })).status).toBe(400);
  });

  test('a user has at most 200 active ones', async () => {
    const key = await newUser('collector');
    for (let made = 1; made < 200; made++) await server.post('/keys', {}, { key });
    expect(await server.post('/keys', {}, { key })).toMatchObject({
      status: 409,
      json: { reason: expect.stringContaining('200') },
    });
  });
});

describe('members of an entity', () => {
  test('are added and removed by the owner alone', async () => {
    const key = await newUser('member', 'team');
    expect(await membersOf('team')).toEqual([
      { username: 'ent', is_owner: true },
      { username: 'member', is_owner: false },
    ]);
    expect((await addMember('team', 'friend', key)).status).toBe(403);
    expect((await remove('/entities/team/members/member', key)).status).toBe(403);
    expect((await server.get('/entities/ent/members', { key })).status).toBe(403);
    expect((await addMember('team', 'member')).status).toBe(409);
    expect((await addMember('team', 'ent')).status).toBe(409);
    expect((await addMember('te am\u0007', 'member')).status).toBe(400);
    expect((await addMember('team', 'a/b')).status).toBe(400);
  });

  test('lose access to its projects as soon as they are removed', async () => {
    const key = await newUser('leaver', 'club');
    await addMember('second-club', 'leaver');
    const write = () => server.post('/v2/club/p/calls/complete', { batch: [] }, { key });
    const read = () => server.post('/calls/query_stats', { project_id: 'club/p' }, { key });
    expect([(await write()).status, (await read()).status]).toEqual([200, 200]);
    expect((await remove('/entities/club/members/leaver')).status).toBe(200);
    expect([(await write()).status, (await read()).status]).toEqual([403, 403]);
    expect((await server.get('/session', { key })).json).toMatchObject({ username: 'leaver', entity: 'second-club' });
    expect((await remove('/entities/club/members/leaver')).status).toBe(404);
    expect((await remove('/entities/club/members/ent')).status).toBe(409);
  });
});

describe('secrets', () => {
  const put = (body: object, key = server.key) => server.post('/secrets', body, { key, method: 'PUT' });
  const listed = async (project: string) =>
    (await server.get(`/secrets?project_id=${encodeURIComponent(project)}`)).json.secrets;

  test('are never shown, and a known key goes to its provider alone', async () => {
    const [project, other] = [await server.newProject(), await server.newProject()];
    const value = 'sk-never-shown';
    const set = await put({ project_id: project, name: 'OPENAI_API_KEY', value });
    expect(set).toMatchObject({ status: 200, json: { scope: 'project', hosts: ['api.openai.com'] } });
    await put({ project_id: project, scope: 'entity', name: 'SHARED_KEY', value, hosts: ['LLM.example.com:8080'] });
    const secrets = await listed(project);
    expect(secrets).toMatchObject([
      { name: 'OPENAI_API_KEY', scope: 'project', hosts: ['api.openai.com'] },
      { name: 'SHARED_KEY', scope: 'entity', hosts: ['llm.example.com:8080'] },
    ]);
    expect(set.text + JSON.stringify(secrets)).not.toContain(value);
    expect((await listed(other)).map((each: { name: string }) => each.name)).toEqual(['SHARED_KEY']);
    const of = (scope: string) => `?project_id=${encodeURIComponent(project)}&scope=${scope}`;
    expect((await remove(`/secrets/OPENAI_API_KEY${of('entity')}`)).status).toBe(404);
    expect((await remove(`/secrets/OPENAI_API_KEY${of('project')}`)).status).toBe(200);
    expect((await remove(`/secrets/SHARED_KEY${of('entity')}`)).status).toBe(200);
    expect(await listed(project)).toEqual([]);
  });

  test('with an unusable name, value or host are rejected without repeating the value', async () => {
    const project_id = await server.newProject();
    const value = 'sk-never-shown';
    for (const body of [
      { name: 'no name', value },
      { name: 'KEY', value: `${value}\n` },
      { name: 'KEY', value, hosts: ['https://example.com/path'] },
    ]) {
      const answer = await put({ project_id, ...body });
      expect(answer.status).toBe(400);
      expect(answer.text).not.toContain(value);
    }
  });

  test('of an entity are set by its members alone', async () => {
    const key = await newUser('keeper');
    const body = { scope: 'entity', name: 'KEY', value: 'sk-value' };
    expect((await put({ project_id: 'keeper/new', ...body }, key)).status).toBe(200);
    expect((await put({ project_id: 'ent/new', ...body }, key)).status).toBe(403);
  });
});

test('the configuration and the state of the server are shown to its owner alone, without secrets', async () => {
  const key = await newUser('curious');
  expect(await server.get('/service/doctor', { key })).toMatchObject({ status: 403 });
  const { status, json, text } = await server.get('/service/doctor');
  expect(status).toBe(200);
  expect(json.findings).toContainEqual({
    what: 'Server',
    state: 'good',
    found: `${server.url} responds`,
    advice: null,
  });
  expect(json.settings).toContainEqual({ name: 'HEDDLE_API_KEY', value: '(given)', source: expect.any(String) });
  expect(text).not.toContain(server.key);
});
