import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { modelTextOfFolder } from './from-folder.ts';
import { generationConfigOf } from './generation-config.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'heddle-text-'));
});
afterEach(() => rm(folder, { recursive: true }));

const tokenizerFile = fileURLToPath(new URL('../testing/tokenizers/smollm.json', import.meta.url));
const write = (name: string, content: unknown) =>
  writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));

test('reads tokens and templates, tokens as strings or objects', async () => {
  await copyFile(tokenizerFile, join(folder, 'tokenizer.json'));
  const chat_template = [
    { name: 'tool_use', template: 'b' },
    { name: 'default', template: 'a' },
  ];
  await write('tokenizer_config.json', {
    eos_token: { content: '<|im_end|>' },
    bos_token: '<|im_start|>',
    pad_token: null,
    chat_template,
  });
  const text = await modelTextOfFolder(folder);
  expect(text).toMatchObject({
    bosId: 1,
    eosId: 2,
    chatTemplates: new Map([
      ['tool_use', 'b'],
      ['default', 'a'],
    ]),
  });
  expect(text.templateVariables).toEqual({ eos_token: '<|im_end|>', bos_token: '<|im_start|>' });
});

test('template files take precedence over the configuration, also those of the folder beside them', async () => {
  await copyFile(tokenizerFile, join(folder, 'tokenizer.json'));
  await write('tokenizer_config.json', { chat_template: 'a' });
  await mkdir(join(folder, 'additional_chat_templates'));
  await write('additional_chat_templates/README.md', 'none');
  const templates = async () => Object.fromEntries((await modelTextOfFolder(folder)).chatTemplates);
  expect(await templates()).toEqual({ default: 'a' });
  await write('additional_chat_templates/rag.jinja', 'r');
  expect(await templates()).toEqual({ rag: 'r' });
  await write('chat_template.jinja', 'b');
  await write('additional_chat_templates/tool_use.jinja', 't');
  expect(await templates()).toEqual({ default: 'b', rag: 'r', tool_use: 't' });
});

test.each([
  [7, /has chat_template, which/],
  [[{ name: 'default' }], /has chat_template\[0\] \(default\), which/],
  [['a'], /has chat_template\[0\], which/],
  [{ default: null }, /has chat_template\[0\] \(default\), which/],
])('rejects the chat template %j of tokenizer_config.json', async (chat_template, message) => {
  await copyFile(tokenizerFile, join(folder, 'tokenizer.json'));
  await write('tokenizer_config.json', { chat_template });
  await expect(modelTextOfFolder(folder)).rejects.toThrow(message);
});

test.each([
  ['tokenizer_config.json', { added_tokens_decoder: { 602: { content: '<new>', special: true } } }, 602, true],
  ['tokenizer_config.json', { added_tokens_decoder: { 602: { content: '<new>', special: false } } }, 602, false],
  ['tokenizer_config.json', { eos_token: '<new>' }, 602, true],
  ['tokenizer_config.json', { additional_special_tokens: ['<|im_end|>', { content: '<new>' }] }, 602, true],
  ['tokenizer_config.json', { extra_special_tokens: { image_token: '<new>' } }, 602, true],
  ['special_tokens_map.json', { bos_token: '<new>' }, 602, true],
  ['added_tokens.json', { '<new>': 602 }, 602, false],
])('adds the tokens that only %s names, as transformers does: %j', async (file, content, id, isSpecial) => {
  await copyFile(tokenizerFile, join(folder, 'tokenizer.json'));
  await write(file, content);
  const { tokenizer } = await modelTextOfFolder(folder);
  expect(tokenizer.encode('a<new>b', { addSpecialTokens: false }).slice(1, -1)).toEqual([id]);
  expect(tokenizer.decode(tokenizer.encode('a<new>b'), { skipSpecialTokens: true })).toBe(isSpecial ? 'ab' : 'a<new>b');
});

test.each([
  ['tokenizer_config.json', { added_tokens_decoder: { 607: { content: '<new>' } } }, /added_tokens_decoder\.607.*602/],
  ['added_tokens.json', { '<new>': 5 }, /added_tokens\.json.*"<new>".*id 5/],
  ['tokenizer_config.json', '[]', /tokenizer_config\.json is not a JSON object/],
  ['special_tokens_map.json', '{', /special_tokens_map\.json is not JSON/],
])('rejects %s with %j', async (file, content, message) => {
  await copyFile(tokenizerFile, join(folder, 'tokenizer.json'));
  await write(file, content);
  await expect(modelTextOfFolder(folder)).rejects.toThrow(message);
});

test('reports a folder without a tokenizer', async () => {
  await expect(modelTextOfFolder(folder)).rejects.toThrow(/no tokenizer.json/);
});

test('the generation config gives defaults and further end tokens', async () => {
  expect(await generationConfigOf(folder)).toEqual({ sampling: {}, eosIds: [], maxNewTokens: null });
  await write('generation_config.json', {
    eos_token_id: [1, 2],
    temperature: 0.6,
    top_k: 20,
    do_sample: true,
    max_new_tokens: 9,
  });
  expect(await generationConfigOf(folder)).toEqual({
    sampling: { temperature: 0.6, top_k: 20 },
    eosIds: [1, 2],
    maxNewTokens: 9,
  });
});
