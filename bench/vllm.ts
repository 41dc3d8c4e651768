import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startVllmDouble } from '../src/inference/vllm/servers/testing/vllm-double.ts';
import { chatShot } from './support/chats.ts';
import { type Heddle, startHeddle } from './support/heddle.ts';
import { quantile, type Shot, send, sendAll } from './support/load.ts';
import { cpuSeconds } from './support/processes/cpu-time.ts';
import { report } from './support/report.ts';
import { firstTokens } from './support/training/first-token.ts';

/**
 * What heddle adds to chats at a vLLM server, traces included. `npm run bench -- vllm` asks a double of vLLM's wire whose tokens come at a
 * steady pace, one request after another. `npm run bench -- vllm URL` asks a real server that serves `heddle/tiny` under this name, as `tiny`
 * and with `--enable-lora`: 32 at once, and then the first token of models that have just been trained.
 */
const url = process.argv[2];
const tokens = 32;
const tinyFolder = join(import.meta.dirname, '../assets/tiny-model');
const requests = 200;
const common = {
  model: 'tiny',
  max_tokens: tokens,
  ignore_eos: true,
  temperature: 0,
  stream: true,
  stream_options: { include_usage: true },
};
/** What heddle makes of the chat. */
const heddlePrompt = [1, 276, 201, 976, 2, 201, 1, 275, 201];
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

if (url === undefined) await overDouble();
else await overServer(url);
agent.destroy();

async function overDouble(): Promise<void> {
  const double = await startVllmDouble();
  Object.assign(double.faults, { firstMs: 20, tokenMs: 5 });
  await withHeddle(double.url, async (heddle) => {
    const direct = directShot(heddlePrompt);
    const through = chat(heddle);
    for (const [address, shot] of [[double.url, direct] as const, [heddle.address, through] as const]) {
      await sendAll(address, Array<Shot>(20).fill(shot), 1); // warms up
    }
    const times = { direct: [] as number[], through: [] as number[] };
    const cpu = cpuSeconds(heddle.pid);
    for (let i = 0; i < requests; i++) {
      times.direct.push((await send(double.url, agent, direct)).ms);
      times.through.push((await send(heddle.address, agent, through)).ms);
    }
    const used = cpuSeconds(heddle.pid) - cpu;
    for (const [name, all] of Object.entries(times)) {
      report(name, { 'ms p50': quantile(all, 0.5), 'ms p95': quantile(all, 0.95) });
    }
    report('heddle', {
      'ms more at p50': quantile(times.through, 0.5) - quantile(times.direct, 0.5),
      'ms of processor time a request': (1000 * used) / requests,
    });
  });
  await double.close();
}

async function overServer(address: string): Promise<void> {
  await withHeddle(address, async (heddle) => {
    const rates = { direct: [] as number[], through: [] as number[] };
    for (let round = 0; round < 4; round++) {
      const direct = await rate(address, directShot(heddlePrompt));
      const through = await rate(heddle.address, chat(heddle));
      if (round === 0) continue; // warms up
      rates.direct.push(direct);
      rates.through.push(through);
    }
    const [a, b] = [quantile(rates.direct, 0.5), quantile(rates.through, 0.5)];
    report('32 at once', { 'tokens/s direct': a, 'tokens/s through heddle': b, times: b / a });
    const ms = await firstTokens(heddle, 'heddle/tiny', 6);
    report('first token after training_ended', { 'ms p50': quantile(ms, 0.5), 'ms at most': Math.max(...ms) });
  });
}

/** Tokens a second with 32 requests at once. */
async function rate(address: string, shot: Shot): Promise<number> {
  const { hits, seconds } = await sendAll(address, Array<Shot>(256).fill(shot), 32);
  const failed = hits.find(({ status }) => status !== 200);
  if (failed) throw new Error(failed.text.slice(0, 300));
  return (256 * tokens) / seconds;
}

async function withHeddle(address: string, work: (heddle: Heddle) => Promise<void>): Promise<void> {
  const adapters = mkdtempSync(join(tmpdir(), 'heddle-adapters-'));
  const heddle = await startHeddle(undefined, {
    HEDDLE_VLLM_URL: address,
    HEDDLE_VLLM_MODELS: `tiny=${tinyFolder},heddle/tiny=${tinyFolder}`,
    HEDDLE_VLLM_ADAPTERS: adapters,
    HEDDLE_VLLM_PROMPT_LOGPROBS: 'false', // they end vLLM on a CPU where adapters can be loaded
  });
  try {
    await work(heddle);
  } finally {
    await heddle.stop();
    heddle.remove();
    rmSync(adapters, { recursive: true, force: true });
  }
}

function chat(heddle: Heddle): Shot {
  const messages = [{ role: 'user', content: 'Hi' }];
  return chatShot(heddle.key, '/v1/chat/completions', { ...common, messages });
}

function directShot(prompt: number[]): Shot {
  return chatShot('', '/v1/completions', { ...common, prompt, return_token_ids: true, logprobs: 0 });
}
