import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askRunning } from '../../admin/client.ts';
import { readConfig } from '../../config.ts';
import type { ResponseBody } from '../../contract/responses/response.ts';
import { tinyModel } from '../../engine/registry/tiny-model.ts';
import { testServer } from '../testing/server.ts';
import { chatting, tokenId, withoutSpaces } from './testing/chat.ts';

/** A model whose template ends in `<think>`: what a request constrains is what follows the reasoning. */
const server = await testServer();
let folder: string;
const model = 'team/thinker';
const { choice, chunks } = chatting(() => server);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'heddle-thinker-'));
  cpSync((await tinyModel()).path, folder, { recursive: true });
  const file = join(folder, 'tokenizer_config.json');
  const config = JSON.parse(readFileSync(file, 'utf8'));
  const chat_template = `${config.chat_template}{{ '<think>\n' }}{# the answer follows </think> #}`;
  writeFileSync(file, JSON.stringify({ ...config, chat_template }));
  const place = { kind: 'local', path: folder };
  await askRunning(readConfig({ data: server.data }, {}), 'models.pull', { place, name: model } as never);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
});

/** Makes the model write `</`, `think` and `>` at random where it is free, so that the reasoning ends at some time. */
const ending = {
  model,
  temperature: 2,
  seed: 7,
  logit_bias: {
    ...withoutSpaces.logit_bias,
    ...Object.fromEntries(['</', 'think', '>'].map((text) => [tokenId(text), 100])),
  },
};

const n = { type: 'object', properties: { n: { enum: [77] } }, required: ['n'], additionalProperties: false };
const tag = {
  type: 'structural_tag',
  format: { type: 'tag', begin: '[', content: { type: 'json_schema', json_schema: n }, end: ']' },
};
const parameters = { type: 'object', properties: { city: { enum: ['Paris', 'Rome'] } }, required: ['city'] };
const tools = ['weather', 'time'].map((name) => ({ type: 'function', function: { name, parameters } }));

/** The choice of a whole answer, which a stream of the same request must agree with. */
async function reasoned(more: object) {
  const asked = { ...ending, max_tokens: 800, ...more };
  const whole = await choice(asked);
  const streamed = (await chunks(asked)).flatMap(({ choices }) => choices);
  const joined = (part: (delta: (typeof streamed)[number]['delta']) => string | null | undefined) =>
    streamed.map(({ delta }) => part(delta) ?? '').join('');
  expect(joined((delta) => delta.reasoning)).toBe(whole.message.reasoning);
  expect(joined((delta) => delta.content)).toBe(whole.message.content ?? '');
  expect(streamed.at(-1)!.finish_reason).toBe(whole.finish_reason);
  const [call] = whole.message.tool_calls ?? [];
  const ofCall = (part: 'name' | 'arguments') =>
    joined(({ tool_calls }) => tool_calls?.map((each) => each.function?.[part] ?? '').join(''));
  expect({ name: ofCall('name'), arguments: ofCall('arguments') }).toEqual(
    call?.function ?? { name: '', arguments: '' },
  );
  expect(whole.message.reasoning).toMatch(/think|>|<\//);
  expect(whole.message.reasoning).not.toContain('</think>');
  return whole;
}

describe('the content follows the reasoning and satisfies', () => {
  test.each<[string, object, unknown]>([
    [
      'response_format json_schema',
      { response_format: { type: 'json_schema', json_schema: { name: 's', schema: n } } },
      { n: 77 },
    ],
    ['response_format structural_tag', { response_format: tag }, [{ n: 77 }]],
    ['structured_outputs.json', { structured_outputs: { json: n } }, { n: 77 }],
    ['structured_outputs.regex', { structured_outputs: { regex: '7{3}' } }, 777],
    ['structured_outputs.choice', { structured_outputs: { choice: ['12'] } }, 12],
    ['structured_outputs.grammar', { structured_outputs: { grammar: 'root ::= "4" "2"' } }, 42],
    ['structured_outputs.structural_tag', { structured_outputs: { structural_tag: JSON.stringify(tag) } }, [{ n: 77 }]],
  ])('%s', async (_, constraint, expected) => {
    const { message, finish_reason } = await reasoned(constraint);
    expect(finish_reason).toBe('stop');
    expect(JSON.parse(message.content!)).toEqual(expected);
  });
});

test.each([['required'], [{ type: 'function', function: { name: 'time' } }]])(
  'tool_choice %j makes a call after the reasoning',
  async (tool_choice) => {
    const { message, finish_reason } = await reasoned({ tools, tool_choice, parallel_tool_calls: false });
    expect(finish_reason).toBe('tool_calls');
    expect(message.content).toBeNull();
    const [call] = message.tool_calls!;
    expect(tool_choice === 'required' ? ['weather', 'time'] : ['time']).toContain(call!.function.name);
    expect(['Paris', 'Rome']).toContain(JSON.parse(call!.function.arguments).city);
  },
);

test('an answer that is cut inside the reasoning has neither content nor a call', async () => {
  for (const more of [{ tools, tool_choice: 'required' }, { structured_outputs: { choice: ['12'] } }]) {
    const { message, finish_reason } = await reasoned({ ...more, max_tokens: 2 });
    expect(finish_reason).toBe('length');
    expect(message).toMatchObject({ content: '' });
    expect(message.tool_calls).toBeUndefined();
  }
});

describe('/v1/responses', () => {
  const responseTools = tools.map(({ function: { name } }) => ({ type: 'function', name, parameters }));
  const asked = { ...ending, input: 'Hi', max_output_tokens: 800 };

  async function responded(more: object): Promise<ResponseBody> {
    const { status, json, text } = await server.post('/v1/responses', { ...asked, ...more });
    expect(status, text).toBe(200);
    const streamed = await server.post('/v1/responses', { ...asked, ...more, stream: true });
    const frames = streamed.text.split('\n\n').filter((each) => each !== '');
    const last = JSON.parse(/^data: (.*)$/m.exec(frames.at(-1)!)![1]!);
    expect(last.type).toBe('response.completed');
    const comparable = ({ output }: ResponseBody) => output.map(({ id: _, call_id: __, ...item }: any) => item);
    expect(comparable(last.response)).toEqual(comparable(json));
    return json;
  }

  test('has the reasoning and a text that satisfies the format', async () => {
    const format = { type: 'json_schema', name: 's', schema: n };
    const { output } = await responded({ text: { format } });
    expect(output).toMatchObject([{ type: 'reasoning' }, { type: 'message', status: 'completed' }]);
    expect(JSON.parse((output[1] as any).content[0].text)).toEqual({ n: 77 });
  });

  test('has the reasoning and a required call', async () => {
    const more = { tools: responseTools, tool_choice: 'required', parallel_tool_calls: false };
    const { output } = await responded(more);
    expect(output).toMatchObject([{ type: 'reasoning' }, { type: 'function_call', status: 'completed' }]);
    expect(['Paris', 'Rome']).toContain(JSON.parse((output[1] as any).arguments).city);
  });
});
