import { expect, test } from 'vitest';
import { queryCalls } from '../testing/calls.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();

const jobs = '/v1/preview/training-jobs';
const messages = [{ role: 'user', content: 'Say yes, no or maybe.' }];

async function newModel() {
  const project = await server.newProject();
  const [entity, name] = project.split('/');
  const body = { entity, project: name, name: 'agent', base_model: 'heddle/tiny' };
  const { id } = (await server.post('/v1/preview/models', body)).json;
  return { id, name: `wandb-artifact:///${project}/agent` };
}

const chat = (model: string, more: object = {}) =>
  server.post('/v1/chat/completions', { model, messages, max_tokens: 4, seed: 3, ...more });

/** Trains on samples of the model and rewards those that contain a word. */
async function train(model: { id: string; name: string }, word: string) {
  const { choices } = (await chat(model.name, { n: 32, temperature: 1 })).json;
  const trajectories = choices.map((choice: any) => ({
    messages_and_choices: [...messages, choice],
    reward: Number(choice.message.content.includes(word)),
  }));
  const config = { learning_rate: 1e-2 };
  const body = { model_id: model.id, trajectory_groups: [{ trajectories }], experimental_config: config };
  const { id } = (await server.post(jobs, body)).json;
  const events = async () => (await server.get(`${jobs}/${id}/events?limit=100`)).json.data;
  await expect.poll(async () => (await events()).at(-1)?.type, { timeout: 60_000 }).toBe('training_ended');
  return events();
}

/** The logprob of the first token of an answer. */
const firstLogprob = async (model: string) =>
  (await chat(model, { temperature: 0 })).json.choices[0].logprobs.content[0];

/** The digests of adapters that the calls of a model record, each once. */
async function adapterDigests(name: string): Promise<string[]> {
  const project = name.split('/').slice(3, 5).join('/');
  const recorded = async () => {
    const { calls } = await queryCalls(server, project);
    return [...new Set<string>(calls.flatMap((call) => call.attributes.heddle?.digests?.adapter ?? []))];
  };
  await expect.poll(async () => (await recorded()).length).toBe(1);
  return recorded();
}

test('a model is the base model until its first checkpoint, which is served as soon as it is listed [training 53 57 58 59]', async () => {
  const model = await newModel();
  const base = await chat('heddle/tiny', { logprobs: true, temperature: 0 });
  const untrained = await chat(model.name, { temperature: 0 });
  expect(untrained.json.choices[0].logprobs).toEqual(base.json.choices[0].logprobs);
  expect(await firstLogprob(`${model.name}:step0`)).toEqual(await firstLogprob(model.name));

  const before = await firstLogprob(model.name);
  const events = await train(model, 'maybe');
  const started = events.find(({ type }: any) => type === 'training_started');
  expect(started.data).toMatchObject({ num_reconstructed_tokens: 0, num_reconstructed_prompts: 0 });
  const after = await firstLogprob(model.name);
  expect(after).not.toEqual(before);
  expect(await firstLogprob(`${model.name}:step1`)).toEqual(after);
  expect(await firstLogprob(`${model.name}:latest`)).toEqual(after);
  expect(await firstLogprob(`${model.name}:v0`)).toEqual(after);
  expect(await firstLogprob(`${model.name}:step0`)).toEqual(before);
  expect(await adapterDigests(model.name)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);

  // The trainer scores what the adapter samples.
  const next = await train(model, 'maybe');
  const step = next.find(({ type }: any) => type === 'gradient_step');
  expect(step.data['loss/sampler_mismatch']).toBeLessThan(1e-4);
});

test('32 choices have their logprobs, and the usage counts all of them [training 62]', async () => {
  const model = await newModel();
  const { choices, usage } = (await chat(model.name, { n: 32, temperature: 1 })).json;
  const counts = choices.map(({ logprobs, token_ids }: any) => [logprobs.content.length, token_ids.length]);
  expect(counts).toHaveLength(32);
  for (const [logprobs, ids] of counts) expect(logprobs).toBe(ids);
  expect(usage.completion_tokens).toBe(counts.reduce((sum: number, [tokens]: number[]) => sum + tokens!, 0));
});

test('the chunks of a stream have logprobs, and every choice in its place [training 63]', async () => {
  const model = await newModel();
  const asked = { n: 3, temperature: 1, max_tokens: 12 };
  const { text } = await chat(model.name, { ...asked, stream: true });
  const chunks = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json!));
  const whole = (await chat(model.name, asked)).json.choices;
  for (const { choices } of chunks) expect(choices.map(({ index }: any) => index)).toEqual([0, 1, 2]);
  for (const { index, message, logprobs, finish_reason } of whole) {
    const parts = chunks.map(({ choices }) => choices[index]);
    expect(parts.map(({ delta }) => delta.content ?? '').join('')).toBe(message.content);
    expect(parts.flatMap((part) => part.logprobs?.content ?? [])).toEqual(logprobs.content);
    expect(parts.at(-1).finish_reason).toBe(finish_reason);
  }
});

test.runIf(process.env.TEST_LONG)('768 requests at once are all answered [training 64]', async () => {
  const model = await newModel();
  const answers = await Promise.all(Array.from({ length: 768 }, () => chat(model.name, { max_tokens: 1 })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

test('each choice has the fields that training needs besides its tokens [training 61]', async () => {
  const model = await newModel();
  const [choice] = (await chat(model.name, { top_p: 0.5 })).json.choices;
  expect(choice).toMatchObject({ sampling: { top_p: 0.5 }, call_id: expect.any(String) });
  expect(choice.prompt_token_ids.length).toBeGreaterThan(3);
  const plain = (await chat('heddle/tiny')).json.choices[0];
  expect(Object.keys(plain)).not.toContain('prompt_token_ids');
});

test.each([
  ['a model that is not there', (name: string) => name.replace('agent', 'other')],
  ['a step that has no checkpoint', (name: string) => `${name}:step9`],
  ['a version of another form', (name: string) => `${name}:best`],
  ['a project that is not there', (name: string) => name.replace(/p\d+/, 'none')],
  ['a name with too few parts', () => 'wandb-artifact:///ent/agent'],
])('a chat with %s gets 404 [training 60]', async (_, change) => {
  const { name } = await newModel();
  expect((await chat(change(name))).json).toMatchObject({ error: { code: 404 } });
});
