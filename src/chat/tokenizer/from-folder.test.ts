import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
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
  expect(text).toMatchObject({ bosId: 1, eosId: 2, chatTemplate: 'a' });
  expect(text.templateVariables).toEqual({ eos_token: '<|im_end|>', bos_token: '<|im_start|>' });
});

test('a template file takes precedence over the configuration', async () => {
  await copyFile(tokenizerFile, join(folder, 'tokenizer.json'));
  await write('tokenizer_config.json', { chat_template: 'a' });
  await write('chat_template.jinja', 'b');
  expect((await modelTextOfFolder(folder)).chatTemplate).toBe('b');
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
