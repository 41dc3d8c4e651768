import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ChatMessage } from '../../chat/templates/messages.ts';
import { parseTemplate } from '../../chat/templates/render.ts';
import { readJson, readText, referenceAssets } from '../../chat/testing/reference.ts';
import { openServedText, type ServedText } from '../../chat/tokenizer/served-text.ts';
import { Tokenizer } from '../../chat/tokenizer/tokenizer.ts';
import type { TokenizerJson } from '../../chat/tokenizer/tokenizer-json.ts';
import { tinyModel } from '../../engine/registry/tiny-model.ts';
import { openConversationTokens } from './conversation-tokens.ts';

const call = (city: string): ChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'abcdefghi', type: 'function', function: { name: 'sky', arguments: `{"city": "${city}"}` } }],
});
const tools = [{ type: 'function', function: { name: 'sky', parameters: { type: 'object', properties: {} } } }];
const say = (role: string, content: string): ChatMessage => ({ role, content });
const found = (content: string): ChatMessage => ({ role: 'tool', tool_call_id: 'abcdefghi', content });

const talk = [say('system', 'S'), say('user', 'Hi'), say('assistant', 'A'), say('user', 'B'), say('assistant', '\nC')];
const plain = talk.with(-1, say('assistant', 'C'));
const calling = [
  ...[say('user', 'Sky?'), call('Rome'), found('blue'), say('assistant', 'Blue.')],
  ...[say('user', 'And?'), call(''), found('grey'), say('assistant', 'Grey.')],
];

/** The tokens that are trained, each stretch as text. */
function trainedTexts(
  text: ServedText,
  messages: ChatMessage[],
  trained = (_: ChatMessage, index: number) => index >= 0,
) {
  const { ids, isTrained } = openConversationTokens(text, new Date(0))(messages, tools, trained);
  const stretches: number[][] = [];
  for (const [index, id] of ids.entries()) {
    if (!isTrained[index]) continue;
    if (isTrained[index - 1]) stretches.at(-1)!.push(id);
    else stretches.push([id]);
  }
  return stretches.map((stretch) => text.tokenizer.decode(stretch));
}

/** A model with one of the tokenizers of the tests and a template. */
function textOf(tokenizerName: string, eos: string, chatTemplate: string): ServedText {
  const tokenizer = new Tokenizer(readJson(`tokenizers/${tokenizerName}.json`) as TokenizerJson);
  const eosId = tokenizer.idOf(eos)!;
  return {
    ...{ tokenizer, eosId, bosId: null, eosIds: [eosId], templateVariables: { bos_token: '', eos_token: eos } },
    chatTemplates: new Map([['default', chatTemplate]]),
    templates: new Map([['default', { source: chatTemplate, template: parseTemplate(chatTemplate) }]]),
    config: { sampling: {}, eosIds: [], maxNewTokens: null },
  };
}

/** Like Qwen3: the last answer gets an empty reasoning block, and earlier answers lose theirs. */
const thinking = `{%- for message in messages %}
{%- if message.role == 'assistant' %}
{{- '<|im_start|>assistant\\n' }}
{%- if loop.last %}{{- '<think>\\n' + (message.reasoning_content or '') + '\\n</think>\\n\\n' }}{% endif %}
{{- message.content.lstrip('\\n') }}
{%- for call in message.tool_calls or [] %}{{- '<tool_call>' + call.function | tojson + '</tool_call>' }}{% endfor %}
{{- '<|im_end|>\\n' }}
{%- else %}{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{% endif %}`;

/** Like Llama 3: content is trimmed, and a message with a tool call has no content. */
const trimming = `{%- for message in messages %}
{{- '<|start_header_id|>' + message.role + '<|end_header_id|>\\n\\n' }}
{%- if message.tool_calls %}{{- message.tool_calls[0].function | tojson }}{% else %}{{- message.content | trim }}{% endif %}
{{- '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}`;

/** Like Mistral: no generation prompt, tools before the last question, and strict turns. */
const moving = `{%- set users = messages | selectattr('role', 'equalto', 'user') | list %}
{%- if messages[0].role == 'assistant' %}{{ raise_exception('a user must begin') }}{% endif %}
{%- for message in messages %}
{%- if message.role == 'user' %}
{%- if message == users[-1] and tools %}{{- '[TOOLS]' + tools | tojson + '[/TOOLS]' }}{% endif %}
{{- '[INST]' + message.content + '[/INST]' }}
{%- elif message.tool_calls %}{{- '[CALLS]' + message.tool_calls[0].function | tojson + eos_token }}
{%- elif message.role == 'assistant' %}{{- message.content + eos_token }}
{%- elif message.role == 'tool' %}{{- '[RESULT]' + message.content + '[/RESULT]' }}
{%- endif %}
{%- endfor %}`;

const sky = (city: string) => `{"name": "sky", "arguments": {"city": "${city}"}}`;

test('heddle/tiny learns its answers and calls, each with the token that ends its turn [training 89]', async () => {
  const text = await openServedText((await tinyModel()).path);
  expect(trainedTexts(text, talk)).toEqual(['A<|im_end|>', '\nC<|im_end|>']);
  expect(trainedTexts(text, calling)).toEqual([
    `<tool_call>${sky('Rome')}</tool_call><|im_end|>`,
    'Blue.<|im_end|>',
    `<tool_call>${sky('')}</tool_call><|im_end|>`,
    'Grey.<|im_end|>',
  ]);
});

test('the ids before an answer are those of its prompt', async () => {
  const text = await openServedText((await tinyModel()).path);
  const { ids, isTrained } = openConversationTokens(text, new Date(0))(talk, null, (_, index) => index === 4);
  const rendered = text.templates
    .get('default')!
    .template.render({ messages: talk.slice(0, 4), tools: null, add_generation_prompt: true }, new Date(0));
  expect(ids.slice(0, isTrained.indexOf(1))).toEqual(text.tokenizer.encode(rendered));
});

test('only chosen answers are trained', async () => {
  const text = await openServedText((await tinyModel()).path);
  expect(trainedTexts(text, talk, (_, index) => index === 4)).toEqual(['\nC<|im_end|>']);
});

test("a template like Qwen3's, which trains reasoning blocks unless they are empty", () => {
  const text = textOf('qwen2', '<|im_end|>', thinking);
  expect(trainedTexts(text, plain)).toEqual(['A<|im_end|>', 'C<|im_end|>']);
  const thought = [say('user', 'Hi'), { ...say('assistant', 'A'), reasoning_content: 'hm' }];
  expect(trainedTexts(text, thought)).toEqual(['<think>\nhm\n</think>\n\nA<|im_end|>']);
  expect(trainedTexts(text, calling)[0]).toBe(`<tool_call>${sky('Rome')}</tool_call><|im_end|>`);
});

test("an answer keeps its white space with a template like Qwen3's, or is rejected", () => {
  const text = textOf('qwen2', '<|im_end|>', thinking);
  for (const content of [' A', '\tA', '  A ', 'A\n', '\u00a0A']) {
    const talked = [say('user', 'Hi'), say('assistant', content)];
    expect(trainedTexts(text, talked)).toEqual([`${content}<|im_end|>`]);
    const { ids, isTrained } = openConversationTokens(text, new Date(0))(talked, null, () => true);
    const trained = ids.filter((_, index) => isTrained[index]);
    expect(trained).toEqual(text.tokenizer.encode(`${content}<|im_end|>`));
  }
  const begun = [say('user', 'Hi'), say('assistant', '\nA')];
  expect(() => trainedTexts(text, begun)).toThrow(/^messages\.1\.content: the chat template .* removes white space/);
  const thought = [say('user', 'Hi'), say('assistant', '<think>\nhm\n</think>\n\nA')];
  expect(trainedTexts(textOf('qwen2', '<|im_end|>', trimming), thought)[0]).toContain('hm\n</think>\n\nA');
});

test('rejects an answer or a message that the template does not show', () => {
  const text = textOf('llama3', '<|eot_id|>', trimming);
  expect(() => trainedTexts(text, talk)).toThrow(/^messages\.4\.content: the chat template .* removes white space/);
  const beside = [say('user', 'Hi'), { ...call('Rome'), content: 'I look.' }];
  expect(() => trainedTexts(text, beside)).toThrow(
    /^messages\.1\.content: .* not show this answer beside its tool calls/,
  );
  expect(trainedTexts(text, [say('user', 'Hi'), { ...call('Rome'), content: '\n' }])).toHaveLength(1);
  const known = textOf(
    'qwen2',
    '<|im_end|>',
    `{% for m in messages if m.role in ['user', 'assistant'] %}{{ m.content }}<|im_end|>{% endfor %}`,
  );
  const developer = [say('developer', 'D'), say('user', 'Hi'), say('assistant', 'A')];
  expect(() => trainedTexts(known, developer)).toThrow(/^messages\.0: .* leaves out this developer message$/);
});

test("a template like Llama 3's, with trimmed content and messages with only tool calls", () => {
  const text = textOf('llama3', '<|eot_id|>', trimming);
  expect(trainedTexts(text, plain)).toEqual(['A<|eot_id|>', 'C<|eot_id|>']);
  expect(trainedTexts(text, calling)[0]).toBe(`${sky('Rome')}<|eot_id|>`);
});

test("a template like Mistral's, which adds text before the last question", () => {
  const text = textOf('sentencepiece', '</s>', moving);
  expect(trainedTexts(text, talk.slice(1))).toEqual(['A</s>', '\nC</s>']);
  expect(() => trainedTexts(text, talk)).toThrow(
    'messages.0: the chat template of this model leaves out this system message',
  );
  const calls = (city: string) => `[CALLS]${sky(city)}</s>`;
  expect(trainedTexts(text, calling)).toEqual([calls('Rome'), 'Blue.</s>', calls(''), 'Grey.</s>']);
});

test('generation marks in a template define what is trained and do not change the rendered text', () => {
  const source = `{% for message in messages %}
  {%- if message.role == 'assistant' %}
    {%- generation -%}
    {{ message.content }}!
    {%- endgeneration %}{{ eos_token }}
  {%- else %}({{ message.content }}){% endif %}
{%- endfor %}`;
  const text = textOf('smollm', '<|im_end|>', source);
  expect(trainedTexts(text, talk)).toEqual(['A!', '\nC!']);
  const { ids } = openConversationTokens(text, new Date(0))(talk, null, () => true);
  expect(text.tokenizer.decode(ids)).toBe('(S)(Hi)A!<|im_end|>(B)\nC!<|im_end|>');
});

test('trains the text with which a template ends a turn', () => {
  const text = textOf('qwen2', '<|endoftext|>', readText('templates/plain.jinja'));
  expect(trainedTexts(text, [say('user', 'Hi'), say('assistant', 'A')])).toEqual(['A</assistant>\n']);
});

test('rejects tool calls if the template does not render them', () => {
  const text = textOf('qwen2', '<|endoftext|>', readText('templates/plain.jinja'));
  expect(() => trainedTexts(text, calling)).toThrow('The chat template of this model does not show calls of tools.');
});

describe.each([
  ['qwen2_5', '<|im_end|>'],
  ['qwen3', '<|im_end|>'],
  ['llama3_2', '<|eot_id|>'],
  ['mistral_nemo', '</s>'],
])('the real template of %s', (name, eos) => {
  const file = referenceAssets(name);
  test.skipIf(!file)('shows each answer and call, and no more', () => {
    const { chat_template: chatTemplate } = JSON.parse(readFileSync(join(file!, '../tokenizer_config.json'), 'utf8'));
    const tokenizer = new Tokenizer(JSON.parse(readFileSync(file!, 'utf8')));
    const text = {
      ...textOf('qwen2', '<|im_end|>', chatTemplate),
      ...{ tokenizer, eosIds: [tokenizer.idOf(eos)!], templateVariables: { bos_token: '<s>', eos_token: eos } },
    };
    expect(trainedTexts(text, plain)).toEqual([`A${eos}`, `C${eos}`]);
    const [rome, blue, , grey] = trainedTexts(text, calling);
    expect([blue, grey]).toEqual([`Blue.${eos}`, `Grey.${eos}`]);
    expect(rome).toMatch(
      /^(<tool_call>\n|\[TOOL_CALLS\]\[)?\{"name": "sky", "(arguments|parameters)": \{"city": "Rome"\}/,
    );
    expect(rome!.split(eos)).toHaveLength(2);
  });
});
