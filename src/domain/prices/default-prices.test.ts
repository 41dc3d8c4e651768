import { describe, expect, test } from 'vitest';
import { loadDefaultPrices } from './default-prices.ts';

const { at } = await loadDefaultPrices();
const now = Date.UTC(2026, 10, 1, 12) * 1000;
const priceOf = (model: string, provider = '', time = now, input = 0, requests = 1) =>
  at({ model, provider, input, requests }, time);

test.each([
  ['gpt-4o', 'openai', 0.0000025, 0.00001],
  ['gpt-4o-2024-08-06', 'openai', 0.0000025, 0.00001],
  ['gpt-4o-mini', 'openai', 0.00000015, 0.0000006],
  ['claude-sonnet-4-20250514', 'anthropic', 0.000003, 0.000015],
  ['openai/gpt-4o', 'openai', 0.0000025, 0.00001],
  ['groq/llama-3.3-70b-versatile', 'groq', 0.00000059, 0.00000079],
  ['openai:gpt-4o', 'openai', 0.0000025, 0.00001],
  ['models/gemini-2.5-flash', 'google', 0.0000003, 0.0000025],
  ['publishers/google/models/gemini-2.5-flash', 'google', 0.0000003, 0.0000025],
  ['projects/p/locations/l/publishers/google/models/gemini-2.5-flash', 'google', 0.0000003, 0.0000025],
  ['google-gla:gemini-2.5-flash', 'google', 0.0000003, 0.0000025],
  ['claude-opus-4@20250514', 'anthropic', 0.000015, 0.000075],
  ['ft:gpt-4o-mini-2024-07-18:acme::x', 'openai', 0.0000003, 0.0000012],
  ['openai/ft:gpt-4o-mini-2024-07-18:acme::x', 'openai', 0.0000003, 0.0000012],
])('%s has the price of a token at %s', (model, providerId, prompt, completion) => {
  const price = { providerId, prompt, completion, level: 'default', promptUnit: 'USD', effectiveDate: 0 };
  expect(priceOf(model)).toMatchObject(price);
});

test.each([
  ...['', 'toy-1', 'my-gpt-4o', 'usage', `gpt-4o${'x'.repeat(1e6)}`, 'my.own-model', 'qwen3', 'gpt-oss-120b'],
  ...['ft:gpt-4-0613:acme::x', 'ft:gpt-4.1-2025-04-14:acme::x', 'openai:', 'llama3', 'openai/gpt-oss-120b'],
])('a model no rule knows has no price: %.30s', (model) => {
  expect(priceOf(model)).toBeNull();
});

/** Prices of a million tokens; null where none is known: such calls are marked. */
const pairs: [provider: string, model: string, providerId: string | null, prompt: number, completion: number | null][] =
  [
    ['openai', 'gpt-4o', 'openai', 2.5, 10],
    ['openai', 'text-embedding-3-small', 'openai', 0.02, null],
    ['openai', 'text-embedding-3-large', 'openai', 0.13, null],
    ['openai', 'text-embedding-ada-002', 'openai', 0.1, null],
    ['openai', 'text-embedding-ada-002-v2', 'openai', 0.1, null],
    ['openai.embedding', 'text-embedding-3-small', 'openai', 0.02, null],
    ['', 'text-embedding-3-small', 'openai', 0.02, null],
    ['openai.responses', 'o3-mini', 'openai', 1.1, 4.4],
    ['groq', 'openai/gpt-oss-120b', 'groq', 0.15, 0.6],
    ['', 'groq/openai/gpt-oss-120b', 'groq', 0.15, 0.6],
    ['groq.chat', 'llama-3.3-70b-versatile', 'groq', 0.59, 0.79],
    ['api.groq.com', 'llama-3.3-70b-versatile', 'groq', 0.59, 0.79],
    ['az.ai.openai', 'gpt-4o', 'azure', 2.5, 10],
    ['azure', 'gpt-4o-mini-2024-07-18', 'azure', 0.15, 0.6],
    ['azure-openai.chat', 'gpt-4o', 'azure', 2.5, 10],
    ['', 'azure/gpt-4o', 'azure', 2.5, 10],
    ['azure', 'my-deployment', null, 0, 0],
    ['aws.bedrock', 'anthropic.claude-3-5-haiku-20241022-v1:0', 'aws', 0.8, 4],
    ['aws_bedrock', 'us.anthropic.claude-3-5-haiku-20241022-v1:0', 'aws', 0.8, 4],
    ['amazon-bedrock', 'amazon.nova-lite-v1:0', 'aws', 0.06, 0.24],
    ['', 'bedrock/anthropic.claude-3-5-haiku-20241022-v1:0', 'aws', 0.8, 4],
    ['gcp.vertex_ai', 'gemini-2.5-flash', 'google', 0.3, 2.5],
    ['gcp.vertex_ai', 'claude-opus-4@20250514', 'google', 15, 75],
    ['', 'vertex_ai/gemini-2.5-flash', 'google', 0.3, 2.5],
    ['gcp.gen_ai', 'gemini-2.5-flash', 'google', 0.3, 2.5],
    ['google.generative-ai', 'gemini-2.5-flash', 'google', 0.3, 2.5],
    ['gemini', 'models/gemini-2.5-flash', 'google', 0.3, 2.5],
    ['mistral_ai', 'mistral-embed', 'mistral', 0.1, 0.1],
    ['mistralai', 'mistral-large-latest', 'mistral', 2, 6],
    ['mistral.chat', 'codestral-latest', 'mistral', 0.3, 0.9],
    ['deepseek', 'deepseek-reasoner', 'deepseek', 0.55, 2.19],
    ['x_ai', 'grok-4', 'x-ai', 3, 15],
    ['xai.chat', 'grok-3-mini', 'x-ai', 0.3, 0.5],
    ['cohere', 'command-r-plus', 'cohere', 2.5, 10],
    ['cohere.chat', 'command-a-03-2025', 'cohere', 2.5, 10],
    ['together_ai', 'meta-llama/Llama-3.3-70B-Instruct-Turbo', 'together', 0.88, 0.88],
    ['', 'together_ai/meta-llama/Llama-3.3-70B-Instruct-Turbo', 'together', 0.88, 0.88],
    ['fireworks_ai', 'accounts/fireworks/models/deepseek-v3-0324', 'fireworks', 0.9, 0.9],
    ['', 'fireworks_ai/accounts/fireworks/models/deepseek-v3-0324', 'fireworks', 0.9, 0.9],
    ['openrouter', 'openai/gpt-4o', 'openrouter', 2.5, 10],
    ['', 'openrouter/openai/gpt-4o', 'openrouter', 2.5, 10],
    ['anthropic', 'claude-sonnet-4-5-20250929', 'anthropic', 3, 15],
    ['anthropic.messages', 'claude-opus-4-0', 'anthropic', 15, 75],
    ['openai', 'anthropic/claude-sonnet-4-5', 'anthropic', 3, 15],
    ['openai', 'deepseek-chat', null, 0, 0],
    ['perplexity', 'sonar-pro', 'perplexity', 3, 15],
    ['langchain', 'gpt-4o', 'openai', 2.5, 10],
    ['strands-agents', 'gpt-4o', 'openai', 2.5, 10],
    ['ollama', 'llama3', null, 0, 0],
    ['ollama', 'deepseek-r1', null, 0, 0],
    ['openai_compatible', 'deepseek-r1', null, 0, 0],
  ];

describe('a model at a provider', () => {
  test.each(pairs)('%s, %s: %s', (provider, model, providerId, prompt, completion) => {
    const price = priceOf(model, provider);
    if (providerId === null) return expect(price).toBeNull();
    const perMillion = [price?.prompt, price?.completion].map((each) =>
      each ? Number((each * 1e6).toFixed(9)) : each,
    );
    expect([price?.providerId, ...perMillion]).toEqual([providerId, prompt, completion]);
  });
});

test('a long prompt has the price of its tier, as a whole', () => {
  expect(priceOf('gemini-2.5-pro', 'google', now, 200_000)).toMatchObject({ prompt: 0.00000125, completion: 0.00001 });
  expect(priceOf('gemini-2.5-pro', 'google', now, 200_001)).toMatchObject({ prompt: 0.0000025, completion: 0.000015 });
});

test('several prompts together cost at least what short ones do', () => {
  const ofTwo = (input: number) => priceOf('gemini-2.5-pro', 'google', now, input, 2);
  expect(ofTwo(200_001)).toMatchObject({ prompt: 0.00000125, isAtLeast: true });
  expect(ofTwo(200_000)).toMatchObject({ prompt: 0.00000125, isAtLeast: false });
});

test('a price from a date on applies from this date', () => {
  const dateOf = (time: number) => priceOf('o3', 'openai', time)?.effectiveDate;
  expect(dateOf(Date.UTC(2025, 5, 9) * 1000)).toBe(0);
  expect(dateOf(Date.UTC(2025, 5, 10) * 1000)).toBe(Date.UTC(2025, 5, 10) * 1000);
});

test('prices of certain hours apply in these', () => {
  const promptAt = (hour: number, minute: number) =>
    priceOf('deepseek-chat', 'deepseek', Date.UTC(2025, 5, 1, hour, minute) * 1000)?.prompt;
  expect([promptAt(0, 29), promptAt(0, 30), promptAt(16, 29), promptAt(16, 30)]).toEqual([
    ...[0.000000135, 0.00000027, 0.00000027, 0.000000135],
  ]);
});

test('cached tokens without a price of their own cost what others do', () => {
  const prices = { prompt: 0.000002, cacheRead: 0.000002, cacheCreation: 0.000002 };
  expect(priceOf('mistral-large-latest', 'mistral')).toMatchObject(prices);
  expect(priceOf('gpt-4o')).toMatchObject({ cacheRead: 0.00000125, cacheCreation: 0.0000025 });
});

test('parts of the tokens have their own prices', () => {
  expect(priceOf('gpt-realtime', 'openai')?.ofParts).toMatchObject({ input_audio: 0.000032, output_audio: 0.000064 });
  expect(priceOf('claude-sonnet-4-5', 'anthropic')).toMatchObject({
    ...{ cacheCreation: 0.00000375, ofParts: { cache_creation_1h: 0.000006 } },
  });
  expect(priceOf('sonar-pro', 'perplexity')?.request).toBe(0.014);
});
