import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { otlpJson, type TestSpan } from '../../otel/testing/span.ts';
import { logCalls } from '../testing/calls.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();

/** Spans as a library exported them, with their log records. */
async function sendFixture(project: string, file: string): Promise<void> {
  const whole = JSON.parse(readFileSync(new URL(`../../../testing/spans/${file}.json`, import.meta.url), 'utf8'));
  await send(project, '/otel/v1/traces', JSON.stringify(whole.spans ?? whole));
  if (whole.logs) await send(project, '/otel/v1/logs', JSON.stringify(whole.logs));
}

async function send(project: string, path: string, body: string): Promise<void> {
  const headers = { 'content-type': 'application/json', project_id: project };
  expect((await server.post(path, body, { headers })).status).toBe(200);
}

async function sendSpan(span: TestSpan): Promise<Line> {
  const project = await server.newProject();
  await send(project, '/otel/v1/traces', otlpJson([span]));
  return (await conversations(project))[0]!;
}

/** A call as an SDK sends it. */
async function sendCall(inputs: object, output: unknown): Promise<Line> {
  const project = await server.newProject();
  await logCalls(server, project, [{ inputs, output }]);
  return (await conversations(project))[0]!;
}

type Line = {
  id: string;
  name: string;
  conversation: { input: any[]; output: any[]; is_chat: boolean; tools: any[] } | null;
  media: { path: (string | number)[]; media: any }[];
  preview: { input: string; output: string };
};

async function conversations(project: string): Promise<Line[]> {
  const sort = [{ field: 'started_at', direction: 'asc' }];
  const query = { project_id: project, include_previews: true, columns: ['display_name'], sort_by: sort };
  const { lines: calls } = await server.post('/calls/stream_query', query);
  expect(calls.every(({ inputs }) => Object.keys(inputs).length === 0)).toBe(true);
  const call_ids = calls.map(({ id }) => id);
  const { status, lines } = await server.post('/calls/conversations', { project_id: project, call_ids });
  expect(status).toBe(200);
  const byId = new Map(lines.map((line) => [line.id, line]));
  return calls.map(({ id, op_name, preview }) => ({ ...byId.get(id), name: op_name, preview }));
}

/** Messages in a line each: `user: Hello`, `assistant: weather({"city":"Paris"})`. */
function shown(messages: any[]): string[] {
  return messages.map(({ role, parts }) => `${role}: ${parts.map(shownPart).join(' + ')}`);
}

function shownPart(part: any): string {
  if (part.type === 'tool_call') return `${part.name}(${JSON.stringify(part.arguments)})`;
  if (part.type === 'tool_result')
    return `→ ${typeof part.result === 'string' ? part.result : JSON.stringify(part.result)}`;
  return part.text ?? part.type;
}

const question = 'How is the weather in Paris?';
const answer = 'It is sunny in Paris.';
const called = 'assistant: weather({"city":"Paris"})';

describe('a conversation', () => {
  test.each([
    ['OpenInference', 'openinference', 'system: Be brief.'],
    ['OpenTelemetry', 'google-adk', 'system: Be brief.'],
    ['Google ADK, first schema', 'google-adk-v1', 'system: Be brief.'],
    ['Langfuse', 'langfuse', null],
    ['LangSmith', 'langsmith', null],
    ['MLflow', 'mlflow', null],
    ['OpenLLMetry', 'openllmetry', 'system: Be brief.'],
    ['Pydantic AI, events', 'pydantic-ai-v1', 'system: Be brief.'],
    ['Pydantic AI', 'pydantic-ai', 'system: Be brief.'],
    ['Vercel', 'vercel-ai', 'system: Be brief.'],
    ['Logfire with OpenAI', 'agents/logfire-openai', 'system: You tell the weather. Be brief.'],
    ['Logfire with Anthropic', 'agents/logfire-anthropic', 'system: You tell the weather. Be brief.'],
    ['Logfire with OpenAI Agents', 'agents/openai-agents-logfire', 'system: You tell the weather. Be brief.'],
    ['openai-v2, log records', 'agents/openai-v2-events', 'system: You tell the weather. Be brief.'],
    ['LangGraph', 'agents/langgraph', 'system: You tell the weather. Be brief.'],
    ['LangGraph in JavaScript', 'agents/langgraph-js', 'system: You tell the weather. Be brief.'],
    ['Strands', 'agents/strands', 'system: You tell the weather. Be brief.'],
    ['Bedrock', 'agents/bedrock', 'system: You tell the weather. Be brief.'],
  ])('is read from the spans of %s', async (_, file, system) => {
    const project = await server.newProject();
    await sendFixture(project, file);
    const calls = await conversations(project);
    const chats = calls.filter(({ conversation }) => conversation?.is_chat);
    const asked = chats.map(({ conversation }) => shown(conversation!.input));
    expect(asked.some((lines) => lines.some((line) => line.startsWith(`user: ${question}`)))).toBe(true);
    if (system !== null) expect(asked.some(([first]) => first!.startsWith(system))).toBe(true);
    const answers = chats.flatMap(({ conversation }) => shown(conversation!.output));
    expect(answers.some((line) => line.endsWith(answer))).toBe(true);
    expect(chats.some(({ preview }) => preview.input === question && preview.output.endsWith(answer))).toBe(true);
    if (system !== null) {
      expect([...asked.flat(), ...answers].some((line) => line.startsWith(called))).toBe(true);
      expect(asked.flat().filter((line) => line.startsWith('tool: → ')).length).toBeGreaterThanOrEqual(
        file === 'openllmetry' ? 0 : 1,
      );
    }
  });

  const texts = { 'input.value': 'Hello?', 'output.value': 'Hi there.' };
  const list = JSON.stringify([{ role: 'user', content: 'Hello?' }]);
  test.each<[string, Record<string, unknown>]>([
    ['input.value and output.value as text', { 'openinference.span.kind': 'LLM', ...texts }],
    [
      'input.value and output.value as a request and its answer',
      {
        'openinference.span.kind': 'LLM',
        'input.value': JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello?' }] }),
        'output.value': JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'Hi there.' } }] }),
      },
    ],
    ['Laminar', { 'lmnr.span.type': 'LLM', 'lmnr.span.input': list, 'lmnr.span.output': '"Hi there."' }],
    [
      'LiteLLM',
      {
        'llm.request.type': 'chat',
        'gen_ai.prompt.0.role': 'user',
        'gen_ai.prompt.0.content': 'Hello?',
        'gen_ai.completion.0.content': 'Hi there.',
      },
    ],
    ['plain words', { 'span.kind': 'llm', input: list, output: 'Hi there.' }],
    [
      'gen_ai.prompt of Weave',
      {
        'gen_ai.operation.name': 'chat',
        'gen_ai.prompt': list,
        'gen_ai.completion': JSON.stringify([{ role: 'assistant', content: 'Hi there.' }]),
      },
    ],
  ])('is read from %s', async (_, attributes) => {
    const { conversation, preview } = await sendSpan({ attributes });
    expect(conversation).toMatchObject({ is_chat: true });
    expect(shown(conversation!.input)).toEqual(['user: Hello?']);
    expect(shown(conversation!.output)).toEqual(['assistant: Hi there.']);
    expect(preview).toEqual({ input: 'Hello?', output: 'Hi there.' });
  });

  const user = { role: 'user', content: 'Weather?' };
  const toolCall = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } };
  test.each<[string, object, unknown]>([
    [
      'chat completions',
      {
        self: {},
        model: 'm',
        messages: [
          { role: 'developer', content: 'Be brief.' },
          user,
          { role: 'assistant', tool_calls: [toolCall] },
          { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
        ],
      },
      { choices: [{ message: { role: 'assistant', content: 'Sunny.', reasoning_content: 'Easy.' } }] },
    ],
    [
      'responses',
      {
        model: 'm',
        instructions: 'Be brief.',
        input: [
          user,
          { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":"Paris"}' },
          { type: 'function_call_output', call_id: 'c1', output: 'sunny' },
        ],
      },
      {
        output: [
          { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Easy.' }] },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Sunny.' }] },
        ],
      },
    ],
    [
      'Anthropic',
      {
        system: [{ type: 'text', text: 'Be brief.' }],
        messages: [
          user,
          { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Paris' } }] },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'sunny' }] }],
          },
        ],
      },
      {
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Easy.' },
          { type: 'text', text: 'Sunny.' },
        ],
      },
    ],
    [
      'Gemini',
      {
        model: 'm',
        config: { system_instruction: 'Be brief.' },
        contents: [
          { role: 'user', parts: [{ text: 'Weather?' }] },
          { role: 'model', parts: [{ function_call: { id: 'c1', name: 'weather', args: { city: 'Paris' } } }] },
          { role: 'user', parts: [{ function_response: { id: 'c1', name: 'weather', response: 'sunny' } }] },
        ],
      },
      { candidates: [{ content: { role: 'model', parts: [{ text: 'Easy.', thought: true }, { text: 'Sunny.' }] } }] },
    ],
    [
      'LangChain',
      {
        messages: [
          [
            lc('System', { content: 'Be brief.' }),
            lc('Human', { content: 'Weather?' }),
            lc('AI', { content: '', tool_calls: [{ id: 'c1', name: 'weather', args: { city: 'Paris' } }] }),
            lc('Tool', { content: 'sunny', tool_call_id: 'c1' }),
          ],
        ],
      },
      {
        outputs: {
          generations: [
            [
              {
                text: 'Sunny.',
                message: lc('AI', { content: 'Sunny.', additional_kwargs: { reasoning_content: 'Easy.' } }),
              },
            ],
          ],
        },
      },
    ],
    [
      'streamed pieces',
      {
        messages: [
          { role: 'system', content: 'Be brief.' },
          user,
          { role: 'assistant', tool_calls: [toolCall] },
          { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
        ],
      },
      [{ reasoning_content: 'Easy.' }, { content: 'Sun' }, { content: 'ny.' }].map((delta) => ({
        choices: [{ index: 0, delta }],
      })),
    ],
  ])('is read from calls of %s', async (_, inputs, output) => {
    const { conversation } = await sendCall(inputs, output);
    expect(shown(conversation!.input)).toEqual(['system: Be brief.', 'user: Weather?', called, 'tool: → sunny']);
    expect(conversation!.input[2].parts.at(-1)).toMatchObject({ type: 'tool_call', id: 'c1' });
    expect(conversation!.input[3].parts[0]).toMatchObject({ type: 'tool_result', id: 'c1' });
    const parts = conversation!.output.flatMap((message) => message.parts);
    expect(parts).toMatchObject([
      { type: 'reasoning', text: 'Easy.' },
      { type: 'text', text: 'Sunny.' },
    ]);
  });

  it('has every choice and each refusal', async () => {
    const choices = [
      { message: { role: 'assistant', content: 'A' } },
      { message: { role: 'assistant', content: null, refusal: 'No.' } },
    ];
    const { conversation } = await sendCall({ messages: [user] }, { choices });
    expect(conversation!.output).toMatchObject([
      { choice: 0, parts: [{ type: 'text', text: 'A' }] },
      { choice: 1, parts: [{ type: 'refusal', text: 'No.' }] },
    ]);
  });

  it('keeps the digits of numbers in arguments and results', async () => {
    const project = await server.newProject();
    const args = String.raw`{\"id\":107505301260286111,\"price\":1.0}`;
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.input.messages': `[{"role":"user","parts":[{"type":"text","content":"x"}]},{"role":"assistant","parts":[{"type":"tool_call","id":"c","name":"f","arguments":"${args}"}]}]`,
    };
    await send(project, '/otel/v1/traces', otlpJson([{ spanId: '00000000000000ab', attributes }]));
    const { text } = await server.post('/calls/conversations', { project_id: project, call_ids: ['00000000000000ab'] });
    expect(text).toContain('"arguments":{"id":107505301260286111,"price":1.0}');
  });

  const schema = { type: 'object', properties: { city: { type: 'string' } } };
  test.each<[string, object]>([
    ['OpenAI', { tools: [{ type: 'function', function: { name: 'weather', parameters: schema } }] }],
    ['responses of OpenAI', { tools: [{ type: 'function', name: 'weather', parameters: schema }] }],
    ['Anthropic', { tools: [{ name: 'weather', input_schema: schema }] }],
    ['Gemini', { config: { tools: [{ function_declarations: [{ name: 'weather', parameters: schema }] }] } }],
    ['Bedrock', { toolConfig: { tools: [{ toolSpec: { name: 'weather', inputSchema: { json: schema } } }] } }],
  ])('lists the tools of calls of %s', async (_, inputs) => {
    const { conversation } = await sendCall({ messages: [user], ...inputs }, 'Sunny.');
    expect(conversation!.tools).toEqual([{ name: 'weather', description: null, parameters: schema }]);
  });

  test.each([['openinference'], ['vercel-ai'], ['pydantic-ai'], ['agents/langgraph-js']])(
    'lists the tools of the spans of %s',
    async (file) => {
      const project = await server.newProject();
      await sendFixture(project, file);
      const tools = (await conversations(project)).flatMap(({ conversation }) => conversation?.tools ?? []);
      const weather = tools.find(({ name }) => name === 'weather');
      expect(weather.parameters.properties.city).toMatchObject({ type: 'string' });
    },
  );

  it('is not made of the arguments of a tool or of an embedding', async () => {
    expect(await sendSpan({ attributes: { 'openinference.span.kind': 'TOOL', ...texts } })).toMatchObject({
      conversation: null,
    });
    expect(await sendSpan({ attributes: { 'openinference.span.kind': 'EMBEDDING', ...texts } })).toMatchObject({
      conversation: null,
    });
    expect(await sendCall({ users: [{ role: 'admin', name: 'x' }], limit: 3 }, [1, 2])).toMatchObject({
      conversation: null,
    });
  });

  it('of payloads that are large is read in another thread', async () => {
    const { conversation, preview } = await sendCall(
      { messages: [{ role: 'user', content: 'x'.repeat(400_000) }, user] },
      'Sunny.',
    );
    expect(conversation!.input[0].parts[0].text).toHaveLength(400_000);
    expect(preview).toEqual({ input: 'Weather?', output: 'Sunny.' });
  });
});

function lc(kind: string, kwargs: object): object {
  return { lc: 1, type: 'constructor', id: ['langchain', 'schema', 'messages', `${kind}Message`], kwargs };
}

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const base64 = png.toString('base64');
const dataUrl = `data:image/png;base64,${base64}`;
const indexed = Object.fromEntries(png.entries());

describe('a picture is shown', () => {
  const vercel = (part: object) => ({
    'ai.operationId': 'ai.generateText.doGenerate',
    'ai.prompt.messages': JSON.stringify([{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, part] }]),
    'ai.response.text': 'A dot.',
  });
  const ofOpenAi = [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url: dataUrl } },
  ];
  const gemini = (data: unknown) => ({
    contents: [{ role: 'user', parts: [{ text: 'What is this?' }, { inline_data: { mime_type: 'image/png', data } }] }],
  });
  test.each<[string, Record<string, unknown>]>([
    ['from Vercel, as a data URL', vercel({ type: 'image', image: dataUrl })],
    ['from Vercel, as base64', vercel({ type: 'image', image: base64, mediaType: 'image/png' })],
    ['from Vercel, as a file', vercel({ type: 'file', data: base64, mediaType: 'image/png' })],
    ['from Vercel, as a Buffer', vercel({ type: 'image', image: { type: 'Buffer', data: [...png] } })],
    ['from Vercel, as a typed array', vercel({ type: 'file', data: indexed, mediaType: 'image/png' })],
    [
      'from input.value with image_url',
      {
        'openinference.span.kind': 'LLM',
        'input.value': JSON.stringify({ messages: [{ role: 'user', content: ofOpenAi }] }),
        'output.value': 'A dot.',
      },
    ],
    [
      "from Gemini's inline data",
      { 'gen_ai.operation.name': 'chat', 'gcp.vertex.agent.llm_request': JSON.stringify(gemini(base64)) },
    ],
    [
      "from Gemini's bytes as Python prints them",
      { 'openinference.span.kind': 'LLM', 'input.value': JSON.stringify(gemini(pythonBytes(png))) },
    ],
    [
      "from Gemini's bytes as a list of numbers",
      { 'openinference.span.kind': 'LLM', 'input.value': JSON.stringify(gemini([...png])) },
    ],
  ])('%s', async (_, attributes) => {
    const { conversation, preview } = await sendSpan({ attributes });
    const parts = conversation!.input[0].parts;
    expect(parts[0]).toEqual({ type: 'text', text: 'What is this?' });
    expect(parts[1]).toMatchObject({ type: 'image', url: dataUrl, mime_type: 'image/png', bytes: png.length });
    expect(preview.input).toBe('What is this?');
  });

  it('as its address, if it is somewhere else', async () => {
    const { conversation } = await sendSpan({
      attributes: vercel({ type: 'image', image: 'https://example.com/a.png' }),
    });
    expect(conversation!.input[0].parts[1]).toMatchObject({
      type: 'image',
      url: 'https://example.com/a.png',
      bytes: null,
    });
  });

  test.each<[string, unknown]>([
    ['a Buffer', { type: 'Buffer', data: [...png] }],
    ['a typed array', indexed],
    ['a list of numbers', [...png]],
    ['a data URL', dataUrl],
    ['base64', base64],
  ])('beside the JSON, if a function was given %s', async (_, photo) => {
    const { conversation, media } = await sendCall({ photo, size: 3 }, { ok: true });
    expect(conversation).toBeNull();
    expect(media).toMatchObject([
      { path: ['inputs', 'photo'], media: { type: 'image', url: dataUrl, bytes: png.length } },
    ]);
  });

  it("beside the JSON, if it is a file of Weave's SDK", async () => {
    const photo = { _type: 'CustomWeaveType', weave_type: { type: 'PIL.Image.Image' }, files: { 'image.png': 'abc' } };
    const { media } = await sendCall({ photo }, null);
    expect(media).toMatchObject([
      { path: ['inputs', 'photo'], media: { type: 'image', digest: 'abc', mime_type: 'image/png' } },
    ]);
  });

  it('not of numbers and texts that are no files', async () => {
    expect(
      (await sendCall({ scores: [1, 2, 3, 250], id: 'a'.repeat(64), rows: Array(40).fill(7) }, null)).media,
    ).toEqual([]);
  });
});

function pythonBytes(bytes: Buffer): string {
  const shownByte = (byte: number) =>
    byte >= 32 && byte < 127 && byte !== 39 && byte !== 92
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`;
  return `b'${[...bytes].map(shownByte).join('')}'`;
}
