import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readJson, readText, referenceAssets } from '../testing/reference.ts';
import { ChatTemplate } from './jinja/template.ts';
import { parseJson } from './jinja/values.ts';
import { type ChatPrompt, parseTemplate, renderChat } from './render.ts';

type Chat = {
  messages: any[];
  tools?: any[];
  documents?: any[];
  kwargs?: Record<string, unknown>;
  options?: { add_generation_prompt?: boolean; continue_final_message?: boolean };
};
type Expected = { tokens: Record<string, string>; chats: ({ text: string } | { error: string })[] };

const now = new Date(2030, 0, 9, 15, 4, 5);
const chats = parseJson(readText('chats.json')) as Chat[];
const small = readJson('templates.small.json') as Record<string, Expected>;
const full = readJson('templates.full.json') as Record<string, Expected>;

describe.each(Object.keys(small))('the template %s', (name) => {
  const template = new ChatTemplate(readText(`templates/${name}.jinja`));
  test.each(chats.map((_, index) => index))('renders chat %i as transformers does', (index) => {
    expectAsTransformers(template, small[name]!, index);
  });
});

describe.each(Object.keys(full))('the real template %s', (name) => {
  test.skipIf(!referenceAssets(name))('renders every chat as transformers does', async () => {
    const template = new ChatTemplate(await realTemplate(name));
    for (const index of chats.keys()) expectAsTransformers(template, full[name]!, index);
  });
});

const plain = new ChatTemplate(readText('templates/plain.jinja'));
const prompt: ChatPrompt = {
  messages: [{ role: 'user', content: 'Hi' }],
  addGenerationPrompt: true,
  continueFinalMessage: false,
  templateVariables: {},
  now,
};
const refused = (param: string, message: RegExp) =>
  expect.objectContaining({ kind: 'invalidInput', extra: { param }, message: expect.stringMatching(message) });

test('rejects an empty list of messages [chat 20]', () => {
  expect(() => renderChat(plain, { ...prompt, messages: [] })).toThrow(refused('messages', /at least one/));
});

test('a text part is its text [chat 34]', () => {
  const parts = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }];
  expect(renderChat(plain, { ...prompt, messages: parts })).toBe(renderChat(plain, prompt));
});

test('joins parts with a line feed, unless the template reads parts [chat 35]', () => {
  const messages = [
    {
      role: 'user',
      content: [{ type: 'text', text: 'a' }, 'b', { type: 'refusal', refusal: 'c' }, { type: 'text', text: null }],
    },
  ];
  expect(renderChat(new ChatTemplate('{{ messages[0].content }}'), { ...prompt, messages })).toBe('a\nb\nc');
  const parts = new ChatTemplate(readText('templates/parts.jinja'));
  expect(parts.readsContentParts).toBe(true);
  expect(renderChat(parts, { ...prompt, messages })).toBe('user:abc;');
});

test('passes the role to the template unchanged [chat 37]', () => {
  expect(
    renderChat(new ChatTemplate('{{ messages[0].role }}'), {
      ...prompt,
      messages: [{ role: 'developer', content: '' }],
    }),
  ).toBe('developer');
});

test('passes the arguments of tool calls to the template as an object, numbers digit for digit [chat 38]', () => {
  const template = new ChatTemplate(
    "{{ messages[0].tool_calls[0].function.arguments | tojson }}{{ messages[0].content == '' }}",
  );
  const call = {
    id: 'a',
    type: 'function',
    function: { name: 'f', arguments: '{"x": 2.0, "y": 12345678901234567890}' },
  };
  const messages = [{ role: 'assistant', content: null, tool_calls: [call] }];
  expect(renderChat(template, { ...prompt, messages })).toBe('{"x": 2.0, "y": 12345678901234567890}True');
});

test('replaces arguments that are not JSON by an empty object [chat 39]', () => {
  const template = new ChatTemplate('{{ messages[0].tool_calls[0].function.arguments }}');
  const messages = [{ role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: 'not json' } }] }];
  expect(renderChat(template, { ...prompt, messages })).toBe('{}');
});

test('rejects parts that are not text [chat 40 41]', () => {
  const withPart = (part: unknown) => () =>
    renderChat(plain, { ...prompt, messages: [{ role: 'user', content: [part] }] });
  expect(withPart({ type: 'hologram' })).toThrow(refused('messages', /"hologram"/));
  expect(withPart({ type: 'image_url', image_url: { url: 'x' } })).toThrow(refused('messages', /text alone/));
  expect(withPart({ image_url: { url: 'x' } })).toThrow(refused('messages', /text alone/));
  expect(withPart({ x: 1 })).toThrow(refused('messages', /no type/));
});

const open = { ...prompt, addGenerationPrompt: false, continueFinalMessage: true };
const sky = (content: unknown) => [...prompt.messages, { role: 'assistant', content }];

test('an unfinished last message ends the prompt, without the spaces that a template trims [chat 43 48]', () => {
  expect(renderChat(plain, { ...open, messages: sky('The sky') })).toMatch(/The sky$/);
  expect(renderChat(plain, { ...open, messages: sky('The sky  ') })).toMatch(/The sky$/);
  expect(renderChat(new ChatTemplate('{{ messages[-1].content }}!'), { ...open, messages: sky('The sky  ') })).toBe(
    'The sky  ',
  );
});

test('an unfinished last message requires content and no generation prompt [chat 47 49]', () => {
  expect(() => renderChat(plain, { ...open, addGenerationPrompt: true })).toThrow(
    refused('continue_final_message', /add_generation_prompt/),
  );
  expect(() => renderChat(plain, { ...open, messages: sky(null) })).toThrow(refused('messages', /no content/));
  expect(() => renderChat(new ChatTemplate('x'), { ...open, messages: sky('a') })).toThrow(
    refused('messages', /does not show/),
  );
});

test('rejects a template that raises or is malformed, with its message [chat 51]', () => {
  expect(() => renderChat(new ChatTemplate("{{ raise_exception('no such role') }}"), prompt)).toThrow(
    refused('messages', /no such role/),
  );
  expect(() => parseTemplate('{% if %}')).toThrow(refused('chat_template', /cannot be read/));
});

test("passes the request's variables to the template; fields of the request take precedence [chat 53 54]", () => {
  const template = new ChatTemplate('{{ x }}{{ add_generation_prompt }}');
  expect(renderChat(template, { ...prompt, templateKwargs: { x: 'y', add_generation_prompt: false } })).toBe('yTrue');
});

test('rejects variables that choose the template [chat 55]', () => {
  expect(() => renderChat(plain, { ...prompt, templateKwargs: { chat_template: 'x' } })).toThrow(
    refused('chat_template_kwargs', /chat_template/),
  );
  expect(() => renderChat(plain, { ...prompt, templateKwargs: { tokenize: true } })).toThrow(
    refused('chat_template_kwargs', /tokenize/),
  );
});

test('passes documents to a template that reads them [chat 56]', () => {
  const template = new ChatTemplate('{% for d in documents %}{{ d.title }}: {{ d.text }}{% endfor %}');
  expect(renderChat(template, { ...prompt, documents: [{ title: 'T', text: 'x' }] })).toBe('T: x');
  expect(renderChat(plain, { ...prompt, documents: [{ title: 'T', text: 'x' }] })).toBe(renderChat(plain, prompt));
});

test('passes reasoning_effort as a variable [chat 59]', () => {
  const template = new ChatTemplate('{{ reasoning_effort }}{{ enable_thinking }}');
  expect(renderChat(template, { ...prompt, reasoningEffort: 'low' })).toBe('lowTrue');
  expect(renderChat(template, prompt)).toBe('');
});

function expectAsTransformers(template: ChatTemplate, { tokens, chats: expected }: Expected, index: number): void {
  const chat = chats[index]!;
  const wanted = expected[index]!;
  const render = () =>
    renderChat(template, {
      messages: chat.messages,
      tools: chat.tools ?? null,
      documents: chat.documents ?? null,
      addGenerationPrompt: chat.options?.add_generation_prompt ?? true,
      continueFinalMessage: chat.options?.continue_final_message ?? false,
      templateKwargs: chat.kwargs ?? null,
      templateVariables: tokens,
      now,
    });
  if ('error' in wanted) expect(render, wanted.error).toThrow();
  else expect(render(), `chat ${index}`).toBe(wanted.text);
}

async function realTemplate(name: string): Promise<string> {
  const file = referenceAssets(name)!;
  if (!file.endsWith('.gguf')) {
    return JSON.parse(readFileSync(join(file, '../tokenizer_config.json'), 'utf8')).chat_template;
  }
  const { gguf } = await import('@huggingface/gguf');
  const { metadata } = await gguf(file, { allowLocalFile: true });
  return (metadata as Record<string, unknown>)['tokenizer.chat_template'] as string;
}
