import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { copyStoreTemplate } from '../../api/testing/store-template.ts';
import { folderFiles, ggufFile, safetensorsFile } from '../../engine/registry/testing/model-files.ts';
import { openOwnModelReader } from '../../inference/own/own-model-reader.ts';
import { type Models, openModels } from '../../store/models/models.ts';
import { openAlone } from '../../store/peers/alone.ts';
import { openEmbeddedPostgres } from '../../store/postgres/embedded/embedded-postgres.ts';
import type { Postgres } from '../../store/postgres/postgres.ts';
import { type FakeHub, startFakeHub } from '../testing/fake-hub.ts';
import { listModels, pullModel, pullParams, removeModel } from './operations.ts';
import type { Progress } from './progress.ts';

let data: string;
let postgres: Postgres;
let directory: string;
let models: Models;
let deps: Parameters<typeof listModels>[0];
let hub: FakeHub;
let progress: Progress[];

beforeAll(async () => {
  data = copyStoreTemplate(inject('storeTemplate'));
  postgres = await openEmbeddedPostgres(join(data, 'postgres'));
});
afterAll(async () => {
  await postgres.close();
  rmSync(data, { recursive: true });
});
beforeEach(async () => {
  await postgres.db.deleteFrom('models').execute();
  directory = mkdtempSync(join(data, 'models-'));
  models = await openModels(directory, postgres, [], openAlone());
  deps = { models, modelReader: openOwnModelReader(models.withFiles) };
  hub = await startFakeHub(folderFiles());
  progress = [];
});
afterEach(() => hub.close());

type More = { name?: string; file?: string; quantisation?: string; signal?: AbortSignal; token?: string };

function pull({ signal = new AbortController().signal, token = '', ...more }: More = {}) {
  const place = { kind: 'hub' as const, repository: 'team/model', revision: 'main', endpoint: hub.endpoint, token };
  const watch = { report: (each: Progress) => progress.push(each), signal };
  return pullModel(deps, pullParams.parse({ place, ...more }), watch);
}

function pullLocal(path: string, more: More = {}) {
  const watch = { report: () => {}, signal: new AbortController().signal };
  return pullModel(deps, pullParams.parse({ place: { kind: 'local', path }, ...more }), watch);
}

const names = async () => (await listModels(deps)).map(({ name }) => name);
const pathOf = async (name: string) => models.withFiles((await models.find(name))!, async (path) => path);
const filesOf = async (name: string) => readdirSync(await pathOf(name)).sort();
const unfinished = () => readdirSync(join(directory, 'unfinished'));
const weights = 'model.safetensors';

describe('from the hub', () => {
  test('the files of the model and no others come, checked, and the model is served', async () => {
    hub.files.set('README.md', Buffer.alloc(5000));
    hub.files.set('pytorch_model.bin', Buffer.alloc(5000));
    expect(await pull()).toMatchObject({ name: 'team/model', family: 'llama', parameters: 512, contextLength: 256 });
    expect(await filesOf('team/model')).toEqual(Object.keys(folderFiles()).sort());
    expect(readFileSync(join(await pathOf('team/model'), weights))).toEqual(hub.files.get(weights));
    expect(unfinished()).toEqual([]);
    expect(progress.at(-1)).toEqual({ step: 'checking' });
    expect(progress).toContainEqual(expect.objectContaining({ step: 'downloading', file: weights }));
  });

  test('a GGUF file is chosen by its quantisation, and served under both names', async () => {
    hub.files.set('m-Q8_0.gguf', ggufFile());
    hub.files.set('m-Q4_1.gguf', ggufFile({ type: 'Q4_1' }));
    expect(await pull({ quantisation: 'Q4_1' })).toMatchObject({ name: 'team/model:Q4_1', weightType: 'Q4_1' });
    expect(await pathOf('team/model:Q4_1')).toMatch(/m-Q4_1\.gguf$/);
    expect(hub.asked.some((each) => each.startsWith('m-Q8_0'))).toBe(false);
  });

  test('a broken connection goes on where it ended', async () => {
    hub.faults.set(weights, [
      { kind: 'cut', afterBytes: 500 },
      { kind: 'status', status: 503 },
    ]);
    await pull();
    expect(hub.asked.filter((each) => each.startsWith(weights))).toEqual([
      weights,
      `${weights} from 500`,
      `${weights} from 500`,
    ]);
    expect(progress.filter(({ doneBytes = 0, totalBytes = 0 }) => doneBytes > totalBytes)).toEqual([]);
  });

  test('a pull that was ended goes on at the next one, and is not listed before', async () => {
    hub.faults.set(weights, [{ kind: 'stall', afterBytes: 700 }]);
    const stop = new AbortController();
    const pulling = pull({ signal: stop.signal });
    const [part] = await until(() =>
      unfinished().filter((key) => existsSync(join(directory, 'unfinished', key, `${weights}.part`))),
    );
    await until(() => readFileSync(join(directory, 'unfinished', part!, `${weights}.part`)).length === 700);
    await expect(pull()).rejects.toMatchObject({ status: 409, message: expect.stringContaining('by another command') });
    stop.abort(new Error('ended'));
    await expect(pulling).rejects.toThrow('ended');
    expect(await names()).toEqual([]);

    models = await openModels(directory, postgres, [], openAlone()); // as the next process does
    hub.asked.length = 0;
    await pull();
    expect(hub.asked).toEqual([`${weights} from 700`]);
    expect(await names()).toEqual(['team/model']);
  });

  test('a server that knows no ranges is asked for all of it', async () => {
    hub.faults.set(weights, [{ kind: 'cut', afterBytes: 500 }, { kind: 'no ranges' }]);
    await pull();
    expect(await names()).toEqual(['team/model']);
  });

  test('what arrives wrong is fetched again once', async () => {
    hub.faults.set(weights, [{ kind: 'wrong byte' }]);
    await pull();
    expect(hub.asked.filter((each) => each === weights)).toHaveLength(2);
  });

  test.each([weights, 'tokenizer.json'])('%s that stays wrong is an error with both digests', async (file) => {
    hub.faults.set(file, [{ kind: 'wrong byte' }, { kind: 'wrong byte' }]);
    await expect(pull()).rejects.toMatchObject({
      status: 502,
      message: expect.stringMatching(/digest is \w{40,}.* expected \w{40,}/),
    });
    expect(await names()).toEqual([]);
  });

  test('a connection that never holds is an error that says how to go on', async () => {
    hub.faults.set(
      weights,
      Array.from({ length: 9 }, () => ({ kind: 'cut', afterBytes: 0 })),
    );
    await expect(pull()).rejects.toMatchObject({
      status: 502,
      message: expect.stringContaining('Run the command again'),
    });
    expect(unfinished()).toHaveLength(1);
  });

  test('a model that cannot be used is refused before its weights are fetched', async () => {
    hub.files.set('config.json', folderFiles({ architectures: ['GPT2LMHeadModel'] })['config.json']!);
    await expect(pull()).rejects.toMatchObject({
      kind: 'unacceptable',
      message: expect.stringContaining('GPT2LMHeadModel'),
    });
    hub.files.set('m.gguf', ggufFile({ type: 'Q2_K' }));
    await expect(pull({ file: 'm.gguf' })).rejects.toMatchObject({
      kind: 'unacceptable',
      message: expect.stringContaining('Q2_K'),
    });
    expect(hub.asked).not.toContain(weights);
    expect(unfinished()).toEqual([]);
  });

  test('the same commit is not fetched again; a newer one takes its place', async () => {
    await pull();
    hub.asked.length = 0;
    expect(await pull()).toMatchObject({ how: 'was there already' });
    expect(hub.asked).toEqual([]);
    const before = (await models.find('team/model'))!;
    hub.commit = hub.commit.replace(/1$/, '2');
    hub.files.set(weights, safetensorsFile({ w: { dtype: 'F16', shape: [700], bytes: 1400 } }));
    expect(await pull()).toMatchObject({ parameters: 700, source: `team/model@${hub.commit.slice(0, 8)}` });
    expect(existsSync(join(directory, before.id))).toBe(false);
    expect(await names()).toEqual(['team/model']);
  });

  test('a model that is served, and whose files are not here, is fetched and stays the same', async () => {
    await pull();
    const model = (await models.find('team/model'))!;
    rmSync(join(directory, model.id), { recursive: true });
    hub.asked.length = 0;
    await pull();
    expect(hub.asked).toContain(weights);
    expect(await models.find('team/model')).toEqual(model);
    expect(existsSync(join(directory, model.id, weights))).toBe(true);
    expect(unfinished()).toEqual([]);
  });

  test('the token goes to the hub, and to nobody it leads to', async () => {
    hub.token = 'hf_secret';
    await expect(pull()).rejects.toMatchObject({ status: 401, message: expect.stringContaining('HF_TOKEN') });
    await expect(pull({ token: 'hf_wrong' })).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('HF_TOKEN'),
    });
    await pull({ token: 'hf_secret' });
    expect(hub.leaked).toBe(false);
  });

  test.each<[string, () => object, number, string]>([
    ['an unknown repository', () => ({ repository: 'team/other' }), 404, 'has no team/other'],
    ['a name that is not a repository', () => ({ repository: 'gpt2' }), 400, './gpt2'],
    ['a model of our own', () => ({ repository: 'heddle/tiny' }), 400, 'nothing to pull'],
    ['a hub that does not answer', () => ({ endpoint: 'http://127.0.0.1:1' }), 502, '127.0.0.1:1 cannot be reached'],
    ['an address that is none', () => ({ endpoint: 'hub' }), 400, 'HF_ENDPOINT'],
  ])('%s is an error that says so', async (_name, place, status, words) => {
    const params = {
      kind: 'hub',
      repository: 'team/model',
      revision: 'main',
      endpoint: hub.endpoint,
      token: '',
      ...place(),
    };
    const watch = { report: () => {}, signal: new AbortController().signal };
    const pulled = pullModel(deps, pullParams.parse({ place: params }), watch);
    await expect(pulled).rejects.toMatchObject({ status, message: expect.stringContaining(words) });
  });
});

describe('the text of a model is read before it is served', () => {
  const withFile = (name: string, content: unknown) =>
    hub.files.set(name, Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)));

  test.each([
    [
      'tokenizer_config.json',
      { added_tokens_decoder: { 9: { content: '<new>' } } },
      /tokenizer_config\.json.*decoder\.9/,
    ],
    ['tokenizer_config.json', { chat_template: '{{ messages | nosuchfilter }}' }, /chat_template.*nosuchfilter/],
    ['tokenizer_config.json', { chat_template: '{% if %}' }, /chat_template/],
    ['special_tokens_map.json', '{', /special_tokens_map\.json/],
    ['generation_config.json', '{', /generation_config\.json/],
  ])('rejects a %s with %j', async (name, content, message) => {
    withFile(name, content);
    await expect(pull()).rejects.toMatchObject({ kind: 'unacceptable', message: expect.stringMatching(message) });
    expect(await names()).toEqual([]);
  });

  test('reports the format of tool calls, also when it is unknown', async () => {
    withFile('tokenizer_config.json', { chat_template: '{{ tools }}<tool_call>\n<function=' });
    expect(await pull()).toMatchObject({ toolFormat: 'qwen3_coder' });
    withFile('tokenizer_config.json', { chat_template: '{{ tools }}<arg_key>' });
    hub.commit = 'b'.repeat(40);
    await pull({ name: 'team/other' });
    expect(await listModels(deps)).toMatchObject([{ toolFormat: 'qwen3_coder' }, { toolFormat: 'unknown' }]);
  });
});

test('templates in a folder of their own come too', async () => {
  hub.files.set('additional_chat_templates/tool_use.jinja', Buffer.from('{{ tools }}<|tool_call>'));
  hub.files.set('additional_chat_templates/more/other.jinja', Buffer.from('x'));
  expect(await pull()).toMatchObject({ chatTemplates: ['tool_use'], toolFormat: 'gemma' });
  hub.files.set('additional_chat_templates/rag.jinja', Buffer.from('{% for %}'));
  hub.commit = 'c'.repeat(40);
  await expect(pull({ name: 'team/other' })).rejects.toThrow(/template "rag"/);
});

describe('from this machine', () => {
  function folder(files: Record<string, Buffer>, name: string): string {
    const path = join(mkdtempSync(join(data, 'local-')), name);
    mkdirSync(path);
    for (const [file, bytes] of Object.entries(files)) writeFileSync(join(path, file), bytes);
    return path;
  }

  test('a folder and a file are served by their names', async () => {
    const path = folder({ ...folderFiles(), 'notes.txt': Buffer.from('mine') }, 'my model');
    expect(await pullLocal(path)).toMatchObject({ name: 'my-model', source: path });
    expect(await filesOf('my-model')).toEqual(Object.keys(folderFiles()).sort());
    const file = join(folder({ 'small.gguf': ggufFile() }, 'x'), 'small.gguf');
    expect(await pullLocal(file)).toMatchObject({
      name: 'small',
      how: expect.stringMatching(/cloned|hard-linked|copied/),
    });
    expect(await names()).toEqual(['my-model', 'small']);
  });

  test('the source stays where it is when the model is removed', async () => {
    const path = folder(folderFiles(), 'kept');
    await pullLocal(path, { name: 'team/kept' });
    const kept = (await models.find('team/kept'))!;
    const served = await pathOf('team/kept');
    await removeModel(deps, 'team/kept');
    expect(await names()).toEqual([]);
    expect(existsSync(served)).toBe(false);
    await expect(models.withFiles(kept, async () => {})).rejects.toMatchObject({
      kind: 'notFound',
      message: 'The model team/kept is no longer served.',
    });
    expect(readdirSync(path)).toHaveLength(5);
    await expect(removeModel(deps, 'team/kept')).rejects.toMatchObject({ status: 404 });
  });

  test('a name is not taken from another source', async () => {
    await pullLocal(folder(folderFiles(), 'same'));
    await expect(pullLocal(folder(folderFiles(), 'same'))).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('--name'),
    });
    await expect(pull({ name: 'same' })).rejects.toMatchObject({ status: 409 });
  });

  test('a folder that is not a model leaves nothing', async () => {
    const path = folder({ ...folderFiles(), 'model.safetensors': Buffer.from('cut') }, 'broken');
    await expect(pullLocal(path)).rejects.toMatchObject({ kind: 'unacceptable' });
    await expect(pullLocal(join(path, 'none'))).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('There is no'),
    });
    expect([await names(), unfinished()]).toEqual([[], []]);
  });
});

test('what a process left between a folder and its row is swept away', async () => {
  mkdirSync(join(directory, 'orphan'));
  await pull();
  models = await openModels(directory, postgres, [], openAlone());
  expect(readdirSync(directory).sort()).toEqual([(await models.find('team/model'))!.id, 'unfinished'].sort());
});

/** Waits for what another part does in its own time. */
async function until<Value>(look: () => Value): Promise<NonNullable<Value>> {
  for (;;) {
    const found = look();
    if (Array.isArray(found) ? found.length > 0 : found) return found as NonNullable<Value>;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
