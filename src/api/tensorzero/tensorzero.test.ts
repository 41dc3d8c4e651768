import { beforeEach, describe, expect, test } from 'vitest';
import { queryCalls } from '../testing/calls.ts';
import { providerProject } from '../testing/provider-project.ts';

const project = providerProject();

const path = (rest: string) => `/tensorzero/${project.name}/${rest}`;
const infer = (body: object) => project.server.post(path('inference'), body);
const feedback = (body: object) => project.server.post(path('feedback'), body);
const sent = () => project.stub.received.at(-1)!.body;
const hello = { messages: [{ role: 'user', content: 'Hello' }] };
const draft = (topic: unknown, system: unknown = { style: 'plain' }) => ({
  system,
  messages: [{ role: 'user', content: [{ type: 'text', arguments: { topic } }] }],
});

const weather = {
  name: 'get_weather',
  description: 'The weather of a place',
  parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
};

const settings = {
  functions: {
    draft: {
      type: 'chat',
      schemas: {
        system: { type: 'object', properties: { style: { type: 'string' } }, required: ['style'] },
        user: { type: 'object', properties: { topic: {} }, required: ['topic'] },
      },
      tools: ['weather'],
      variants: {
        one: {
          templates: { system: 'Write in a {{ style }} style.', user: 'Write about {{ topic | tojson }}.' },
          parameters: { temperature: 0.5, max_tokens: 9 },
        },
        two: { templates: { system: 'Be brief.', user: 'About: {{ topic }}' } },
      },
    },
    extract: {
      type: 'json',
      output_schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      variants: { one: { parameters: { json_mode: 'strict' } } },
    },
    bad: { type: 'chat', schemas: { system: { type: 'nonsense' } } },
    wrapped: {
      type: 'chat',
      variants: { one: { templates: { user: '<{{ user_text }}>' }, wrappers: ['user'] } },
    },
  },
  tools: { weather },
  metrics: {
    good: { type: 'boolean', level: 'inference' },
    score: { type: 'float', level: 'episode' },
  },
  models: { mine: 'custom::stub::one' },
};

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'x',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason }],
});
const usage = { choices: [], usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 } };
const says = (text: string) => ({ events: [chunk({ content: text }), chunk({}, 'stop'), usage] });
const calls = {
  events: [
    chunk({
      tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '' } }],
    }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '{"place":"Rome"}' } }] }),
    chunk({}, 'tool_calls'),
    usage,
  ],
};

beforeEach(async () => {
  await project.publishProvider(['one']);
  await project.publish('tensorzero', settings);
  const variant = (name: string) => ({ name, model: 'custom::stub::one' });
  for (const name of ['draft', 'extract', 'wrapped', 'bare', 'bad']) {
    const made = await project.server.post(`/v2/${project.name}/policies`, {
      ...{ name, variants: [variant('one'), variant('two')], incumbent: 'one' },
      traffic: { kind: 'split', shares: { one: 1, two: 0 } },
    });
    expect(made.status).toBe(200);
  }
});

async function callOf(id: string) {
  await expect
    .poll(async () => (await queryCalls(project.server, project.name)).calls.some((call: any) => call.id === id), {
      timeout: 15_000,
    })
    .toBe(true);
  return (await queryCalls(project.server, project.name)).calls.find((call: any) => call.id === id)!;
}

describe('an inference of a chat function', () => {
  test('renders the templates of its variant, and is recorded as a chat with its id and episode', async () => {
    project.stub.answers.push(says('Hi'));
    const { status, json } = await infer({ function_name: 'draft', input: draft('2.0'), tags: { user: 'u1' } });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      ...{ variant_name: 'one', content: [{ type: 'text', text: 'Hi' }], finish_reason: 'stop' },
      usage: { input_tokens: 7, output_tokens: 2 },
    });
    expect(sent()).toMatchObject({
      messages: [
        { role: 'system', content: 'Write in a plain style.' },
        { role: 'user', content: 'Write about "2.0".' },
      ],
      ...{ temperature: 0.5, max_tokens: 9 },
      tools: [{ function: { name: 'get_weather' } }],
    });
    const call = await callOf(json.inference_id);
    expect(call).toMatchObject({
      thread_id: json.episode_id,
      inputs: { model: `policy:///${project.name}/draft`, messages: [{ role: 'system' }, { role: 'user' }] },
      attributes: {
        heddle: { assignment: { variant: 'one', unit: 'thread', unit_id: json.episode_id } },
        tensorzero: { function_name: 'draft', variant_name: 'one', tags: { user: 'u1' }, input: draft('2.0') },
      },
    });
  });

  test('streams chunks that end with the usage', async () => {
    project.stub.answers.push({
      events: [chunk({ content: 'Hi' }), chunk({ content: ' there' }), chunk({}, 'stop'), usage],
    });
    const more = { stream: true, include_aggregated_response: true };
    const { text } = await infer({ function_name: 'bare', input: hello, ...more });
    const frames = text.split('\n\n').filter((each: string) => each.startsWith('data: '));
    expect(frames.at(-1)).toBe('data: [DONE]');
    const chunks = frames.slice(0, -1).map((each: string) => JSON.parse(each.slice(6)));
    const texts = chunks.flatMap(({ content }: any) => content.map((block: any) => block.text));
    expect(texts).toEqual(['Hi', ' there']);
    expect(new Set(chunks.map((each: any) => each.inference_id)).size).toBe(1);
    expect(chunks.at(-1)).toMatchObject({
      ...{ content: [], finish_reason: 'stop', usage: { input_tokens: 7, output_tokens: 2 } },
      aggregated_response: [{ type: 'text', text: 'Hi there' }],
    });
  });

  test('ends a stream that breaks with an error', async () => {
    project.stub.answers.push({ events: [chunk({ content: 'Hi' })], isCut: true });
    const { text } = await infer({ function_name: 'bare', input: hello, stream: true });
    expect(text).toMatch(/data: \{"error":".+"\}\n\ndata: \[DONE\]/);
  });

  test('reads calls of tools by their schemas, and takes them back with their results', async () => {
    project.stub.answers.push(calls);
    const { json } = await infer({
      function_name: 'draft',
      input: draft('x'),
      tool_choice: { specific: 'get_weather' },
    });
    const raw = { id: 'call_1', raw_name: 'get_weather', raw_arguments: '{"place":"Rome"}' };
    const call = { type: 'tool_call', ...raw, name: 'get_weather', arguments: { place: 'Rome' } };
    expect(json).toMatchObject({ content: [call], finish_reason: 'tool_call' });
    expect(sent().tool_choice).toEqual({ type: 'function', function: { name: 'get_weather' } });

    project.stub.answers.push(says('Sunny'));
    const result = { type: 'tool_result', name: 'get_weather', id: 'call_1', result: '21' };
    const { messages } = draft('x');
    const turn = [...messages, { role: 'assistant', content: [call] }, { role: 'user', content: [result] }];
    await infer({ function_name: 'draft', input: { ...draft('x'), messages: turn } });
    expect(sent().messages.slice(2)).toMatchObject([
      {
        role: 'assistant',
        tool_calls: [{ id: 'call_1', function: { name: 'get_weather', arguments: '{"place":"Rome"}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '21' },
    ]);
  });

  test('has no parsed arguments for a call that violates its schema, and no name for an unknown tool', async () => {
    const calling = (name: string, args: string) => ({
      events: [
        chunk({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name, arguments: args } }] }),
        chunk({}, 'tool_calls'),
      ],
    });
    project.stub.answers.push(calling('get_weather', '{}'), calling('other', '{}'));
    const first = await infer({ function_name: 'draft', input: draft('x') });
    expect(first.json.content).toMatchObject([{ name: 'get_weather', arguments: null, raw_arguments: '{}' }]);
    const second = await infer({ function_name: 'draft', input: draft('x') });
    expect(second.json.content).toMatchObject([{ name: null, arguments: null, raw_name: 'other' }]);
  });

  test('is answered by the named variant, and then not counted by the policy', async () => {
    project.stub.answers.push(says('Hi'));
    const { json } = await infer({ function_name: 'draft', input: draft('x'), variant_name: 'two' });
    expect(json.variant_name).toBe('two');
    expect(sent().messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'About: x' },
    ]);
    const call = await callOf(json.inference_id);
    expect(call.attributes.tensorzero.variant_name).toBe('two');
    expect(call.attributes.heddle.assignment.policy_id).toBeUndefined();
  });

  test('goes to the incumbent with its own templates if the assigned variant fails', async () => {
    await project.server.post(`/v2/${project.name}/policies/draft/versions`, {
      variants: ['one', 'two'].map((name) => ({ name, model: 'custom::stub::one' })),
      ...{ incumbent: 'one', traffic: { kind: 'split', shares: { one: 0, two: 1 } } },
    });
    project.stub.answers.push({ status: 500, json: { error: { message: 'down' } } }, says('Hi'));
    const { json } = await infer({ function_name: 'draft', input: draft('x') });
    expect(json.variant_name).toBe('one');
    const asked = project.stub.received.map(({ body }) => body.messages[0].content);
    expect(asked).toEqual(['Be brief.', 'Write in a plain style.']);
    const call = await callOf(json.inference_id);
    expect(call.attributes.heddle.assignment).toMatchObject({ variant: 'two', answered_by: 'one' });
    expect(call.inputs.messages[0].content).toBe('Write in a plain style.');
  });

  test('is answered again in the shadow, with the templates of the candidate', async () => {
    await project.server.post(`/v2/${project.name}/policies/draft/versions`, {
      variants: ['one', 'two'].map((name) => ({ name, model: 'custom::stub::one' })),
      ...{ incumbent: 'one', traffic: { kind: 'shadow', candidate: 'two', tokens_per_day: 1000 } },
    });
    project.stub.answers.push(says('Hi'), says('Ho'));
    const { json } = await infer({ function_name: 'draft', input: draft('x') });
    const systems = async () => {
      const { calls: all } = await queryCalls(project.server, project.name);
      return all.map((call: any) => [call.op_name, call.inputs.messages[0].content]).sort();
    };
    await expect.poll(systems, { timeout: 15_000 }).toEqual([
      ['heddle.chat.completions', 'Write in a plain style.'],
      ['heddle.shadow', 'Be brief.'],
    ]);
    expect((await callOf(json.inference_id)).attributes.tensorzero.variant_name).toBe('one');
  });

  test('wraps texts in a template that reads them, but not raw texts', async () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'raw_text', value: 'b' },
    ];
    project.stub.answers.push(says('Hi'));
    await infer({ function_name: 'wrapped', input: { messages: [{ role: 'user', content }] } });
    expect(sent().messages[0].content).toEqual([
      { type: 'text', text: '<a>' },
      { type: 'text', text: 'b' },
    ]);
  });

  test('continues an episode, prefers the parameters of the request, and records nothing in a dry run', async () => {
    project.stub.answers.push(says('1'), says('2'));
    const first = await infer({ function_name: 'draft', input: draft('x'), dryrun: true });
    const again = {
      episode_id: first.json.episode_id,
      params: { chat_completion: { temperature: 0, stop_sequences: ['.'] } },
    };
    const second = await infer({ function_name: 'draft', input: draft('x'), ...again });
    expect(second.json.episode_id).toBe(first.json.episode_id);
    expect(sent()).toMatchObject({ temperature: 0, stop: ['.'], max_tokens: 9 });
    await callOf(second.json.inference_id);
    const { calls: recorded } = await queryCalls(project.server, project.name);
    expect(recorded.map((call: any) => call.id)).toEqual([second.json.inference_id]);
  });

  test.each([
    ['an unknown function', { function_name: 'nothing', input: hello }, 404, /Unknown function: nothing/],
    ['an unknown variant', { function_name: 'bare', input: hello, variant_name: 'x' }, 404, /Unknown variant: x/],
    ['no target', { input: hello }, 400, /Exactly one of `function_name` or `model_name`/],
    ['an episode that is not a UUIDv7', { function_name: 'bare', input: hello, episode_id: 'x' }, 400, /not a UUIDv7/],
    [
      'arguments that violate their schema',
      { function_name: 'draft', input: draft('x', {}) },
      400,
      /arguments of system/,
    ],
    [
      'a schema that cannot be used',
      { function_name: 'bad', input: hello },
      400,
      /The schema of system cannot be used/,
    ],
    ['a missing template', { function_name: 'bare', input: draft('x', null) }, 400, /Template user not found/],
    ['an unknown tool', { function_name: 'bare', input: hello, allowed_tools: ['x'] }, 400, /Unknown tool: x/],
    ['a reserved tag', { function_name: 'bare', input: hello, tags: { 'tensorzero::x': 'y' } }, 400, /Tag name/],
    [
      'an unknown kind of block',
      { function_name: 'bare', input: { messages: [{ role: 'user', content: [{ type: 'unknown' }] }] } },
      400,
      /unknown are not supported/,
    ],
    [
      'a field without an equivalent',
      { function_name: 'bare', input: hello, extra_body: [{}] },
      400,
      /extra_body is not supported/,
    ],
    ['a body of another shape', { function_name: 1, input: hello }, 400, /function_name/],
  ])('rejects %s', async (_, body, status, error) => {
    const answer = await infer(body);
    expect(answer.status).toBe(status);
    expect(answer.json).toEqual({ error: expect.stringMatching(error) });
  });
});

describe('an inference of a JSON function', () => {
  const schema = settings.functions.extract.output_schema;

  test('asks for its schema, and returns what was parsed', async () => {
    project.stub.answers.push(says('{"name":"Ada"}'), says('{"name":1}'), says('no'));
    const asked = () => infer({ function_name: 'extract', input: hello });
    const { json } = await asked();
    expect(json).toMatchObject({ output: { raw: '{"name":"Ada"}', parsed: { name: 'Ada' } }, finish_reason: 'stop' });
    expect(sent().response_format).toMatchObject({ type: 'json_schema', json_schema: { schema } });
    expect((await asked()).json.output).toEqual({ raw: '{"name":1}', parsed: null });
    expect((await asked()).json.output).toEqual({ raw: 'no', parsed: null });
  });

  test('takes the schema of the request, and streams the raw text', async () => {
    project.stub.answers.push({
      events: [chunk({ content: '{"a":' }), chunk({ content: '1}' }), chunk({}, 'stop'), usage],
    });
    const output_schema = { type: 'object', properties: { a: { type: 'number' } } };
    const { text } = await infer({ function_name: 'extract', input: hello, output_schema, stream: true });
    const raws = [...text.matchAll(/"raw":"((?:[^"\\]|\\.)*)"/g)].map(([, raw]) => JSON.parse(`"${raw}"`));
    expect(raws.join('')).toBe('{"a":1}');
    expect(sent().response_format.json_schema.schema).toEqual(output_schema);
  });
});

describe('a model without a function', () => {
  test('is named as in the settings, or as heddle names it', async () => {
    project.stub.answers.push(says('1'), says('2'));
    const first = await infer({ model_name: 'mine', input: { system: 'Be kind.', ...hello } });
    expect(first.json).toMatchObject({ variant_name: 'mine', content: [{ type: 'text', text: '1' }] });
    expect(sent().messages[0]).toEqual({ role: 'system', content: 'Be kind.' });
    const second = await infer({ model_name: 'custom::stub::one', input: hello });
    expect(second.json.content).toEqual([{ type: 'text', text: '2' }]);
    const own = await infer({
      model_name: 'heddle/tiny',
      input: hello,
      params: { chat_completion: { max_tokens: 3 } },
    });
    expect(own.json.usage.output_tokens).toBe(3);
    expect((await infer({ model_name: 'no-such', input: hello })).status).toBe(404);
  });
});

describe('feedback', () => {
  const feedbackOn = async (id: string) => {
    const query = { project_id: project.name, fields: ['id', 'feedback_type', 'payload', 'weave_ref'] };
    const { json } = await project.server.post('/feedback/query', query);
    return json.result.filter(({ weave_ref }: any) => weave_ref.endsWith(id));
  };

  test('is taken at once after the answer, on the inference or on all of its episode', async () => {
    project.stub.answers.push(says('1'), says('2'));
    const { json: first } = await infer({ function_name: 'bare', input: hello });
    const good = await feedback({
      metric_name: 'good',
      value: true,
      inference_id: first.inference_id,
      tags: { by: 'Ada' },
    });
    expect(good.status).toBe(200);
    const { episode_id } = first;
    const { json: second } = await infer({ function_name: 'bare', input: hello, episode_id });
    const scored = await feedback({ metric_name: 'score', value: 0.5, episode_id });
    expect(scored.status).toBe(200);
    expect(await feedbackOn(first.inference_id)).toMatchObject([
      { id: good.json.feedback_id, feedback_type: 'good', payload: { value: true, tags: { by: 'Ada' } } },
      { feedback_type: 'score', payload: { value: 0.5 } },
    ]);
    expect(await feedbackOn(second.inference_id)).toMatchObject([{ feedback_type: 'score', payload: { value: 0.5 } }]);
  });

  test('can be a comment or a demonstration, and is not stored in a dry run', async () => {
    project.stub.answers.push(says('Hi'));
    const { inference_id, episode_id } = (await infer({ function_name: 'bare', input: hello })).json;
    await feedback({ metric_name: 'comment', value: 'nice', episode_id });
    await feedback({ metric_name: 'demonstration', value: 'Hi!', inference_id });
    await feedback({ metric_name: 'good', value: true, inference_id, dryrun: true });
    expect(await feedbackOn(inference_id)).toMatchObject([
      { feedback_type: 'comment', payload: { value: 'nice' } },
      { feedback_type: 'demonstration', payload: { value: [{ type: 'text', text: 'Hi!' }] } },
    ]);
  });

  const old = '01800000-0000-7000-8000-000000000000';
  test.each([
    ['an unknown metric', { metric_name: 'x', value: 1, inference_id: old }, 404, /Unknown metric: x/],
    ['both ids', { metric_name: 'good', value: true, inference_id: old, episode_id: old }, 400, /Both/],
    ['the id of the wrong level', { metric_name: 'score', value: 1, inference_id: old }, 400, /level "episode"/],
    ['no id', { metric_name: 'comment', value: 'x' }, 400, /Exactly one of/],
    ['a number that must be a boolean', { metric_name: 'good', value: 1, inference_id: old }, 400, /must be a boolean/],
    [
      'a boolean that must be a number',
      { metric_name: 'score', value: true, episode_id: old },
      400,
      /must be a number/,
    ],
    ['a comment that is not text', { metric_name: 'comment', value: 1, inference_id: old }, 400, /must be a string/],
    [
      'an inference that does not exist',
      { metric_name: 'good', value: true, inference_id: old },
      400,
      /does not exist/,
    ],
    ['an id that is not a UUIDv7', { metric_name: 'good', value: true, inference_id: 'x' }, 400, /not a UUIDv7/],
  ])('rejects %s', async (_, body, status, error) => {
    const answer = await feedback(body);
    expect(answer.status).toBe(status);
    expect(answer.json).toEqual({ error: expect.stringMatching(error) });
  });
});

describe('chat completions', () => {
  const chat = (body: object, at = path('openai/v1/chat/completions'), headers = {}) =>
    project.server.post(at, body, { headers });
  const model = 'tensorzero::function_name::draft';
  const messages = [
    { role: 'system', content: [{ type: 'text', 'tensorzero::arguments': { style: 'plain' } }] },
    { role: 'user', content: [{ type: 'tensorzero::template', name: 'user', arguments: { topic: 'x' } }] },
  ];

  test.each(['TensorZero', 'heddle'])('answer with functions at the path of %s', async (whose) => {
    project.stub.answers.push(says('Hi'));
    const of = whose === 'heddle' ? ['/v1/chat/completions', { 'x-heddle-project': project.name }] : [];
    const { json, status } = await chat(
      { model, messages, 'tensorzero::tags': { a: 'b' } },
      ...(of as [string, object]),
    );
    expect(status).toBe(200);
    expect(json).toMatchObject({
      model: 'tensorzero::function_name::draft::variant_name::one',
      choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }],
    });
    expect(sent().messages.map((each: any) => each.content)).toEqual(['Write in a plain style.', 'Write about "x".']);
    const call = await callOf(json.id);
    expect(call).toMatchObject({ thread_id: json.episode_id, attributes: { tensorzero: { tags: { a: 'b' } } } });
  });

  test('stream chunks with the episode, and continue it', async () => {
    project.stub.answers.push(says('Hi'), says('Hi'));
    const first = await chat({ model: 'tensorzero::model_name::mine', messages: hello.messages });
    const body = { model: 'tensorzero::model_name::mine', messages: hello.messages, stream: true };
    const { text } = await chat({
      ...{ ...body, stream_options: { include_usage: true } },
      'tensorzero::episode_id': first.json.episode_id,
    });
    const chunks = text.split('\n\n').filter((each: string) => each.startsWith('data: {'));
    const parsed = chunks.map((each: string) => JSON.parse(each.slice(6)));
    for (const each of parsed)
      expect(each).toMatchObject({ episode_id: first.json.episode_id, model: 'tensorzero::model_name::mine' });
    expect(parsed.at(-1).usage).toMatchObject({ prompt_tokens: 7 });
  });

  test('reject other models and unknown functions as OpenAI does', async () => {
    expect((await chat({ model: 'gpt', messages: hello.messages })).json.error.message).toMatch(
      /tensorzero::function_name/,
    );
    const unknown = await chat({ model: 'tensorzero::function_name::x', messages: hello.messages });
    expect([unknown.status, unknown.json.error.message]).toEqual([404, expect.stringMatching(/Unknown function: x/)]);
  });
});
