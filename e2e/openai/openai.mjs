// Completions and responses with the newest official SDK: whole and streamed, tools, formats, conversations, errors.
import assert from 'node:assert/strict';
import OpenAI from 'openai';

const [, , project, spaces] = process.argv;
const client = new OpenAI({
  baseURL: `${process.env.WF_TRACE_SERVER_URL}/v1`,
  apiKey: process.env.WANDB_API_KEY,
  defaultHeaders: { 'X-Heddle-Project': project },
  maxRetries: 0,
});
const model = 'heddle/tiny';
const logit_bias = Object.fromEntries(spaces.split(',').map((id) => [id, -100]));

const asked = { model, prompt: 'The sky is', max_tokens: 6, temperature: 0 };
const whole = await client.completions.create({ ...asked, logprobs: 1 });
let text = '';
for await (const chunk of await client.completions.create({ ...asked, stream: true })) text += chunk.choices[0].text;
assert.equal(text, whole.choices[0].text);
assert.equal(whole.choices[0].logprobs.tokens.join(''), text);

const embedded = await client.embeddings.create({ model, input: ['One', 'Two'] });
assert.equal(embedded.data.length, 2);
assert.ok(Math.abs(embedded.data[0].embedding.reduce((sum, each) => sum + each * each, 0) - 1) < 1e-4);

const respond = { model, input: 'Hi', max_output_tokens: 8, temperature: 0 };
const first = await client.responses.create(respond);
const stream = client.responses.stream(respond);
let streamed = '';
for await (const event of stream) if (event.type === 'response.output_text.delta') streamed += event.delta;
assert.equal(streamed, first.output_text);
assert.equal((await stream.finalResponse()).output_text, first.output_text);
const second = await client.responses.create({ ...respond, input: 'And?', previous_response_id: first.id });
const roles = [];
for await (const item of client.responses.inputItems.list(second.id, { order: 'asc', limit: 2 })) roles.push(item.role);
assert.deepEqual(roles, ['user', 'assistant', 'user']);
assert.equal((await client.responses.retrieve(first.id)).output_text, first.output_text);

const parameters = { type: 'object', properties: { city: { enum: ['Paris'] } }, required: ['city'] };
const tools = [{ type: 'function', name: 'weather', parameters, strict: true }];
const held = { tools, tool_choice: 'required', parallel_tool_calls: false, max_output_tokens: 120, logit_bias };
const [call] = (await client.responses.stream({ ...respond, ...held }).finalResponse()).output;
assert.deepEqual([call.name, JSON.parse(call.arguments)], ['weather', { city: 'Paris' }]);

await client.responses.delete(first.id);
const errorOf = async (making) => {
  const error = await making.catch((each) => each);
  assert.ok(error.error.message && error.message.includes(error.error.message), error);
  return [error.constructor.name, error.status, error.param ?? null];
};
const errors = {
  deleted: await errorOf(client.responses.retrieve(first.id)),
  hosted: await errorOf(client.responses.create({ ...respond, tools: [{ type: 'web_search' }] })),
  shape: await errorOf(client.completions.create({ ...asked, temperature: 'abc' })),
  files: await errorOf(client.files.create({ file: new File(['{}'], 'a.jsonl'), purpose: 'holiday' })),
  job: await errorOf(client.fineTuning.jobs.create({ model, training_file: 'file-x', suffix: 7 })),
  response: await errorOf(client.responses.create({ ...respond, max_output_tokens: 'many' })),
  embedding: await errorOf(client.embeddings.create({ model, input: { a: 1 } })),
  chat: await errorOf(client.chat.completions.create({ model, messages: [{ role: 'user', content: 5 }] })),
  batches: await errorOf(client.batches.list()),
  speech: await errorOf(client.audio.speech.create({ model, voice: 'alloy', input: 'Hi' })),
  moderation: await errorOf(client.moderations.create({ input: 'Hi' })),
  stored: await errorOf(client.chat.completions.list()),
};
process.stdout.write(`${JSON.stringify({ completion: text, response: streamed, errors })}\n`);
