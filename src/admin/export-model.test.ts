import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestServer, type TestServer } from '../api/testing/server.ts';
import { readConfig } from '../config.ts';
import { askRunning } from './client.ts';
import type { Params } from './operations.ts';
import type { Progress } from './pull/progress.ts';

const adapterFolder = join(import.meta.dirname, '../../testing/tiny-model/adapter');
let root: string;
let server: TestServer;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'heddle-exports-'));
  server = await startTestServer();
  await pull(adapterFolder, 'sea');
});
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
});

type Order = Params<'models.export'>;

let made = 0;
const newPath = (name = 'folder') => join(root, `${++made}-${name}`);
const config = () => readConfig({ data: server.data }, {});

async function pull(path: string, name: string) {
  const place = { kind: 'local' as const, path };
  return (await askRunning(config(), 'models.pull', { place, name }))!.answer;
}

async function exportTo(
  target: string,
  name: string,
  more: Partial<Order> = {},
  onProgress?: (each: Progress) => void,
) {
  const order: Order = { name, format: 'peft', target, replaces: false, ...more };
  return (await askRunning(config(), 'models.export', order, onProgress))!.answer;
}

const json = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8'));
const messages = [{ role: 'user', content: 'Say yes, no or maybe.' }];

/** The tokens that a model says, and their logprobs. */
async function say(model: string): Promise<{ tokens: string[]; logprobs: number[] }> {
  const body = { model, messages, temperature: 0, max_tokens: 16, logprobs: true };
  const answer = await server.post('/v1/chat/completions', body);
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  const content: { token: string; logprob: number }[] = answer.json.choices[0].logprobs.content;
  return { tokens: content.map(({ token }) => token), logprobs: content.map(({ logprob }) => logprob) };
}

async function expectSame(model: string, other: string): Promise<void> {
  const [first, second] = [await say(model), await say(other)];
  expect(second.tokens).toEqual(first.tokens);
  const distances = first.logprobs.map((logprob, i) => Math.abs(logprob - second.logprobs[i]!));
  expect(Math.max(...distances)).toBeLessThan(1e-4);
}

// First, because training takes no memory from models that are open.
describe('a trained model', () => {
  let project: string;
  beforeAll(async () => {
    project = await server.newProject();
    for (const name of ['agent', 'untrained']) await newModel(name);
    const { json } = await server.get(`/v1/preview/models?project=${basename(project)}&entity=ent`);
    const agent = json.data.find(({ name }: { name: string }) => name === 'agent');
    for (const step of [1, 2]) await train(agent.id, step);
  });

  async function newModel(name: string): Promise<void> {
    const [entity, own] = project.split('/');
    await server.post('/v1/preview/models', { entity, project: own, name, base_model: 'heddle/tiny' });
  }

  async function train(modelId: string, step: number): Promise<void> {
    const model = `wandb-artifact:///${project}/agent`;
    const body = { model, messages, n: 8, max_tokens: 4, temperature: 1 };
    const { choices } = (await server.post('/v1/chat/completions', body)).json;
    const trajectories = choices.map((choice: object, i: number) => ({
      messages_and_choices: [...messages, choice],
      reward: i,
    }));
    const experimental_config = { learning_rate: 1e-2 };
    const order = { model_id: modelId, trajectory_groups: [{ trajectories }], experimental_config };
    const { id } = (await server.post('/v1/preview/training-jobs', order)).json;
    const last = async () => (await server.get(`/v1/preview/training-jobs/${id}/events?limit=100`)).json.data.at(-1);
    await vi.waitFor(async () => expect(await last()).toMatchObject({ type: 'training_ended' }), { timeout: 20_000 });
    const steps = (await server.get(`/v1/preview/models/${modelId}/checkpoints`)).json.data;
    expect(steps).toHaveLength(step);
  }

  test('is exported without its optimizer state, and gives the same answers when pulled again', async () => {
    const folder = newPath();
    const exported = await exportTo(folder, `${project}/agent`);
    expect(exported).toMatchObject({ base: 'heddle/tiny', step: 2 });
    expect(readdirSync(folder).sort()).toEqual(['adapter_config.json', 'adapter_model.safetensors']);
    expect(json(folder, 'adapter_config.json')).toMatchObject({ base_model_name_or_path: 'heddle/tiny', r: 8 });
    await pull(folder, 'agent-again');
    await expectSame(`wandb-artifact:///${project}/agent`, 'agent-again');
  });

  test('merged, gives the same answers as its checkpoint', async () => {
    const folder = newPath();
    expect(await exportTo(folder, `${project}/agent:step1`, { format: 'safetensors' })).toMatchObject({ step: 1 });
    await pull(folder, 'agent-merged');
    await expectSame(`wandb-artifact:///${project}/agent:step1`, 'agent-merged');
    expect((await say('agent-merged')).logprobs).not.toEqual((await say('agent-again')).logprobs);
  });

  test.each([
    ['project/name', () => `${basename(project)}/agent`, 2],
    ['the name of its artifact', () => `wandb-artifact:///${project}/agent`, 2],
    ['a version of it', () => `wandb-artifact:///${project}/agent:v0`, 1],
    ['latest', () => `${project}/agent:latest`, 2],
  ])('is found by %s', async (_, name, step) => {
    expect(await exportTo(newPath(), name())).toMatchObject({ step });
  });

  test.each([
    [
      'a step that does not exist',
      () => `${project}/agent:step9`,
      /no checkpoint of step 9\. Its checkpoints: step 2, 1/,
    ],
    ['a version of another form', () => `${project}/agent:best`, /no version best/],
    ['another model', () => `${project}/other`, /has no model other/],
    ['a model before its first checkpoint', () => `${project}/untrained`, /no checkpoint yet.*heddle\/tiny/],
    ['a step of an untrained model', () => `${project}/untrained:step1`, /has no checkpoints yet/],
    ['step 0', () => `${project}/agent:step0`, /is step 0.*heddle\/tiny/],
    ['another project', () => 'ent/none/agent', /There is no model ent\/none\/agent.*heddle models/],
    ['another served model', () => 'none', /There is no model none/],
  ])('is not: %s', async (_, name, message) => {
    const target = newPath();
    await expect(exportTo(target, name())).rejects.toThrow(message);
    expect(existsSync(target)).toBe(false);
  });
});

describe('a served adapter', () => {
  test('exports the PEFT folder unchanged', async () => {
    const folder = newPath();
    const exported = await exportTo(folder, 'sea');
    expect(exported).toMatchObject({ base: 'heddle/tiny', step: null, target: folder });
    expect(readdirSync(folder).sort()).toEqual(['adapter_config.json', 'adapter_model.safetensors']);
    for (const name of readdirSync(folder)) {
      expect(readFileSync(join(folder, name))).toEqual(readFileSync(join(adapterFolder, name)));
    }
  });

  test('merged into a folder, gives the same answers when pulled again', async () => {
    const folder = newPath();
    const progress: Progress[] = [];
    const { files } = await exportTo(folder, 'sea', { format: 'safetensors' }, (each) => progress.push(each));
    expect(readdirSync(folder).sort()).toEqual(files.sort());
    expect(files).toContain('generation_config.json');
    expect(json(folder, 'config.json')).toMatchObject({ architectures: ['LlamaForCausalLM'], dtype: 'float32' });
    const { doneBytes, totalBytes } = progress.at(-1)!;
    expect(progress.at(-1)).toMatchObject({ step: 'writing', file: 'model.safetensors', doneBytes: totalBytes });
    expect(doneBytes).toBeGreaterThan(3e6);
    await pull(folder, 'sea-merged');
    await expectSame('sea', 'sea-merged');
    expect((await say('heddle/tiny')).logprobs).not.toEqual((await say('sea-merged')).logprobs);
  });

  test('merged into a GGUF file, gives the same answers when pulled and exported again', async () => {
    const file = newPath('sea.gguf');
    await exportTo(file, 'sea', { format: 'gguf' });
    await pull(file, 'sea-gguf');
    await expectSame('sea', 'sea-gguf');

    const folder = newPath();
    const exported = await exportTo(folder, 'sea-gguf', { format: 'safetensors' });
    expect(exported).toMatchObject({ base: 'sea-gguf', step: null });
    await pull(folder, 'sea-folder');
    await expectSame('sea', 'sea-folder');

    const over = await askRunning(config(), 'models.pull', {
      place: { kind: 'local', path: adapterFolder },
      name: 'over-gguf',
      base: 'sea-gguf',
    });
    expect(over!.answer.base).toBe('sea-gguf');
    const inFolder = newPath();
    expect(await exportTo(inFolder, 'over-gguf', { format: 'gguf' })).toMatchObject({ files: ['over-gguf.gguf'] });
    await pull(inFolder, 'over-merged');
    await expectSame('over-gguf', 'over-merged');
  });
});

describe('rejects unsupported exports with the reason', () => {
  test.each<[string, string, Partial<Order>, RegExp]>([
    ['peft of a model without an adapter', 'heddle/tiny', {}, /without an adapter.*--format safetensors/],
    ['a folder named like a GGUF file', 'sea', { target: '/tmp/none/a.gguf' }, /is the name of a GGUF file/],
    ['a relative path', 'sea', { target: 'a' }, /must be an absolute path/],
  ])('%s', async (_, name, more, message) => {
    await expect(exportTo(newPath(), name, more)).rejects.toThrow(message);
  });

  test('rejects a GGUF file of a model that llama.cpp computes differently', async () => {
    const folder = await folderOf({ model_type: 'mistral', architectures: ['MistralForCausalLM'], sliding_window: 64 });
    await pull(folder, 'windowed');
    const target = newPath('a.gguf');
    await expect(exportTo(target, 'windowed', { format: 'gguf' })).rejects.toThrow(
      /windowed cannot be exported as gguf: some layers have a window of 64 tokens/,
    );
    expect(existsSync(target)).toBe(false);
  });

  /** The folder of heddle/tiny with another configuration. */
  async function folderOf(change: object): Promise<string> {
    const folder = newPath();
    await exportTo(folder, 'heddle/tiny', { format: 'safetensors' });
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...json(folder, 'config.json'), ...change }));
    return folder;
  }
});
