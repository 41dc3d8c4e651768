import type { Heddle } from '../heddle.ts';
import { post, trainingEnded } from './api.ts';

/** One job of one step: from the request to `training_ended`, and how much of it the step took. */
export type ShortJob = { seconds: number; stepSeconds: number; tokens: number };

type ShortJobOptions = { baseModel: string; jobs: number; answers: number; tokensMax: number };

/** Trains a model over `baseModel` as clients of reinforcement learning do: one short job after another. */
export async function shortJobs(heddle: Heddle, options: ShortJobOptions): Promise<ShortJob[]> {
  const { baseModel, jobs } = options;
  const model = { entity: 'bench', project: 'short-jobs', name: `agent-${Date.now()}`, base_model: baseModel };
  const { id } = await post(heddle, '/v1/preview/models', model);
  const groups = await sampleGroup(heddle, options);
  const done: ShortJob[] = [];
  for (let job = 0; job < jobs; job++) done.push(await shortJob(heddle, id, groups));
  return done;
}

async function shortJob(heddle: Heddle, modelId: string, groups: object[]): Promise<ShortJob> {
  const start = performance.now();
  const body = { model_id: modelId, trajectory_groups: groups };
  const { id } = await post(heddle, '/v1/preview/training-jobs', body);
  const events = await trainingEnded(heddle, id, 50); // more often would take time from training
  const seconds = (performance.now() - start) / 1000;
  const dataOf = (wanted: string) => events.filter(({ type }) => type === wanted).map(({ data }) => data);
  const steps = dataOf('gradient_step');
  if (steps.length !== 1) throw new Error(`The job made ${steps.length} steps instead of one.`);
  const tokens = dataOf('training_started')[0].num_tokens;
  return { seconds, stepSeconds: tokens / steps[0].tokens_per_second, tokens };
}

async function sampleGroup(heddle: Heddle, { baseModel, answers, tokensMax }: ShortJobOptions): Promise<object[]> {
  const messages = [{ role: 'user', content: 'Describe a small town by the sea.' }];
  const n = answers / timesTrained;
  const options = { max_tokens: tokensMax, n, temperature: 1, logprobs: true, return_token_ids: true };
  const { choices } = await post(heddle, '/v1/chat/completions', { model: baseModel, messages, ...options });
  const trajectories = Array.from({ length: answers }, (_, i) => ({
    messages_and_choices: [...messages, choices[i % n]],
    reward: i % 3,
  }));
  return [{ trajectories }];
}

/** Sampling takes longer than training, and a step on one answer several times takes as long as one on several answers. */
const timesTrained = 4;
