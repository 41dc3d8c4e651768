import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { chooseFiles } from './choose-files.ts';
import { inspectFolder } from './inspect-folder.ts';
import { inspectGguf } from './inspect-gguf.ts';
import { checkModelName } from './names.ts';
import { folderFiles, ggufFile, safetensorsFile } from './testing/model-files.ts';
import { tinyModel } from './tiny-model.ts';

const root = mkdtempSync(join(tmpdir(), 'heddle-registry-'));
afterAll(() => rmSync(root, { recursive: true }));

function folderOf(files: Record<string, Buffer | string>): string {
  const folder = mkdtempSync(join(root, 'model-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

describe('a folder of safetensors', () => {
  test('is described by its family, parameters, context and type', async () => {
    expect(await inspectFolder(folderOf(folderFiles()))).toEqual({
      format: 'safetensors',
      family: 'llama',
      architecture: 'LlamaForCausalLM',
      parameters: 512,
      contextLength: 256,
      weightType: 'F32',
      memoryBytes: 2144,
    });
  });

  test('can be quantised with GPTQ or AWQ', async () => {
    const quantised = (quantization_config: object) => inspectFolder(folderOf(folderFiles({ quantization_config })));
    const found = await quantised({ quant_method: 'gptq', bits: 4, group_size: 128 });
    expect(found).toMatchObject({ weightType: 'GPTQ int4', parameters: 600 });
    expect(await quantised({ quant_method: 'awq', bits: 4, version: 'GEMM' })).toMatchObject({
      weightType: 'AWQ int4',
    });
    await expect(quantised({ quant_method: 'bitsandbytes' })).rejects.toThrow('bitsandbytes');
    await expect(quantised({ quant_method: 'gptq', bits: 3 })).rejects.toThrow(
      '3 bits by gptq are not supported; 4 and 8 are',
    );
    await expect(quantised({ quant_method: 'awq', bits: 4, version: 'gemv' })).rejects.toThrow('the awq layout gemv');
  });

  test('can be split into parts that an index lists', async () => {
    const { 'model.safetensors': whole, ...others } = folderFiles({
      architectures: ['Qwen3ForCausalLM'],
      model_type: 'qwen3',
    });
    const map = { 'model.norm.weight': 'model-00001-of-00002.safetensors', b: 'model-00002-of-00002.safetensors' };
    const split = {
      ...others,
      'model.safetensors.index.json': JSON.stringify({ weight_map: map }),
      'model-00001-of-00002.safetensors': whole!,
      'model-00002-of-00002.safetensors': safetensorsFile({ b: { dtype: 'BF16', shape: [30, 40], bytes: 2400 } }),
    };
    expect(await inspectFolder(folderOf(split))).toMatchObject({
      family: 'qwen3',
      parameters: 1712,
      weightType: 'BF16',
    });
    const { 'model-00002-of-00002.safetensors': _, ...lacking } = split;
    await expect(inspectFolder(folderOf(lacking))).rejects.toThrow(
      'model-00002-of-00002.safetensors, which is missing',
    );
    const outside = JSON.stringify({ weight_map: { a: '../../secret' } });
    await expect(inspectFolder(folderOf({ ...split, 'model.safetensors.index.json': outside }))).rejects.toThrow(
      'which is missing',
    );
  });

  const without = (name: string) => Object.fromEntries(Object.entries(folderFiles()).filter(([each]) => each !== name));
  const weights = (bytes: Buffer | string) => ({ ...folderFiles(), 'model.safetensors': bytes });
  const good = safetensorsFile();
  test.each<[string, Record<string, Buffer | string>, string[]]>([
    [
      'another architecture',
      folderFiles({ architectures: ['GPT2LMHeadModel'] }),
      ['GPT2LMHeadModel', 'LlamaForCausalLM, Qwen2'],
    ],
    ['no architecture', folderFiles({ architectures: [] }), ['no architecture']],
    ['quantised safetensors', folderFiles({ quantization_config: { quant_method: 'gptq' } }), ['gptq']],
    [
      'an unsupported rope scaling',
      folderFiles({ rope_scaling: { rope_type: 'dynamic' } }),
      ['dynamic', 'linear, llama3, longrope and yarn'],
    ],
    ['no config', without('config.json'), ['no config.json']],
    ['a config that is not JSON', { ...folderFiles(), 'config.json': '{' }, ['config.json is not JSON']],
    ['no tokenizer', without('tokenizer.json'), ['no tokenizer.json']],
    ['an invalid tokenizer', { ...folderFiles(), 'tokenizer.json': '[]' }, ['tokenizer.json']],
    ['no weights', without('model.safetensors'), ['model.safetensors']],
    ['empty weights', weights(''), ['not a valid safetensors file']],
    ['a file of another type as weights', weights('<html>'.repeat(100)), ['not a valid safetensors file']],
    [
      'a header that is not JSON',
      weights(Buffer.concat([good.subarray(0, 8), Buffer.alloc(good.length - 8, 32)])),
      ['not a JSON'],
    ],
    ['truncated weights', weights(good.subarray(0, -1)), ['cut off']],
    [
      'an unsupported type',
      weights(safetensorsFile({ w: { dtype: 'F8_E4M3', shape: [4], bytes: 4 } })),
      ['F8_E4M3', 'F32, F16, BF16'],
    ],
    [
      'a length that does not fit',
      weights(safetensorsFile({ w: { dtype: 'F16', shape: [4], bytes: 4 } })),
      ['length of w'],
    ],
  ])('rejects %s and says what was found', async (_name, files, words) => {
    const refused = inspectFolder(folderOf(files));
    await expect(refused).rejects.toMatchObject({ kind: 'unacceptable' });
    for (const each of words) await expect(refused).rejects.toThrow(each);
  });
});

describe('a GGUF file', () => {
  const inspect = (bytes: Buffer | string) => {
    const path = join(folderOf({ 'm.gguf': bytes }), 'm.gguf');
    return inspectGguf('m.gguf', { path });
  };

  test('is described by its metadata and tensors', async () => {
    expect(await inspect(ggufFile({ type: 'Q4_1' }))).toEqual({
      format: 'gguf',
      family: 'llama',
      architecture: 'llama',
      parameters: 1024,
      contextLength: 512,
      weightType: 'Q4_1',
      memoryBytes: 1862,
    });
  });

  test.each<[string, Buffer | string, string[]]>([
    ['another architecture', ggufFile({ architecture: 'phi3' }), ['phi3', 'llama, qwen2, qwen3, smollm3']],
    ['the architecture name mistral', ggufFile({ architecture: 'mistral' }), ['mistral', 'llama, qwen2, qwen3']],
    ['an unsupported type', ggufFile({ type: 'Q2_K' }), ['Q2_K', 'Q4_K, Q5_K, Q6_K']],
    ['no tokenizer', ggufFile({ tokens: [] }), ['no tokenizer']],
    ['something else', 'no gguf at all', ['not a valid GGUF file']],
    ['nothing', '', ['not a valid GGUF file']],
    ['a truncated header', ggufFile().subarray(0, 60), ['not a valid GGUF file']],
    ['truncated weights', ggufFile().subarray(0, -4000), ['cut off']],
  ])('rejects %s and says what was found', async (_name, bytes, words) => {
    const refused = inspect(bytes);
    await expect(refused).rejects.toMatchObject({ kind: 'unacceptable' });
    for (const each of words) await expect(refused).rejects.toThrow(each);
  });
});

describe('the files of a repository that make up a model', () => {
  const of = (...paths: string[]) => paths.map((path) => ({ path, sizeBytes: 1 }));
  const chosen = (paths: string[], wish = {}) => chooseFiles(of(...paths), wish, 'a/b').map(({ path }) => path);

  test('prefers safetensors to GGUF and excludes all other files', () => {
    const paths = ['README.md', 'config.json', 'model.gguf', 'model.safetensors', 'onnx/model.onnx', 'tokenizer.json'];
    expect(chosen(paths)).toEqual(['config.json', 'tokenizer.json', 'model.safetensors']);
    const split = ['consolidated.safetensors', 'model-00001-of-00001.safetensors', 'model.safetensors.index.json'];
    expect(chosen(split)).toEqual(['model.safetensors.index.json', 'model-00001-of-00001.safetensors']);
  });

  const ggufs = ['m-Q4_K_M.gguf', 'm-Q8_0.gguf', 'mmproj-m-Q8_0.gguf'];
  test('chooses a GGUF file by quantisation or name, or the only one', () => {
    expect(chosen(ggufs, { quantisation: 'q4_k_m' })).toEqual(['m-Q4_K_M.gguf']);
    expect(chosen(ggufs, { file: 'm-Q8_0.gguf' })).toEqual(['m-Q8_0.gguf']);
    expect(chosen(['only.gguf', 'README.md'])).toEqual(['only.gguf']);
  });

  test.each<[string, string[], object, string]>([
    ['several GGUF files', ggufs, {}, 'm-Q4_K_M.gguf (1 B), m-Q8_0.gguf'],
    ['a missing quantisation', ggufs, { quantisation: 'Q2_K' }, 'no GGUF file of Q2_K'],
    ['two of one quantisation', ['a-Q8_0.gguf', 'b-Q8_0.gguf'], { quantisation: 'Q8_0' }, '--file'],
    ['a missing file', ggufs, { file: 'x.gguf' }, 'no file x.gguf'],
    ['a file of another kind', ['a.bin'], { file: 'a.bin' }, 'not a .gguf file'],
    ['a split GGUF file', ['m-00001-of-00002.gguf'], { file: 'm-00001-of-00002.gguf' }, 'in one piece'],
    ['weights of other programs', ['pytorch_model.bin'], {}, 'only pytorch_model.bin'],
    ['no weights', ['README.md'], {}, 'none of them'],
  ])('%s is an error that lists the files', (_name, paths, wish, words) => {
    expect(() => chosen(paths, wish)).toThrow(words);
  });
});

test.each(['a', 'team/helper', 'team/model:Q4_K_M', 'Model-1.5_b'])('%s can name a model', (name) => {
  expect(checkModelName(name)).toBe(name);
});
test.each(['', 'a b', '/a', 'a/b/c', '../a', 'a:', 'heddle/tiny', 'wandb-artifact:///e/p/m', 'x'.repeat(201)])(
  '%j cannot name a model',
  (name) => {
    expect(() => checkModelName(name)).toThrow();
  },
);

test('heddle/tiny is a complete model of about a million parameters', async () => {
  const tiny = await tinyModel();
  expect(tiny).toMatchObject({ name: 'heddle/tiny', family: 'llama', weightType: 'F32', contextLength: 1024 });
  expect(tiny.parameters).toBeGreaterThan(0.8e6);
});
