import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askRunning } from '../../admin/client.ts';
import { readConfig } from '../../config.ts';
import type { Adapter } from '../../engine/adapters/adapter.ts';
import { writePeftFolder } from '../../engine/adapters/peft/write.ts';
import { readConfig as readModelConfig } from '../../engine/models/open-source.ts';
import { tinyModel } from '../../engine/registry/tiny-model.ts';
import { randomAdapter } from '../../engine/testing/random-adapter.ts';
import { checkFolder } from '../../services/models/adapters/allowed-folders.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';

const root = mkdtempSync(join(tmpdir(), 'heddle-adapters-'));
const allowed = join(root, 'allowed');
const { path } = await tinyModel();
const modelConfig = await readModelConfig(path);
let server: TestServer;
let otherKey: string;

beforeAll(async () => {
  mkdirSync(allowed);
  server = await startTestServer({ HEDDLE_ADAPTER_FOLDERS: `${join(root, 'none')},${allowed}` });
  await askRunning(config(), 'users.create', { name: 'other' });
  otherKey = (await askRunning(config(), 'keys.create', { user: 'other' }))!.answer.key;
});
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
});

const config = () => readConfig({ data: server.data }, {});
let made = 0;

/** A folder with an adapter of heddle/tiny. */
function folderOf(change: Partial<Adapter> = {}, parent = allowed): string {
  const folder = join(parent, `adapter-${++made}`);
  const adapter = randomAdapter(modelConfig, { seed: made });
  writePeftFolder(folder, { ...adapter, baseModel: 'heddle/tiny', ...change });
  return folder;
}

const load = (body: object, options = {}) => server.post('/v1/load_lora_adapter', body, options);
const unload = (name: string, options = {}) => server.post('/v1/unload_lora_adapter', { lora_name: name }, options);
const ids = async () => (await server.get('/v1/models')).json.data.map(({ id }: { id: string }) => id);

async function say(model: string): Promise<string> {
  const messages = [{ role: 'user', content: 'Tell me about the sea' }];
  const body = { model, messages, temperature: 0, max_tokens: 12, logprobs: true };
  const { status, text, json } = await server.post('/v1/chat/completions', body);
  expect({ status, text }).toMatchObject({ status: 200 });
  expect(json.model).toBe(model);
  return JSON.stringify(json.choices[0].logprobs.content.map(({ logprob }: { logprob: number }) => logprob.toFixed(3)));
}

const refusal = (status: number, type: string, message: string) => ({
  status,
  json: { error: { type, code: status, message: expect.stringContaining(message) } },
});

test('an adapter is served under its name beside its base until it is unloaded [chat 177] [chat 178] [chat 180]', async () => {
  const folder = folderOf();
  const loaded = await load({ lora_name: 'sea', lora_path: folder });
  expect(loaded).toMatchObject({ status: 200, text: "Success: LoRA adapter 'sea' added successfully." });
  rmSync(folder, { recursive: true }); // it was copied
  expect((await server.get('/v1/models/sea')).json).toEqual({
    id: 'sea',
    object: 'model',
    created: expect.any(Number),
    owned_by: 'local',
    root: folder,
    parent: 'heddle/tiny',
    max_model_len: 1024,
  });
  expect(await say('sea')).not.toBe(await say('heddle/tiny'));
  const unloaded = await unload('sea');
  expect(unloaded).toMatchObject({ status: 200, text: "Success: LoRA adapter 'sea' removed successfully." });
  expect(await ids()).not.toContain('sea');
  const messages = [{ role: 'user', content: 'Hi' }];
  expect((await server.post('/v1/chat/completions', { model: 'sea', messages })).status).toBe(404);
  expect(await unload('sea')).toMatchObject(refusal(404, 'NotFoundError', "The lora adapter 'sea' cannot be found."));
});

test('load_inplace replaces an adapter, and without it a name is taken once [chat 181]', async () => {
  expect((await load({ lora_name: 'twice', lora_path: folderOf() })).status).toBe(200);
  const before = await say('twice');
  const taken = await load({ lora_name: 'twice', lora_path: folderOf() });
  expect(taken).toMatchObject(refusal(400, 'BadRequestError', "'twice' has already been loaded"));
  expect((await load({ lora_name: 'twice', lora_path: folderOf(), load_inplace: true })).status).toBe(200);
  expect(await say('twice')).not.toBe(before);
});

test('an invalid adapter is rejected without side effects [chat 184]', async () => {
  expect((await load({ lora_name: 'kept', lora_path: folderOf() })).status).toBe(200);
  const before = await say('kept');
  const broken = folderOf();
  writeFileSync(join(broken, 'adapter_model.safetensors'), 'cut');
  const listed = await ids();
  for (const name of ['kept', 'fresh']) {
    const { status, json } = await load({ lora_name: name, lora_path: broken, load_inplace: true });
    expect({ status, json }).toMatchObject(refusal(400, 'BadRequestError', 'is not a valid safetensors file'));
  }
  expect(await ids()).toEqual(listed);
  expect(await say('kept')).toBe(before);
});

describe('rejects [chat 182] [chat 183] [chat 184]', () => {
  const infinite = () => {
    const adapter = randomAdapter(modelConfig);
    adapter.modules.values().next().value!.a.fill(Number.POSITIVE_INFINITY);
    return adapter;
  };

  test.each<[string, () => object, number, string, string]>([
    ['no name', () => ({ lora_path: folderOf() }), 400, 'BadRequestError', "Both 'lora_name' and 'lora_path'"],
    ['no path', () => ({ lora_name: 'a', lora_path: '' }), 400, 'BadRequestError', "Both 'lora_name' and 'lora_path'"],
    ['a name of heddle', () => ({ lora_name: 'heddle/a', lora_path: folderOf() }), 400, 'BadRequestError', 'heddle/'],
    [
      'the name of a model',
      () => ({ lora_name: 'heddle/tiny', lora_path: folderOf() }),
      400,
      'BadRequestError',
      'is not an adapter',
    ],
    [
      'a name that is none',
      () => ({ lora_name: 'a b', lora_path: folderOf() }),
      400,
      'BadRequestError',
      'cannot name a model',
    ],
    ['a relative path', () => ({ lora_name: 'a', lora_path: 'adapter' }), 400, 'BadRequestError', 'an absolute path'],
    [
      'a missing folder',
      () => ({ lora_name: 'a', lora_path: join(allowed, 'none') }),
      404,
      'NotFoundError',
      'No adapter found',
    ],
    [
      'another folder',
      () => ({ lora_name: 'a', lora_path: folderOf({}, root) }),
      403,
      'PermissionDeniedError',
      'HEDDLE_ADAPTER_FOLDERS',
    ],
    [
      'a folder that does not exist elsewhere',
      () => ({ lora_name: 'a', lora_path: '/none' }),
      403,
      'PermissionDeniedError',
      'HEDDLE_ADAPTER_FOLDERS',
    ],
    [
      'a way out',
      () => ({ lora_name: 'a', lora_path: `${allowed}/../outside` }),
      403,
      'PermissionDeniedError',
      'HEDDLE_ADAPTER_FOLDERS',
    ],
    [
      'an unknown base',
      () => ({ lora_name: 'a', lora_path: folderOf({ baseModel: 'team/none' }) }),
      422,
      'BadRequestError',
      'trained on team/none',
    ],
    [
      'no base',
      () => ({ lora_name: 'a', lora_path: folderOf({ baseModel: null }) }),
      422,
      'BadRequestError',
      'Name the base model',
    ],
    [
      'a base that is not served',
      () => ({ lora_name: 'a', lora_path: folderOf(), base_model_name: 'x' }),
      400,
      'BadRequestError',
      'The base model x of the adapter does not exist',
    ],
    [
      'a rank that is too high',
      () => ({
        lora_name: 'a',
        lora_path: folderOf(randomAdapter(modelConfig, { rank: 65 })),
        base_model_name: 'heddle/tiny',
      }),
      400,
      'BadRequestError',
      'at most 64',
    ],
    [
      'infinite weights',
      () => ({ lora_name: 'a', lora_path: folderOf(infinite()), base_model_name: 'heddle/tiny' }),
      400,
      'BadRequestError',
      'not numbers',
    ],
  ])('%s', async (_, body, status, type, message) => {
    const listed = await ids();
    const { json, ...answer } = await load(body());
    expect({ status: answer.status, json }).toMatchObject(refusal(status, type, message));
    expect(await ids()).toEqual(listed);
  });

  test('links that lead out of the allowed folders [chat 183]', async () => {
    const outside = folderOf({}, root);
    symlinkSync(outside, join(allowed, 'link'));
    const mixed = join(allowed, 'mixed');
    mkdirSync(mixed);
    for (const name of ['adapter_config.json', 'adapter_model.safetensors']) {
      symlinkSync(join(outside, name), join(mixed, name));
    }
    for (const lora_path of [join(allowed, 'link'), mixed]) {
      const { status, json } = await load({ lora_name: 'a', lora_path });
      expect({ status, json }).toMatchObject(refusal(403, 'PermissionDeniedError', 'HEDDLE_ADAPTER_FOLDERS'));
    }
  });

  test('requests without a key', async () => {
    expect((await load({ lora_name: 'a', lora_path: folderOf() }, { key: null })).status).toBe(401);
    expect((await unload('a', { key: null })).status).toBe(401);
  });
});

test("only its creator and the server's owner may replace or unload an adapter [chat 185]", async () => {
  const others = { key: otherKey };
  expect((await load({ lora_name: 'mine', lora_path: folderOf() })).status).toBe(200);
  expect((await load({ lora_name: 'theirs', lora_path: folderOf() }, others)).status).toBe(200);
  const replaced = await load({ lora_name: 'mine', lora_path: folderOf(), load_inplace: true }, others);
  expect([replaced.status, (await unload('mine', others)).status]).toEqual([403, 403]);
  expect((await unload('theirs', others)).status).toBe(200);
  expect((await unload('mine')).status).toBe(200);
});

test('heddle pull serves an adapter, and heddle models removes it', async () => {
  const pull = (params: object) => askRunning(config(), 'models.pull', params as never);
  const place = { kind: 'local', path: folderOf({}, root) };
  expect((await pull({ place, name: 'team/tuned' }))!.answer).toMatchObject({
    name: 'team/tuned',
    base: 'heddle/tiny',
    how: 'copied',
  });
  expect(await ids()).toContain('team/tuned');
  await say('team/tuned');
  const another = { kind: 'local', path: folderOf({ baseModel: 'unknown' }, root) };
  await expect(pull({ place: another, name: 'b' })).rejects.toMatchObject({
    message: expect.stringContaining('unknown'),
  });
  expect((await pull({ place: another, name: 'b', base: 'heddle/tiny' }))!.answer).toMatchObject({
    base: 'heddle/tiny',
  });
  await expect(pull({ place: another, name: 'team/tuned' })).rejects.toMatchObject({ status: 409 });
  await askRunning(config(), 'models.remove', { name: 'team/tuned' });
  expect(await ids()).not.toContain('team/tuned');
});

test('without HEDDLE_ADAPTER_FOLDERS, no folder is read', async () => {
  await expect(checkFolder([], folderOf())).rejects.toMatchObject({
    kind: 'forbidden',
    message: expect.stringContaining('Set HEDDLE_ADAPTER_FOLDERS'),
  });
});

test('a model cannot be removed while it is the base of adapters', async () => {
  await askRunning(config(), 'models.pull', { place: { kind: 'local', path }, name: 'team/base' });
  const folder = folderOf({ baseModel: 'team/base' });
  expect((await load({ lora_name: 'over-base', lora_path: folder })).status).toBe(200);
  const removing = () => askRunning(config(), 'models.remove', { name: 'team/base' });
  await expect(removing()).rejects.toMatchObject({ status: 400, message: expect.stringContaining('over-base') });
  await say('over-base');
  await unload('over-base');
  await removing();
});
