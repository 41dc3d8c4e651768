// Vercel's AI SDK with its default model path, /v1/responses: text, a stream, tools over several steps, an object.
import assert from 'node:assert/strict';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai';

const [, , project, spaces] = process.argv;
const bias = Object.fromEntries(spaces.split(',').map((id) => [id, -100]));
/** Keeps the model from writing nothing but spaces, which the SDK has no option for. */
const withBias = (url, options) => {
  const body =
    options.body === undefined ? undefined : JSON.stringify({ ...JSON.parse(options.body), logit_bias: bias });
  return fetch(url, { ...options, body });
};
const provider = createOpenAI({
  baseURL: `${process.env.WF_TRACE_SERVER_URL}/v1`,
  apiKey: process.env.WANDB_API_KEY,
  headers: { 'X-Heddle-Project': project },
  fetch: withBias,
});
const model = provider('heddle/tiny');
const asked = { model, prompt: 'Hi', temperature: 0, maxOutputTokens: 8, maxRetries: 0 };

const whole = await generateText(asked);
const stream = streamText(asked);
let streamed = '';
for await (const delta of stream.textStream) streamed += delta;
assert.equal(streamed, whole.text);
assert.deepEqual(await stream.totalUsage, { ...whole.totalUsage, ...(await stream.totalUsage) });

const inputs = [];
const city = {
  type: 'object',
  properties: { city: { enum: ['Paris'] } },
  required: ['city'],
  additionalProperties: false,
};
const weather = tool({
  description: 'Tells the weather',
  inputSchema: jsonSchema(city),
  execute: async (input) => {
    inputs.push(input.city);
    return `${input.city} is sunny`;
  },
});
const prepareStep = ({ stepNumber }) => ({ toolChoice: stepNumber === 0 ? 'required' : 'none' });
const roomy = { ...asked, maxOutputTokens: 120 };
const called = await generateText({ ...roomy, tools: { weather }, prepareStep, stopWhen: stepCountIs(2) });
assert.equal(called.steps.length, 2);
assert.deepEqual(new Set(inputs), new Set(['Paris']));

const colour = jsonSchema({
  type: 'object',
  properties: { name: { enum: ['red', 'blue'] } },
  required: ['name'],
  additionalProperties: false,
});
const { output } = await generateText({ ...roomy, output: Output.object({ schema: colour }) });
assert.ok(['red', 'blue'].includes(output.name));
process.stdout.write(`${JSON.stringify({ text: streamed, steps: called.steps.length })}\n`);
