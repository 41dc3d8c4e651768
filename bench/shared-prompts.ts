import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { smollm2 } from '../src/engine/testing/smollm2.ts';
import { chatShot, usageOf } from './support/chats.ts';
import { pullModel, startHeddle } from './support/heddle.ts';
import { sendAll } from './support/load.ts';
import { makeDirectory } from './support/peers/server.ts';
import { report } from './support/report.ts';

/**
 * Many requests at once whose prompts begin with the same 1,000 tokens, when they may share them and when a salt of its own
 * keeps each apart: `npm run bench -- shared-prompts [--model heddle/tiny] [--requests 100]`. Another model is SmolLM2-135M,
 * which `npm run bench -- chat` fetches.
 */

const { values } = parseArgs({
  options: { model: { type: 'string', default: 'heddle/tiny' }, requests: { type: 'string', default: '100' } },
});
const requests = Number(values.requests);
const [prefixTokens, ownTokens, newTokens] = [1_000, 10, 8];

const data = makeDirectory('shared-prompts');
if (values.model !== 'heddle/tiny') await pullModel(data, smollm2.path, values.model);
const heddle = await startHeddle(data);
report('load of the machine before', { 'in the last minute': loadavg()[0]! });
await ask('the first request', 1, () => undefined);
const apart = await ask('each alone', requests, (i) => `own ${i}`);
const shared = await ask('with a shared prefix', requests, () => 'shared');
report('faster', { times: apart / shared });
report('load of the machine after', { 'in the last minute': loadavg()[0]! });
await heddle.stop();
heddle.remove();

async function ask(name: string, count: number, saltOf: (i: number) => string | undefined): Promise<number> {
  const shots = Array.from({ length: count }, (_, i) =>
    chatShot(heddle.key, '/v1/completions', {
      model: values.model,
      prompt: [...tokens(prefixTokens, 1), ...tokens(ownTokens, 2 + i)],
      max_tokens: newTokens,
      ignore_eos: true,
      temperature: 0,
      cache_salt: saltOf(i),
    }),
  );
  const { hits, seconds } = await sendAll(heddle.address, shots, count);
  const failed = hits.find(({ status }) => status !== 200);
  if (failed) throw new Error(`A request was answered with ${failed.status}: ${failed.text}`);
  const cached = hits.reduce((sum, { text }) => sum + (usageOf(text).prompt_tokens_details?.cached_tokens ?? 0), 0);
  report(`${values.model}: ${name}`, { s: seconds, 'prompt tokens computed': count * 1_010 - cached });
  return seconds;
}

/** Some tokens that look random and are the same in every run. */
function tokens(count: number, seed: number): number[] {
  return Array.from({ length: count }, (_, i) => 10 + ((i * i * 31 + i * 7 * seed + seed * 13) % 900));
}
