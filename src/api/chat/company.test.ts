import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/server.ts';
import { bad, base, chatting, invalid, path, user } from './testing/chat.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ HEDDLE_CHAT_RUNNING_MAX: '4', HEDDLE_CHAT_WAITING_MAX: '3' });
});
afterAll(() => server.close());
const { chat, choice, refusal, send, chunks } = chatting(() => server);

/** Reads a stream up to so many frames, then hangs up. */
function hangUpAfter(count: number, more: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' };
    const sent = httpRequest(server.url + path, { method: 'POST', headers }, (response) => {
      let text = '';
      response.on('data', (bytes) => {
        text += bytes;
        if (text.split('data: ').length <= count) return;
        sent.destroy();
        resolve();
      });
      response.on('error', () => {});
    });
    sent.on('error', reject).end(JSON.stringify({ ...base, ...more, stream: true }));
  });
}

describe('hanging up', () => {
  test('a client that hangs up frees its place at once [chat 163]', async () => {
    const long = { ignore_eos: true, max_tokens: 900, temperature: 1 };
    await Promise.all([0, 1, 2, 3].map(() => hangUpAfter(3, long)));
    expect((await choice({ ignore_eos: true, max_tokens: 2 })).finish_reason).toBe('length');
    const stored = async () => (await server.post('/calls/stream_query', { project_id: 'ent/default' })).lines;
    const left = async () => (await stored()).filter(({ exception }) => exception?.includes('hung up'));
    await expect.poll(async () => (await left()).length, { timeout: 10_000 }).toBe(4);
    for (const { output } of await left()) expect(output.choices[0].token_ids.length).toBeLessThan(900);
  });
});

describe('beam search', () => {
  /** Of all answers of two tokens the best, found by looking at each. */
  async function bestPairs(): Promise<number[][]> {
    const first = (await choice({ max_tokens: 1, logprobs: true, top_logprobs: 20, return_tokens_as_token_ids: true }))
      .logprobs!.content[0]!;
    const grown: { ids: number[]; score: number }[] = [];
    const idOf = (token: string) => Number(token.split(':')[1]);
    for (const { token, logprob } of first.top_logprobs) {
      const id = idOf(token);
      const more = {
        max_tokens: 2,
        logprobs: true,
        top_logprobs: 20,
        return_tokens_as_token_ids: true,
        ignore_eos: true,
      };
      const answer = await choice({ ...more, logit_bias: { [id]: 100 } });
      for (const next of answer.logprobs!.content[1]!.top_logprobs) {
        grown.push({ ids: [id, idOf(next.token)], score: logprob + next.logprob });
      }
    }
    return grown
      .toSorted((a, b) => b.score - a.score)
      .slice(0, 3)
      .map(({ ids }) => ids);
  }

  test('beam search returns the best answers, best first, at any temperature [chat 167 168]', async () => {
    const asked = { use_beam_search: true, n: 10, max_tokens: 2, ignore_eos: true, return_token_ids: true };
    const { choices } = await chat(asked);
    expect(choices).toHaveLength(10);
    expect(choices.slice(0, 3).map(({ token_ids: ids }) => ids)).toEqual(await bestPairs());
    expect((await chat({ ...asked, temperature: 1 })).choices.map(({ token_ids: ids }) => ids)).toEqual(
      choices.map(({ token_ids: ids }) => ids),
    );
  });

  test('a higher length penalty favours longer answers [chat 169]', async () => {
    const asked = { use_beam_search: true, n: 5, max_tokens: 12, return_token_ids: true };
    const lengths = async (length_penalty: number) =>
      (await chat({ ...asked, length_penalty })).choices.map(({ token_ids: ids }) => ids!.length);
    const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
    expect(sum(await lengths(8))).toBeGreaterThanOrEqual(sum(await lengths(0)));
    expect((await lengths(8))[0]).toBeGreaterThanOrEqual((await lengths(0))[0]!);
  });

  test('allows as many beams as alternatives can be reported [chat 170]', async () => {
    expect(await refusal({ use_beam_search: true, n: 11 })).toEqual(bad('n'));
  });

  test.each([
    ['stop', ['x']],
    ['min_tokens', 2],
    ['frequency_penalty', 1],
    ['response_format', { type: 'json_object' }],
    ['prompt_logprobs', 1],
  ])('rejects %s, which beams would ignore', async (field, value) => {
    expect(await refusal({ use_beam_search: true, [field]: value })).toEqual(bad(field));
  });
});

describe('the queue', () => {
  const long = { ignore_eos: true, max_tokens: 300 };

  test.each([
    ['the field', { priority: 1 }, {}],
    ['the header, which stands above the field', { priority: 9 }, { 'X-Vllm-Priority': '-1' }],
  ])('lower priority values go first, given by %s [chat 171]', async (_, more, headers: Record<string, string>) => {
    const ended: string[] = [];
    const note = (name: string) => () => void ended.push(name);
    const running = Array.from({ length: 4 }, () => chat(long));
    const late = chat({ ...long, priority: 5 }).then(note('late'));
    const early = chat({ max_tokens: 2, ...more }, headers).then(note('early'));
    await Promise.all([...running, late, early]);
    expect(ended).toEqual(['early', 'late']);
  });

  test.each(['soon', '1.5', '1e3'])('rejects the priority %s [chat 171]', async (priority) => {
    const { status, json } = await send({}, { 'X-Vllm-Priority': priority });
    expect({ status, error: json.error, detail: undefined }).toEqual(bad('priority', /X-Vllm-Priority/));
  });

  test('answers 429 when too many requests wait', async () => {
    const answers = await Promise.all(Array.from({ length: 16 }, () => send(long)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, json, headers } of refused) {
      expect(status).toBe(429);
      expect(headers.get('retry-after')).toBe('1');
      expect(json.error).toMatchObject({ type: 'RateLimitError', code: 429 });
    }
    expect((await choice()).finish_reason).toBeTruthy();
  });

  test('answers more choices than run at once', async () => {
    const { choices } = await chat({ n: 20, temperature: 1, seed: 3, return_token_ids: true });
    expect(choices.map(({ index }) => index)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    const alone = await choice({ temperature: 1, seed: 3 + 17, return_token_ids: true });
    expect(choices[17]!.token_ids).toEqual(alone.token_ids);
    expect(await chunks({ n: 5, temperature: 1 })).not.toHaveLength(0);
  });
});

describe('prompts that were computed before', () => {
  const messages = (word: string) => [user(`${word} ${'many words '.repeat(30)}`)];

  test('does not compute a known prompt again [chat 172]', async () => {
    const asked = { messages: messages('one') };
    const first = await chat(asked);
    const second = await chat(asked);
    expect(first.usage.prompt_tokens_details).toBeNull();
    expect(second.usage.prompt_tokens_details!.cached_tokens).toBe(second.usage.prompt_tokens - 1);
    expect(second.choices).toEqual(first.choices);
  });

  test('requests with different salts share no prompt [chat 173]', async () => {
    const cached = async (cache_salt?: string) =>
      (await chat({ messages: messages('two'), cache_salt })).usage.prompt_tokens_details?.cached_tokens ?? 0;
    expect([await cached('a'), await cached('b'), await cached()]).toEqual([0, 0, 0]);
    expect(await cached('a')).toBeGreaterThan(0);
    expect(await refusal({ cache_salt: '' })).toEqual(invalid('body', 'value_error'));
  });

  test('reports all logprobs of a prompt that was computed before [chat 146]', async () => {
    const asked = { messages: messages('three') };
    const { usage } = await chat(asked);
    expect((await chat({ ...asked, prompt_logprobs: 0 })).prompt_logprobs).toHaveLength(usage.prompt_tokens);
  });
});
