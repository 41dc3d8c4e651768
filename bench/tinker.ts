import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { tinyFolder } from '../e2e/tinker/skyrl.ts';
import { olderTinkerEnvironment } from '../e2e/tinker-api/environment.ts';
import { filesAt } from '../src/engine/testing/files-at.ts';
import type { Loss } from '../src/engine/training/types.ts';
import { tinkerTrainer } from '../src/training/tinker/tinker-trainer.ts';
import { quantile } from './support/load.ts';
import { report } from './support/report.ts';
import { timedSteps } from './support/training/heddle.ts';

/**
 * How many steps a minute heddle's trainer makes on SkyRL, beside the client of Tinker that trains there directly, both over
 * `heddle/tiny`: with a loss of the server, and with one that heddle computes, because what it compares with is not known in advance. `npm run bench -- tinker URL`, of a server that
 * `e2e/tinker/skyrl.sh serve assets/tiny-model PORT FOLDER` has started; the client is that of `npm test`.
 */
const url = process.argv[2] ?? '';
if (url === '') throw new Error('Name the address of SkyRL: npm run bench -- tinker http://127.0.0.1:8001');
const work = { rows: 8, length: 64, steps: 12 };
const rounds = 3;

const all = { direct: [] as number[], server: [] as number[], computed: [] as number[] };
const trainer = tinkerTrainer({
  url,
  apiKey: '',
  modelNames: new Map([['heddle/tiny', tinyFolder]]),
  isStrict: false,
  withModelFiles: filesAt(tinyFolder),
});
for (let round = 0; round <= rounds; round++) {
  const direct = stepsOfClient();
  const server = await stepsOfHeddle({ name: 'cross_entropy' });
  const computed = await stepsOfHeddle({ name: 'importance_sampling' });
  if (round === 0) continue; // warms up
  all.direct.push(...direct);
  all.server.push(...server);
  all.computed.push(...computed);
}
const perMinute = (ms: number[]) => 60_000 / quantile(ms, 0.5);
report('the client of Tinker', { 'steps/min': perMinute(all.direct) });
for (const name of ['server', 'computed'] as const) {
  const which = name === 'server' ? 'a loss of the server' : 'a loss that heddle computes';
  report(`heddle, ${which}`, {
    'steps/min': perMinute(all[name]),
    times: perMinute(all[name]) / perMinute(all.direct),
  });
}

async function stepsOfHeddle(loss: Loss): Promise<number[]> {
  const base = { id: 'tiny', name: 'heddle/tiny' };
  const model = await trainer.createModel({ base, rank: 8, alpha: 32, seed: 1, sequenceTokensMax: work.length });
  try {
    return await timedSteps(model, work, loss);
  } finally {
    await model.close();
  }
}

function stepsOfClient(): number[] {
  const script = join(import.meta.dirname, 'support/training/tinker_steps.py');
  const args = [script, tinyFolder, ...[work.rows, work.length, work.steps].map(String)];
  const env = { ...process.env, TINKER_BASE_URL: url, TINKER_API_KEY: 'tml-none', PYTHONWARNINGS: 'ignore' };
  const output = execFileSync(olderTinkerEnvironment.python, args, { env, encoding: 'utf8' });
  return JSON.parse(output.trimEnd().split('\n').at(-1)!);
}
