import { loadavg } from 'node:os';
import { fetchSmollm2, smollm2, smollm2IsHere } from '../src/engine/testing/smollm2.ts';
import { chatShot, usageOf } from './support/chats.ts';
import { type Heddle, pullModel, startHeddle } from './support/heddle.ts';
import { quantile, sendAll } from './support/load.ts';
import { makeDirectory } from './support/peers/server.ts';
import { prose } from './support/prose.ts';
import { randomFrom } from './support/random.ts';
import { report } from './support/report.ts';

/**
 * What guessing tokens from the text so far (prompt lookup decoding) changes for SmolLM2-135M in Q4_1, one chat at a time:
 * answers that repeat a text of the prompt, and answers that do not. `npm run bench -- guesses`
 */

const newTokens = 120;
const rounds = 6;
const kinds = {
  'repeated text': (text: string) => `Repeat this text word by word:\n\n${text}`,
  'new text': (text: string) => `Write a story that begins with this word: ${text.split(' ')[0]}`,
};

if (!smollm2IsHere()) await fetchSmollm2('python3');
const data = makeDirectory('guesses');
await pullModel(data, smollm2.path, 'smollm2');
report('load of the machine before', { 'in the last minute': loadavg()[0]! });
for (const guessMax of [0, 16]) {
  const heddle = await startHeddle(data, { HEDDLE_CHAT_SPECULATIVE_TOKENS_MAX: String(guessMax) });
  await tokensPerSecond(heddle, 'Hi'); // opens the model
  for (const [kind, promptOf] of Object.entries(kinds)) {
    const before = await guesses(heddle);
    const rates: number[] = [];
    for (let i = 0; i < rounds; i++) rates.push(await tokensPerSecond(heddle, promptOf(prose(randomFrom(i + 1), 600))));
    const after = await guesses(heddle);
    const guessed = after.guessed - before.guessed;
    report(`${kind}, ${guessMax} tokens guessed at most`, {
      'tokens/s p50': quantile(rates, 0.5),
      best: Math.max(...rates),
      guessed,
      '% right': guessed === 0 ? 0 : (100 * (after.right - before.right)) / guessed,
    });
  }
  await heddle.stop();
}
report('load of the machine after', { 'in the last minute': loadavg()[0]! });

/** Of a whole chat, its prompt included. */
async function tokensPerSecond(heddle: Heddle, content: string): Promise<number> {
  const shot = chatShot(heddle.key, '/v1/chat/completions', {
    model: 'smollm2',
    messages: [{ role: 'user', content }],
    max_tokens: newTokens,
    ignore_eos: true,
    temperature: 0,
  });
  const { hits, seconds } = await sendAll(heddle.address, [shot], 1);
  const { status, text } = hits[0]!;
  if (status !== 200) throw new Error(`A chat was answered with ${status}: ${text}`);
  return usageOf(text).completion_tokens / seconds;
}

async function guesses({ address, key }: Heddle): Promise<{ guessed: number; right: number }> {
  const text = await (await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${key}` } })).text();
  const of = (name: string) =>
    Number(new RegExp(`^vllm:spec_decode_num_${name}_tokens_total\\{.*\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  return { guessed: of('draft'), right: of('accepted') };
}
