import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { artEnvironment } from '../../../e2e/training/environment.ts';
import type { Heddle } from '../heddle.ts';

/** What one game through OpenPipe ART gave: an item per step. */
export type Game = {
  rewards: number[];
  seconds: { gather: number; train: number }[];
  trained: { step: number; metrics: Record<string, number> }[];
};

export type GameOptions = {
  steps: number;
  learningRate: number;
  baseModel: string;
  answers: number;
  seed: number;
};

const program = fileURLToPath(new URL('../../../e2e/training/yes_no_maybe.py', import.meta.url));

/** Plays "yes, no, maybe" with unmodified OpenPipe ART, in a project of its own. */
export async function play(heddle: Heddle, project: string, options: GameOptions): Promise<Game> {
  const { steps, learningRate, baseModel, answers, seed } = options;
  const values = { steps, 'learning-rate': learningRate, 'base-model': baseModel, answers, seed };
  const flags = Object.entries(values).map(([name, value]) => `--${name}=${value}`);
  const args = [program, heddle.address, heddle.key, `bench/${project}`, ...flags];
  const { stdout } = await promisify(execFile)(artEnvironment.python, args, {
    env: { ...process.env, WANDB_BASE_URL: heddle.address, LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
  });
  return JSON.parse(stdout.trimEnd().split('\n').at(-1)!);
}
