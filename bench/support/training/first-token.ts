import type { Heddle } from '../heddle.ts';
import { post, request, trainingEnded } from './api.ts';

/**
 * Trains a model over `baseModel` several times and asks for a token of each checkpoint as soon as its `training_ended`
 * can be read. @returns milliseconds from the response with the event to the first token
 */
export async function firstTokens(heddle: Heddle, baseModel: string, jobs: number): Promise<number[]> {
  const model = await post(heddle, '/v1/preview/models', {
    entity: 'bench',
    project: 'first-token',
    name: `agent-${Date.now()}`,
    base_model: baseModel,
  });
  const ms: number[] = [];
  for (let job = 0; job < jobs; job++) {
    const groups = await sampleGroups(heddle, baseModel);
    const { id } = await post(heddle, '/v1/preview/training-jobs', { model_id: model.id, trajectory_groups: groups });
    await trainingEnded(heddle, id);
    const start = performance.now();
    await firstToken(heddle, `wandb-artifact:///bench/first-token/${model.name}`);
    ms.push(performance.now() - start);
  }
  return ms;
}

async function sampleGroups(heddle: Heddle, model: string): Promise<object[]> {
  const messages = [{ role: 'user', content: 'Say yes, no or maybe.' }];
  const options = { max_tokens: 4, n: 4, temperature: 1, logprobs: true, return_token_ids: true };
  const { choices } = await post(heddle, '/v1/chat/completions', { model, messages, ...options });
  const trajectories = choices.map((choice: object, i: number) => ({
    messages_and_choices: [...messages, choice],
    reward: i % 2,
  }));
  return [{ trajectories }];
}

async function firstToken(heddle: Heddle, model: string): Promise<void> {
  const messages = [{ role: 'user', content: 'Say maybe, no or yes.' }];
  const response = await request(heddle, '/v1/chat/completions', { model, messages, max_tokens: 1, stream: true });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; !/"content":"[^"]/.test(text); ) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`There was no token: ${text}`);
    text += value;
  }
  await reader.cancel();
}
