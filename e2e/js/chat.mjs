// Chats with the official OpenAI SDK, in the version that comes with the tracing SDK.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const OpenAI = createRequire(import.meta.resolve('weave'))('openai');

const [, , project, spaces] = process.argv;
const address = { baseURL: `${process.env.WF_TRACE_SERVER_URL}/v1`, maxRetries: 0 };
const client = new OpenAI({
  ...address,
  apiKey: process.env.WANDB_API_KEY,
  defaultHeaders: { 'X-Heddle-Project': project },
});
const asked = { model: 'heddle/tiny', messages: [{ role: 'user', content: 'Hi' }], temperature: 0, max_tokens: 8 };
const create = (more) => client.chat.completions.create({ ...asked, ...more });

const whole = await create({});
const text = whole.choices[0].message.content;

let streamed = '';
for await (const chunk of await create({ stream: true })) streamed += chunk.choices[0].delta.content ?? '';
assert.equal(streamed, text);

const helper = client.beta.chat.completions.stream({ ...asked, n: 2, temperature: 1, seed: 3 });
const final = await helper.finalChatCompletion();
assert.equal(final.choices.length, 2);

const { logprobs } = (await create({ logprobs: true, top_logprobs: 3 })).choices[0];
assert.equal(logprobs.content[0].top_logprobs.length, 3);

const parameters = { type: 'object', properties: { city: { enum: ['Paris'] } }, required: ['city'] };
const tools = [{ type: 'function', function: { name: 'weather', parameters } }];
const logit_bias = Object.fromEntries(spaces.split(',').map((id) => [id, -100]));
const held = { tools, tool_choice: 'required', parallel_tool_calls: false, max_tokens: 120, logit_bias };
const calling = client.beta.chat.completions.stream({ ...asked, ...held });
const [call] = (await calling.finalChatCompletion()).choices[0].message.tool_calls;
assert.deepEqual([call.function.name, JSON.parse(call.function.arguments)], ['weather', { city: 'Paris' }]);

// Whoever leaves a stream hangs up.
for await (const _ of await create({ stream: true, max_tokens: 900, ignore_eos: true })) break;

const errorOf = async (making) => {
  const error = await making.catch((each) => each);
  return [error.constructor.name, error.status, error.code ?? null, error.param ?? null];
};
const errors = {
  400: await errorOf(create({ n: 0 })),
  401: await errorOf(new OpenAI({ ...address, apiKey: 'wrong' }).chat.completions.create(asked)),
  404: await errorOf(create({ model: 'nope' })),
  422: await errorOf(create({ temperature: 'abc' })),
};
process.stdout.write(`${JSON.stringify({ text, errors })}\n`);
