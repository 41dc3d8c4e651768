import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import type { NewModel } from '../../domain/model.ts';
import { openAlone } from '../peers/alone.ts';
import { newTestStore } from '../postgres/testing/test-postgres.ts';
import { openModels } from './models.ts';

const data = mkdtempSync(join(tmpdir(), 'heddle-models-'));
const store = newTestStore();
const postgres = await store.open();
afterAll(async () => {
  await postgres.close();
  store.remove();
  rmSync(data, { recursive: true });
});

const newModel = (name: string): NewModel => ({
  ...{ name, source: { kind: 'local', path: '/models' }, adapter: null, weightsFile: null, family: 'llama' },
  ...{ architecture: 'LlamaForCausalLM', weightType: 'F32', memoryBytes: 1, parameters: 1, contextLength: 1 },
  sizeBytes: 1,
});

/** Two processes, each with a directory of its own. */
async function openTwo() {
  const peers = { ...openAlone(), isAlone: false };
  const directories = [mkdtempSync(join(data, 'models-')), mkdtempSync(join(data, 'models-'))];
  const [one, two] = await Promise.all(directories.map((each) => openModels(each, postgres, [], peers)));
  const has = (id: string) => directories.map((each) => existsSync(join(each, id)));
  return { one: one!, two: two!, peers, directories, has };
}

async function stage(models: Awaited<ReturnType<typeof openModels>>): Promise<void> {
  writeFileSync(join(await models.stage('key'), 'weights'), 'w');
}

test('a removed model is removed from the disks of all processes, and others stay', async () => {
  const { one, two, has } = await openTwo();
  await stage(one);
  const kept = await one.adopt('key', newModel('team/kept'));
  await stage(one);
  const model = await one.adopt('key', newModel('team/model'));
  for (const each of [kept, model]) {
    await stage(two);
    await two.addFiles('key', each);
  }
  await stage(two); // a pull that is under way
  expect(has(model.id)).toEqual([true, true]);
  await one.remove(model);
  await vi.waitFor(() => expect(has(model.id)).toEqual([false, false]));
  expect(has(kept.id)).toEqual([true, true]);
  expect(existsSync(join(await two.stage('key'), 'weights'))).toBe(true);
});

test('a model that another one replaces is removed from the disks of all processes', async () => {
  const { one, two, has } = await openTwo();
  await stage(one);
  const before = await one.adopt('key', newModel('team/replaced'));
  await stage(two);
  const now = await two.adopt('key', newModel('team/replaced'));
  await vi.waitFor(() => expect(has(before.id)).toEqual([false, false]));
  expect(has(now.id)).toEqual([false, true]);
});

test('files without a row stay while their model is being added', async () => {
  const { one, two, peers, directories } = await openTwo();
  await stage(one);
  const model = await one.adopt('key', newModel('team/gone'));
  await stage(two);
  await two.addFiles('key', model);
  const saved = Promise.withResolvers<void>();
  const notify = vi.spyOn(peers, 'notify').mockImplementationOnce(() => saved.promise);
  mkdirSync(join(directories[1]!, 'without-row'));
  await stage(two);
  const added = two.adopt('key', newModel('team/added'), 'added');
  await vi.waitFor(() => expect(notify).toHaveBeenCalled());
  await postgres.db.deleteFrom('models').where('name', '=', 'team/added').execute(); // as if it were not written yet
  await one.remove(model);
  await vi.waitFor(() => expect(readdirSync(directories[1]!).toSorted()).toEqual(['added', 'unfinished']));
  saved.resolve();
  await expect(added).resolves.toBeNull();
});

test('models that other servers run are listed and found first, with the files that they have here', async () => {
  const directory = mkdtempSync(join(data, 'models-'));
  const there = (id: string, name: string, folder: string | null) => ({
    ...{ ...newModel(name), source: { kind: 'vllm' as const, root: null }, pulledAt: new Date(), id, folder },
  });
  const remote = [there('vllm-1', 'org/served', '/files'), there('vllm-2', 'bare', null)];
  const models = await openModels(directory, postgres, [], openAlone(), undefined, () => remote);
  await stage(models);
  const own = await models.adopt('key', newModel('org/served'));
  expect(await models.find('org/served')).toMatchObject({ id: 'vllm-1', source: { kind: 'vllm' } });
  expect(await models.findInRequest('org-served')).toMatchObject({ id: 'vllm-1' });
  expect((await models.list()).map(({ id }) => id).filter((id) => id === own.id || id.startsWith('vllm'))).toEqual([
    ...['vllm-1', 'vllm-2'],
  ]);
  expect(await models.withFiles(remote[0]!, async (path) => path)).toBe('/files');
  await expect(models.withFiles(remote[1]!, async (path) => path)).rejects.toThrow('HEDDLE_VLLM_MODELS=bare=FOLDER');
  expect(await models.hasFiles(remote[1]!)).toBe(true);
  remote.length = 0;
  expect(await models.find('org/served')).toMatchObject({ id: own.id });
});
