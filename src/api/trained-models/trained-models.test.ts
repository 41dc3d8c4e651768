import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { askRunning } from '../../admin/client.ts';
import { readConfig } from '../../config.ts';
import { tinyModel } from '../../engine/registry/tiny-model.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();

const path = '/v1/preview/models';

async function create(more: object = {}) {
  const [entity, project] = (await server.newProject()).split('/');
  const body = { entity, project, name: 'agent', base_model: 'heddle/tiny', ...more };
  return { body, answer: await server.post(path, body) };
}

const trajectory = (reward: number, more: object = {}) => ({
  messages_and_choices: [{ role: 'user', content: 'Hi' }],
  reward,
  ...more,
});

describe('POST /v1/preview/models', () => {
  test('registers a model and returns all its fields [training 6 9 12]', async () => {
    const { body, answer } = await create({ unknown: { key: 1 } });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      entity: body.entity,
      project: body.project,
      name: 'agent',
      base_model: 'heddle/tiny',
      run_id: 'agent',
    });
  });

  test('uses the default entity of the key if none is given, and creates the project [training 13 18]', async () => {
    const project = `p-${randomUUID()}`;
    const { json } = await server.post(path, { entity: null, project, name: 'agent', base_model: 'heddle/tiny' });
    expect(json).toMatchObject({ entity: server.entity, project });
  });

  test('returns the existing model only if allowed [training 14 15]', async () => {
    const { body, answer } = await create();
    const again = await server.post(path, { ...body, return_existing: true });
    expect(again.json).toEqual(answer.json);
    expect(await server.post(path, body)).toMatchObject({ status: 409, json: { detail: expect.any(String) } });
  });

  test('does not return a model that has another base model [training 16]', async () => {
    const place = { kind: 'local' as const, path: (await tinyModel()).path };
    await askRunning(readConfig({ data: server.data }, {}), 'models.pull', { place, name: 'team/base' } as never);
    const { body } = await create();
    const other = { ...body, base_model: 'team/base', return_existing: true };
    expect(await server.post(path, other)).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining('heddle/tiny, not team/base') },
    });
    expect((await create({ base_model: 'team/base' })).answer).toMatchObject({ json: { base_model: 'team/base' } });
  });

  test('two concurrent requests create one model', async () => {
    const [entity, project] = (await server.newProject()).split('/');
    const body = { entity, project, name: 'agent', base_model: 'heddle/tiny', return_existing: true };
    const answers = await Promise.all(Array.from({ length: 5 }, () => server.post(path, body)));
    expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1);
  });

  test.each([
    ['a base model that is not served [training 17]', { base_model: 'no/such-model' }, 400],
    ['a name that cannot be part of an address', { name: 'a/b' }, 422],
    ['a name with a version', { name: 'a:step1' }, 422],
    ['an empty name', { name: '' }, 422],
    ['no name', { name: undefined }, 422],
    ['a project with a slash', { project: 'a/b' }, 400],
  ])('rejects %s', async (_, more, status) => {
    const { answer } = await create(more);
    const error = status === 422 ? { error: { message: expect.any(String), type: 'invalid_request_error' } } : {};
    expect(answer).toMatchObject({ status, json: { detail: expect.anything(), ...error } });
  });

  test("returns FastAPI's validation messages [training 3 5]", async () => {
    const { status, json } = await server.post(path, { project: 1 });
    expect(status).toBe(422);
    expect(json.detail).toContainEqual({ type: 'missing', loc: ['body', 'name'], msg: 'Field required' });
    const unauthorized = await server.post(path, {}, { key: null });
    expect(unauthorized).toMatchObject({ status: 401, json: { detail: expect.stringContaining('API key') } });
  });
});

test('lists the models of a project page by page', async () => {
  const { body, answer } = await create();
  const { json: second } = await server.post(path, { ...body, name: 'other' });
  const query = `entity=${body.entity}&project=${body.project}`;
  const page = (await server.get(`${path}?${query}&limit=1`)).json;
  expect(page).toMatchObject({ object: 'list', data: [answer.json], has_more: true, last_id: answer.json.id });
  const rest = (await server.get(`${path}?${query}&limit=1&after=${page.last_id}`)).json;
  expect(rest).toMatchObject({ data: [second], has_more: false });
  expect((await server.get(`${path}?${query}&name=other`)).json.data).toEqual([second]);
  expect((await server.get(`${path}?${query}&limit=101`)).status).toBe(422);
});

describe('DELETE /v1/preview/models/{model_id}', () => {
  test('deletes a model with its checkpoints, with an empty JSON body as ART sends it [training 8 19]', async () => {
    const { answer } = await create();
    const one = `${path}/${answer.json.id}`;
    const headers = { 'content-type': 'application/json' };
    expect(await server.get(one, { method: 'DELETE', headers })).toMatchObject({
      status: 200,
      json: { model_id: answer.json.id, deleted_checkpoints: 0, deleted_run: false },
    });
    expect(await server.get(one)).toMatchObject({ status: 404, json: { detail: 'Model not found' } });
    expect((await server.get(one, { method: 'DELETE' })).status).toBe(404);
  });

  test.each(['no-uuid', randomUUID(), 'a%00b'])('does not find model %s [training 11]', async (id) => {
    expect((await server.get(`${path}/${id}`)).status).toBeOneOf([400, 404]);
  });
});

describe('POST /v1/preview/models/{model_id}/log', () => {
  test('takes the groups of a split, also before the first checkpoint [training 32 38]', async () => {
    const { answer } = await create();
    const groups = [{ trajectories: [trajectory(1, { metrics: { steps: 3 } }), trajectory(0)], exceptions: [] }];
    const log = `${path}/${answer.json.id}/log`;
    const body = { model_id: answer.json.id, split: 'val', trajectory_groups: groups };
    expect(await server.post(log, body)).toMatchObject({ status: 200, json: null });
    expect((await server.get(`${path}/${answer.json.id}/checkpoints`)).json.data).toEqual([]);
  });

  test('takes a body that is larger than other data may be, and answers others meanwhile [training 40]', async () => {
    const { answer } = await create();
    const content = 'x'.repeat(readConfig({}, {}).bodyMaxBytes);
    const messages = [{ role: 'user', content }];
    const body = {
      split: 'val',
      trajectory_groups: [{ trajectories: [{ messages_and_choices: messages, reward: 1 }] }],
    };
    const logged = server.post(`${path}/${answer.json.id}/log`, body);
    expect((await server.get('/v1/health', { key: null })).status).toBe(200);
    expect(await logged).toMatchObject({ status: 200, json: null });
  });

  test('takes a choice with explicit nulls, and unknown keys [training 6 66]', async () => {
    const { answer } = await create();
    const message = { role: 'assistant', content: 'Hi', refusal: null, tool_calls: null, audio: null, mine: 1 };
    const choice = { index: 0, finish_reason: 'stop', message, logprobs: null, token_ids: null, mine: {} };
    const group = { trajectories: [{ messages_and_choices: [choice], reward: 1, mine: 1 }], mine: 1 };
    const body = { split: 'val', trajectory_groups: [group], mine: 1 };
    expect(await server.post(`${path}/${answer.json.id}/log`, body)).toMatchObject({ status: 200, json: null });
  });

  test.each([
    ['a message without a role', [{ trajectories: [trajectory(1, { messages_and_choices: [{ content: 'x' }] })] }]],
    [
      'a choice without a finish reason',
      [{ trajectories: [trajectory(1, { messages_and_choices: [{ message: {} }] })] }],
    ],
    ['a non-numeric reward', [{ trajectories: [trajectory('much' as never)] }]],
    ['a group without trajectories', [{}]],
    ['groups that are not a list', {}],
  ])('rejects %s and reports its location [training 5 66]', async (_, groups) => {
    const { answer } = await create();
    const { status, json } = await server.post(`${path}/${answer.json.id}/log`, {
      split: 'val',
      trajectory_groups: groups,
    });
    expect([status, json.detail[0].loc.slice(0, 2)]).toEqual([422, ['body', 'trajectory_groups']]);
  });
});

test.each(['/v1/health', '/v1/system-check'])('%s answers without a key [training 1 2]', async (open) => {
  const { status, json } = await server.get(open, { key: null });
  expect(status).toBe(200);
  expect(json).toMatchObject(open === '/v1/health' ? { status: 'ok' } : { api: true, database: true });
});
