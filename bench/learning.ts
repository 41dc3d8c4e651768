import { execFileSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { artEnvironment } from '../e2e/training/environment.ts';
import { makeModelFile, modelFile } from './support/engines/model-file.ts';
import { installTransformers } from './support/engines/transformers.ts';
import { heddleSettings, startHeddle } from './support/heddle.ts';
import { report } from './support/report.ts';
import { firstTokens } from './support/training/first-token.ts';
import { type Game, type GameOptions, play } from './support/training/play.ts';

/**
 * Whether reinforcement learning learns, and how long it takes: "yes, no, maybe" through OpenPipe ART with three seeds
 * and a control at learning rate 0, and the time from `training_ended` to the first token of the new checkpoint.
 * `npm run bench -- learning [tiny|smollm2]`
 */
const only = process.argv[2];
const tiny = { baseModel: 'heddle/tiny', answers: 16, learningRate: 5e-3, steps: 6 };
const smollm2 = { baseModel: 'smollm2', answers: 8, learningRate: 1e-3, steps: 6 };

await artEnvironment.make();
report('load of the machine', { 'in the last minute': loadavg()[0]! });
const heddle = await startHeddle();
try {
  if (only === undefined || only === 'tiny') {
    for (const seed of [1, 2, 3]) await show(`heddle/tiny, seed ${seed}`, { ...tiny, seed });
    await show('heddle/tiny, learning rate 0', { ...tiny, learningRate: 0, seed: 4 });
    showTimes('heddle/tiny', await firstTokens(heddle, 'heddle/tiny', 5));
  }
  if (only === undefined || only === 'smollm2') {
    installTransformers();
    await makeModelFile();
    pull(modelFile(), 'smollm2');
    for (const seed of [1, 2, 3]) await show(`SmolLM2-135M, seed ${seed}`, { ...smollm2, seed });
    showTimes('SmolLM2-135M', await firstTokens(heddle, 'smollm2', 5));
  }
} finally {
  await heddle.stop();
  heddle.remove();
}

async function show(name: string, options: GameOptions): Promise<void> {
  const start = performance.now();
  const game = await play(heddle, `${options.baseModel.replace('/', '-')}-${options.seed}`, options);
  report(name, {
    'mean reward by step': game.rewards.map((reward) => reward.toFixed(2)).join(' '),
    seconds: (performance.now() - start) / 1000,
    's to gather a step': mean(game.seconds.map(({ gather }) => gather)),
    's to train a step': mean(game.seconds.map(({ train }) => train)),
    'mismatch at most': Math.max(...metricOf(game, 'loss/sampler_mismatch')),
    'KL at most': Math.max(...metricOf(game, 'loss/kl_div')),
  });
}

function metricOf({ trained }: Game, name: string): number[] {
  return trained.flatMap(({ metrics }) => metrics[name] ?? []);
}

function showTimes(name: string, ms: number[]): void {
  report(`${name}, from training_ended to a token`, { ms: ms.map((each) => each.toFixed(0)).join(' ') });
}

function mean(numbers: number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

function pull(file: string, name: string): void {
  const environment = { ...process.env, ...heddleSettings(heddle.data, Number(new URL(heddle.address).port)) };
  execFileSync(process.execPath, ['src/cli/entry.mjs', 'pull', file, '--name', name], {
    env: environment,
    stdio: 'inherit',
  });
}
