import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startVllmDouble, type VllmDouble } from '../../src/inference/vllm/servers/testing/vllm-double.ts';
import { adapterFolder } from '../harness/adapter-folder.ts';
import { untilReady } from './vllm-server.ts';

const url = inject('vllm');
const prompt = [1, 276, 201, 976, 2, 201, 1, 275, 201];
const messages = [{ role: 'user', content: 'Hi' }];
const streamed = { stream: true, stream_options: { include_usage: true } };
const ids = { return_token_ids: true, return_tokens_as_token_ids: true };
const lora = { lora_name: 'wire', lora_path: adapterFolder };

const requests: [name: string, path: string, body?: object | string][] = [
  ['health', '/health'],
  ['version', '/version'],
  ['models', '/v1/models'],
  ['a completion', '/v1/completions', { prompt, max_tokens: 2, temperature: 0 }],
  [
    'ids and logprobs',
    '/v1/completions',
    { prompt, max_tokens: 2, temperature: 0, logprobs: 1, prompt_logprobs: 0, ...ids },
  ],
  ['a stream', '/v1/completions', { prompt, max_tokens: 2, temperature: 0, ...streamed }],
  ['a stream of ids', '/v1/completions', { prompt, max_tokens: 2, temperature: 0, logprobs: 1, ...ids, ...streamed }],
  ['a chat', '/v1/chat/completions', { messages, max_tokens: 2, temperature: 0, logprobs: true, ...ids }],
  [
    'a stream of a chat',
    '/v1/chat/completions',
    { messages, max_tokens: 2, temperature: 0, logprobs: true, ...ids, ...streamed },
  ],
  [
    'alternatives in a chat',
    '/v1/chat/completions',
    { messages, max_tokens: 2, temperature: 0, logprobs: true, top_logprobs: 2, ...ids, ...streamed },
  ],
  ['tokens of a text', '/tokenize', { prompt: 'Hi', return_token_strs: true }],
  ['tokens of a conversation', '/tokenize', { messages }],
  ['the text of tokens', '/detokenize', { tokens: [1, 276] }],
  ['a choice', '/v1/completions', { prompt, structured_outputs: { choice: ['yes'] }, temperature: 0 }],
  ['an unknown model', '/v1/completions', { model: 'nope', prompt }],
  ['an invalid value', '/v1/completions', { prompt, temperature: -3 }],
  ['too many tokens', '/v1/completions', { prompt, max_tokens: 5000 }],
  ['a long prompt', '/v1/completions', { prompt: new Array(1030).fill(5) }],
  ['less room than was asked for', '/v1/completions', { prompt: new Array(1020).fill(5), ignore_eos: true }],
  ['an unknown path', '/v1/nope', {}],
  ['an adapter', '/v1/load_lora_adapter', lora],
  ['a loaded adapter', '/v1/load_lora_adapter', lora],
  ['the models with it', '/v1/models'],
  ['a completion of it', '/v1/completions', { model: 'wire', prompt, max_tokens: 2, temperature: 0 }],
  ['an unloaded adapter', '/v1/unload_lora_adapter', { lora_name: 'wire' }],
  ['an adapter that is not loaded', '/v1/unload_lora_adapter', { lora_name: 'wire' }],
  ['an adapter without a folder', '/v1/load_lora_adapter', { lora_name: 'gone', lora_path: '/gone' }],
  ['an adapter without a name', '/v1/load_lora_adapter', { lora_name: '', lora_path: '' }],
  ['an adapter named as the model', '/v1/load_lora_adapter', { ...lora, lora_name: 'tiny' }],
];

describe.skipIf(url === null)('the double of the wire', () => {
  let double: VllmDouble;
  beforeAll(async () => {
    await untilReady(url!);
    double = await startVllmDouble();
  });
  afterAll(() => double?.close());

  test.each(requests)('answers %s as vLLM does', async (_, path, body) => {
    const [real, played] = [await answerOf(url!, path, body), await answerOf(double.url, path, body)];
    expect(played.status).toBe(real.status);
    expect(played.type).toBe(real.type);
    const withoutNames = (words: string | null) => words?.replace(/(?<=Valid aliases: ).*/, '');
    expect(withoutNames(played.words)).toBe(withoutNames(real.words));
    for (const [place, types] of played.places) {
      expect([...real.places.keys()], `vLLM has no ${place}`).toContain(place);
      for (const type of types) expect([...real.places.get(place)!, 'null'], place).toContain(type);
    }
    // What vLLM has in addition is not read.
    for (const place of [...real.places.keys()].filter(isRead)) expect([...played.places.keys()]).toContain(place);
  });

  test('has the metrics that are read', async () => {
    for (const address of [url!, double.url]) {
      const text = await (await fetch(`${address}/metrics`)).text();
      for (const line of [/^process_start_time_seconds \S+$/m, /^vllm:num_requests_(running|waiting)\{.*\} 0\.0$/m])
        expect(text).toMatch(line);
    }
  });
});

const read =
  /token_ids|logprobs|finish_reason|stop_reason|usage\.(prompt|completion)_tokens$|\.text$|delta|index|max_model_len|root|parent|error\.(message|code)/;

function isRead(place: string): boolean {
  return read.test(place) && !/permission|message\.|top_logprobs\[\]\.|bytes/.test(place);
}

async function answerOf(address: string, path: string, body: object | string | undefined) {
  const sent = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const answer = await fetch(
    address + path,
    body === undefined ? {} : { ...sent, body: JSON.stringify({ model: 'tiny', ...(body as object) }) },
  );
  const text = await answer.text();
  const type = answer.headers.get('content-type');
  const places = new Map<string, Set<string>>();
  const events = text.split('\n\n').flatMap((event) => (event.startsWith('data: {') ? [event.slice(6)] : []));
  const values = (type?.includes('event-stream') ? events : type?.includes('json') ? [text] : []).map((each) =>
    JSON.parse(each),
  );
  for (const value of values) walk(value, '', places);
  const words = type?.includes('json') ? wordsOf(values[0]) : type === null ? text : events.length > 0 ? null : text;
  return { status: answer.status, type, places, words };
}

/** The types at each place of a value; keys that are ids are one place. */
function walk(value: unknown, place: string, places: Map<string, Set<string>>): void {
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  places.set(place, (places.get(place) ?? new Set()).add(type));
  if (Array.isArray(value)) for (const each of value) walk(each, `${place}[]`, places);
  else if (value !== null && typeof value === 'object') {
    for (const [key, each] of Object.entries(value)) {
      walk(each, `${place}.${/^(token_id:)?\d+$/.test(key) ? '*' : key}`, places);
    }
  }
}

function wordsOf(body: { error?: { message: string }; detail?: string } | undefined): string | null {
  return body?.error?.message ?? body?.detail ?? null;
}
