import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runArt } from '../harness/clients.ts';
import { type Heddle, startHeddle } from '../harness/heddle.ts';
import { testDataDirectory } from '../harness/heddle-for-file.ts';
import { artEnvironment } from '../training/environment.ts';
import { vllmEnvironment } from '../vllm/environment.ts';
import { startVllm, untilReady, type VllmProcess } from '../vllm/vllm-server.ts';
import { type SkyRl, skyRlMissing, startSkyRl, tinyFolder } from './skyrl.ts';

const named = process.env.HEDDLE_TEST_VLLM_URL;
const missing = skyRlMissing() ?? (named || vllmEnvironment.isReady() ? null : 'vLLM is not installed');

describe.skipIf(missing !== null || !artEnvironment.isReady())('OpenPipe ART, with vLLM and SkyRL', () => {
  let skyRl: SkyRl;
  let vllm: VllmProcess | null = null;
  let vllmUrl: string;
  let heddle: Heddle;
  let adapters: string;

  beforeAll(async () => {
    adapters = mkdtempSync(join(tmpdir(), 'heddle-adapters-'));
    if (!named) vllm = await startVllm();
    vllmUrl = named ?? vllm!.url;
    skyRl = await startSkyRl();
    await untilReady(vllmUrl);
    heddle = await startHeddle(testDataDirectory(), {
      HEDDLE_VLLM_URL: vllmUrl,
      HEDDLE_VLLM_MODELS: `heddle/tiny=${tinyFolder}`,
      HEDDLE_VLLM_ADAPTERS: adapters,
      HEDDLE_VLLM_PROMPT_LOGPROBS: 'false', // they end vLLM on a CPU where adapters can be loaded
      HEDDLE_TINKER_URL: skyRl.url,
      HEDDLE_TINKER_MODELS: `heddle/tiny=${tinyFolder}`,
    });
  }, 600_000);

  afterAll(async () => {
    await heddle?.close();
    await Promise.all([skyRl?.close(), vllm?.stop()]);
    rmSync(adapters, { recursive: true, force: true });
  });

  test.each([1, 2, 3])('the reward rises with the seed %d', { timeout: 900_000 }, async (seed) => {
    const project = heddle.newProject();
    const args = [heddle.url, heddle.key, project, '--steps=5', '--learning-rate=5e-3', `--seed=${seed}`];
    const expected = /train:|gather:|history\.jsonl/;
    const report = await runArt(heddle, 'yes_no_maybe.py', { args, expected, timeoutMs: 880_000 });
    expect(report.rewards[0]).toBeLessThan(0.7);
    expect(report.rewards.at(-1)).toBeGreaterThan(0.9);
    for (const { metrics } of report.trained) {
      if (metrics['data/step_num_groups_trainable'] === 0) continue; // all answers were the same
      expect(metrics['loss/sampler_mismatch']).toBeLessThan(1e-3);
    }
    // Each checkpoint but the last has answered at vLLM.
    const counters = await (await fetch(`${vllmUrl}/metrics`)).text();
    const name = project.replaceAll('/', '-');
    for (const step of [1, 2, 3, 4]) expect(counters).toMatch(new RegExp(`lora[^\\n]*${name}-agent-step${step}-`));
  });
});
