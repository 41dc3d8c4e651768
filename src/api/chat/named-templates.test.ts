import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askRunning } from '../../admin/client.ts';
import { readConfig } from '../../config.ts';
import { tinyModel } from '../../engine/registry/tiny-model.ts';
import { testServer } from '../testing/server.ts';
import { bad, chatting } from './testing/chat.ts';

/** A model with several chat templates, each of which writes its name. */
const server = await testServer();
let folder: string;
const model = 'team/several';
const { prompt, refusal } = chatting(() => server);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'heddle-several-'));
  cpSync((await tinyModel()).path, folder, { recursive: true });
  writeFileSync(join(folder, 'chat_template.jinja'), 'default');
  mkdirSync(join(folder, 'additional_chat_templates'));
  for (const name of ['tool_use', 'rag']) {
    writeFileSync(join(folder, `additional_chat_templates/${name}.jinja`), `${name} {{ (tools or []) | length }}`);
  }
  const place = { kind: 'local', path: folder };
  const pulled = await askRunning(readConfig({ data: server.data }, {}), 'models.pull', {
    place,
    name: model,
  } as never);
  expect(pulled!.answer).toMatchObject({ chatTemplates: ['default', 'rag', 'tool_use'] });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
});

const tools = [{ type: 'function', function: { name: 'f' } }];

test.each([
  [{}, 'default'],
  [{ tools: [] }, 'default'],
  [{ tools, tool_choice: 'none' }, 'tool_use 1'],
  [{ chat_template: 'rag' }, 'rag 0'],
  [{ chat_template: 'rag', tools, tool_choice: 'none' }, 'rag 1'],
  [{ chat_template: 'default', tools, tool_choice: 'none' }, 'default'],
  [{ chat_template: 'my {{ messages[0].content }}' }, 'my Hi'],
])('a request with %j has the template that transformers chooses', async (more, expected) => {
  expect(await prompt({ model, ...more })).toBe(expected);
});

test('rejects the name of a template that the model does not have, and lists its own', async () => {
  const names = /chat_template names tool, and the model has default, rag, tool_use/;
  expect(await refusal({ model, chat_template: 'tool' })).toEqual(bad('chat_template', names));
});
