import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askRunning } from '../../admin/client.ts';
import { readConfig } from '../../config.ts';
import { folderFiles } from '../../engine/registry/testing/model-files.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';

let server: TestServer;
const root = mkdtempSync(join(tmpdir(), 'heddle-models-'));
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
});

const config = () => readConfig({ data: server.data }, {});

async function pullFolder(name: string): Promise<void> {
  const path = join(root, name.replace(/\W/g, '-'));
  mkdirSync(path, { recursive: true });
  for (const [file, bytes] of Object.entries(folderFiles())) writeFileSync(join(path, file), bytes);
  await askRunning(config(), 'models.pull', { place: { kind: 'local', path }, name });
}

const ids = async () => (await server.get('/v1/models')).json.data.map(({ id }: { id: string }) => id);

test('the model that comes with heddle is listed in the shape of OpenAI', async () => {
  const { status, json } = await server.get('/v1/models');
  expect(status).toBe(200);
  expect(json).toMatchObject({ object: 'list' });
  expect(json.data[0]).toEqual({
    id: 'heddle/tiny',
    object: 'model',
    created: expect.any(Number),
    owned_by: 'heddle',
    root: 'heddle/tiny',
    parent: null,
    max_model_len: 1024,
  });
});

test('a model that is pulled while the server runs is served at once, and no more once it is removed', async () => {
  await pullFolder('team/new:Q8_0');
  expect(await ids()).toContain('team/new:Q8_0');
  expect((await server.get('/v1/models/team/new:Q8_0')).json).toMatchObject({ id: 'team/new:Q8_0', owned_by: 'local' });
  await askRunning(config(), 'models.remove', { name: 'team/new:Q8_0' });
  expect(await ids()).not.toContain('team/new:Q8_0');
});

test.each(['heddle/tiny', 'heddle%2Ftiny', 'plain'])('%s is read by its name', async (name) => {
  await pullFolder('plain');
  const { status, json } = await server.get(`/v1/models/${name}`);
  expect({ status, id: json.id }).toEqual({ status: 200, id: decodeURIComponent(name) });
});

test('a model also answers to its name with a hyphen in place of the slash [chat 189]', async () => {
  await pullFolder('team/two-part:Q8_0');
  expect((await server.get('/v1/models/team-two-part:Q8_0')).json).toMatchObject({ id: 'team/two-part:Q8_0' });
  expect((await server.get('/v1/models/heddle-tiny')).json).toMatchObject({ id: 'heddle/tiny' });
  const messages = [{ role: 'user', content: 'Hi' }];
  const { json } = await server.post('/v1/chat/completions', { model: 'heddle-tiny', messages, max_tokens: 1 });
  expect(json).toMatchObject({ model: 'heddle/tiny' });
});

test('a name without a slash is the model of exactly this name, and refused where it may be several [chat 189]', async () => {
  await pullFolder('both/of-them');
  await pullFolder('both-of/them');
  const refused = await server.get('/v1/models/both-of-them');
  expect(refused).toMatchObject({
    status: 400,
    json: { reason: expect.stringContaining('both-of/them and both/of-them') },
  });
  await pullFolder('both-of-them');
  expect((await server.get('/v1/models/both-of-them')).json).toMatchObject({ id: 'both-of-them' });
});

test.each(['nope', 'team/nope'])('%s, which is not there, is the 404 that the OpenAI SDKs read', async (name) => {
  const { status, json } = await server.get(`/v1/models/${name}`);
  expect(status).toBe(404);
  expect(json.error).toEqual({
    message: expect.stringContaining(name),
    type: 'NotFoundError',
    param: 'model',
    code: 404,
  });
});

test.each(['/v1/models', '/v1/models/heddle/tiny', '/v1/models/nope'])('%s wants a key', async (path) => {
  expect((await server.get(path, { key: null })).status).toBe(401);
});

test('what comes with heddle cannot be removed', async () => {
  const removed = askRunning(config(), 'models.remove', { name: 'heddle/tiny' });
  await expect(removed).rejects.toMatchObject({ status: 400, message: expect.stringContaining('cannot be removed') });
});
