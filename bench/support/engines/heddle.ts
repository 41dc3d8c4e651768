import { Agent, request } from 'node:http';
import { benchProject, pullModel, startHeddle } from '../heddle.ts';
import { makeDirectory } from '../peers/server.ts';
import { prose } from '../prose.ts';
import { randomFrom } from '../random.ts';
import type { Engine, Question, RunningEngine } from './engine.ts';

export type RunningHeddle = RunningEngine & { address: string };

const modelName = 'smollm2';
let data: string | null = null;

/** The others compute one token at a time. */
const withoutGuesses = { HEDDLE_CHAT_SPECULATIVE_TOKENS_MAX: '0' };

/** A server on a directory into which the model was pulled, asked as its clients ask: over HTTP, streamed and traced. */
export const heddle = {
  name: 'heddle',
  async prepare(model) {
    data = makeDirectory('chat');
    await pullModel(data, model, modelName);
  },
  async start(): Promise<RunningHeddle> {
    const server = await startHeddle(data!, withoutGuesses);
    const agent = new Agent({ keepAlive: true });
    return {
      address: server.address,
      residentBytes: server.residentBytes,
      generate: (questions) => Promise.all(questions.map((question) => chat(server, agent, question))),
      stop: async () => {
        agent.destroy();
        await server.stop();
      },
    };
  },
} satisfies Engine;

/** The prompt is as long as it is to be because a longer one is cut to that. */
async function chat(server: { address: string; key: string }, agent: Agent, question: Question): Promise<number[]> {
  const { promptTokens, newTokens, prompt } = question;
  const body = {
    model: modelName,
    messages: [{ role: 'user', content: prose(randomFrom(prompt), 6 * promptTokens) }],
    truncate_prompt_tokens: promptTokens,
    max_tokens: newTokens,
    ignore_eos: true,
    temperature: 0,
    stream: true,
    stream_options: { include_usage: true },
    return_token_ids: true,
    cache_salt: String(prompt),
  };
  const startedAt = performance.now();
  const ms: number[] = [];
  let usage = null as { prompt_tokens: number; completion_tokens: number } | null;
  for await (const frame of frames(server, agent, JSON.stringify(body))) {
    usage ??= frame.usage ?? null;
    for (const _ of frame.choices[0]?.token_ids ?? []) ms.push(performance.now() - startedAt);
  }
  if (usage?.prompt_tokens !== promptTokens || usage.completion_tokens !== newTokens) {
    throw new Error(
      `${promptTokens} and ${newTokens} tokens were wanted, and these were used: ${JSON.stringify(usage)}`,
    );
  }
  return ms;
}

type Frame = {
  choices: { token_ids?: number[] | null }[];
  usage?: { prompt_tokens: number; completion_tokens: number } | null;
};

async function* frames({ address, key }: { address: string; key: string }, agent: Agent, body: string) {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${key}`,
    'x-heddle-project': benchProject,
    'content-length': Buffer.byteLength(body),
  };
  const sent = request(`${address}/v1/chat/completions`, { method: 'POST', agent, headers });
  const response = await new Promise<AsyncIterable<Buffer> & { statusCode?: number }>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject).end(body);
  });
  let text = '';
  for await (const part of response) {
    text += part.toString('latin1'); // only numbers are read
    const lines = text.split('\n\n');
    text = lines.pop()!;
    for (const line of lines) {
      // Comments keep the connection open while a chat waits.
      if (line.startsWith('data: {')) yield JSON.parse(line.slice('data: '.length)) as Frame;
    }
  }
  if (response.statusCode !== 200) throw new Error(`A chat was answered with ${response.statusCode}: ${text}`);
}
