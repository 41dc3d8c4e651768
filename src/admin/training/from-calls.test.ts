import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, logCalls, queryCalls } from '../../api/testing/calls.ts';
import { addFeedback, callRef } from '../../api/testing/feedback.ts';
import { startTestServer, type TestServer } from '../../api/testing/server.ts';
import type { Config } from '../../config.ts';
import { askRunning } from '../client.ts';
import type { Params } from '../operations.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

type Fields = Record<string, unknown>;
const question = [{ role: 'user', content: 'Say yes, no or maybe.' }];

/** A chat as the chat endpoint records it, with its sampled tokens. */
function chat(more: { ids?: number[]; id?: string; inputs?: Fields; choice?: Fields; call?: Fields } = {}) {
  const { ids = [40, 41, 42], id, inputs, choice, call } = more;
  const content = ids.map((token) => ({ token: `token_id:${token}`, bytes: null, logprob: -1, top_logprobs: [] }));
  const answer = { message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop', token_ids: ids };
  return {
    op_name: 'heddle.chat.completions',
    inputs: { model: 'heddle/tiny', messages: question, ...inputs },
    output: { id, prompt_token_ids: [5, 6, 7], choices: [{ ...answer, logprobs: { content }, ...choice }] },
    ...call,
  };
}

async function scored(project: string, calls: Fields[], scores: unknown[]): Promise<string[]> {
  const ids = await logCalls(
    server,
    project,
    calls.map((call, i) => ({ started_at: at(i), ...call })),
  );
  for (const [i, score] of scores.entries()) if (score !== undefined) await scoreOne(project, ids[i]!, score);
  return ids;
}

async function scoreOne(project: string, id: string, output: unknown): Promise<void> {
  const runnable_ref = `weave:///${project}/object/good:${'a'.repeat(43)}`;
  const feedback = { feedback_type: 'wandb.runnable.good', payload: { output }, runnable_ref };
  await addFeedback(server, project, { weave_ref: callRef(project, id), ...feedback });
}

async function preview(project: string, more: Partial<Params<'train.preview'>> = {}) {
  const wanted = { project, model: 'agent', base: null, config: {}, from: 'op_name~chat', reward: 'good' };
  const params = { ...wanted, groupBy: 'prompt', limit: 100, ...more };
  return (await askRunning({ data: server.data } as Config, 'train.preview', params))!.answer;
}

async function start(project: string, chosen: Params<'train.start'>['chosen']) {
  const params = { project, model: 'agent', base: 'heddle/tiny', config: { learning_rate: 1e-3 }, chosen };
  return (await askRunning({ data: server.data } as Config, 'train.start', params))!.answer;
}

describe('a preview', () => {
  test('groups chats by their prompts, and counts tokens and advantages', async () => {
    const project = await server.newProject();
    const other = { messages: [{ role: 'user', content: 'Again.' }] };
    const calls = [chat(), chat({ ids: [43] }), chat(), chat({ inputs: other }), chat({ inputs: other })];
    await scored(project, calls, [1, 0, true, 0.5, 0.5]);
    const found = await preview(project);
    expect(found).toMatchObject({
      ...{ model: `${project}/agent`, base: 'heddle/tiny', step: 0, matched: 5, read: 5, skipped: [] },
      ...{ groups: 2, trajectories: 5, calls: 5, withoutSpread: { single: 0, equal: 1 }, steps: 1, warnings: [] },
      rewards: { min: 0, mean: 0.6, max: 1 },
      tokens: { trained: 7, exact: 7, reconstructed: 0, promptsReconstructed: 0 },
    });
    expect(found.tokens.masked).toBeGreaterThan(0);
    expect(found.advantages.min).toBeCloseTo(-Math.SQRT2, 3);
    expect(found.advantages.max).toBeCloseTo(Math.SQRT1_2, 3);
    expect(found.chosen.map((group) => group.map(({ reward }) => reward))).toEqual([
      [1, 0, 1],
      [0.5, 0.5],
    ]);
    const byAll = await preview(project, { groupBy: 'all' });
    expect(byAll).toMatchObject({ groups: 1, withoutSpread: { single: 0, equal: 0 } });
    expect(await preview(project, { groupBy: 'inputs.model', limit: 2 })).toMatchObject({ read: 2, trajectories: 2 });
  });

  test('reports why calls are skipped', async () => {
    const project = await server.newProject();
    const several = chat();
    several.output.choices.push(several.output.choices[0]!);
    const calls = [
      chat({ id: 'same' }),
      chat({ id: 'same' }),
      several,
      chat({ call: { exception: 'boom' } }),
      { op_name: 'chat.no', inputs: {}, output: 'x' },
      { op_name: 'chat.no', inputs: { messages: question }, output: null },
      chat({ inputs: { model: 'gpt-5' } }),
      chat({ choice: { logprobs: null } }),
      chat(),
      chat(),
      chat({ choice: { finish_reason: 'abort' } }),
    ];
    const good = calls.map((_, i) => (i === 8 ? undefined : i === 9 ? { passed: true } : 1));
    await scored(project, calls, good);
    const { skipped, calls: count } = await preview(project);
    expect(count).toBe(1);
    expect(Object.fromEntries(skipped.map(({ reason, count }) => [reason, count]))).toEqual({
      'another call has the same answer': 1,
      'it has several choices, and nothing says which one counts': 1,
      'it failed': 1,
      'it is not a chat: its inputs have no messages': 1,
      'it is not a chat: its output has no answer': 1,
      'its answer has no logprobs of the model to train': 2,
      'it has no reward good': 1,
      'the reward is an object: select one of its fields, such as good.passed': 1,
      'its answer was cut off': 1,
    });
    expect(await preview(project, { groupBy: 'thread_id' })).toMatchObject({ groups: 0 });
  });

  test('tokenizes the answers of other models if allowed', async () => {
    const project = await server.newProject();
    const talk = [...question, { role: 'assistant', content: 'maybe '.repeat(50) }, { role: 'user', content: 'Sure?' }];
    const openai = (content: string) => ({
      op_name: 'openai.chat.completions.create',
      inputs: { model: 'gpt-5', messages: talk },
      output: { choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop', token_ids: [999_999] }] },
    });
    const span = (content: string) => ({
      op_name: 'chat gpt-5',
      inputs: { 'gen_ai.input.messages': talk },
      output: { 'gen_ai.output.messages': [{ role: 'assistant', content }] },
    });
    await scored(project, [openai('yes'), openai('no'), span('yes'), span('no')], [1, 0, 1, 0]);
    expect(await preview(project)).toMatchObject({ calls: 0, steps: 0 });
    const config = { allow_training_without_logprobs: true };
    const { tokens, calls } = await preview(project, { config });
    expect(calls).toBe(4);
    expect(tokens).toMatchObject({ exact: 0, promptsReconstructed: 4 });
    expect(tokens.reconstructed).toBe(tokens.trained);
    expect(tokens.trained).toBeLessThan(50); // the answer before is context
  });

  test('finds the tokens of a call of an SDK in the call that heddle recorded for its answer', async () => {
    const project = await server.newProject();
    const sdk = (id: string) => ({
      ...chat({ id, choice: { logprobs: null, token_ids: null } }),
      op_name: 'openai.chat',
    });
    const recorded = [chat({ id: 'a' }), chat({ id: 'b', ids: [43] })];
    const ids = await scored(project, [...recorded, sdk('a'), sdk('b'), sdk('c')], [undefined, undefined, 1, 0, 1]);
    const { chosen, tokens, skipped } = await preview(project, { from: 'op_name:openai.chat' });
    expect(chosen).toEqual([
      [
        { callIds: [ids[0]], reward: 1 },
        { callIds: [ids[1]], reward: 0 },
      ],
    ]);
    expect(tokens).toMatchObject({ trained: 4, exact: 4 });
    expect(skipped).toEqual([{ reason: 'its answer has no logprobs of the model to train', count: 1 }]);
  });

  test('finds a score on the call around a chat, whose chats are one trajectory', async () => {
    const project = await server.newProject();
    const runs = await logCalls(server, project, [
      { op_name: 'agent', output: { won: true } },
      { op_name: 'agent', output: { won: false } },
    ]);
    const tools = await logCalls(
      server,
      project,
      runs.map((parent_id) => ({ op_name: 'tool', parent_id })),
    );
    const next = { messages: [...question, { role: 'assistant', content: 'yes' }, { role: 'user', content: 'And?' }] };
    const calls = tools.flatMap((parent_id) => [
      chat({ call: { parent_id } }),
      chat({ inputs: next, call: { parent_id } }),
    ]);
    const ids = await scored(project, calls, []);
    const { chosen, ...found } = await preview(project, { reward: 'output.won' });
    expect(found).toMatchObject({ trajectories: 2, calls: 4, groups: 1, tokens: { trained: 12, exact: 12 } });
    expect(chosen).toEqual([
      [
        { callIds: ids.slice(0, 2), reward: 1 },
        { callIds: ids.slice(2), reward: 0 },
      ],
    ]);
  });

  test.each([
    ['a filter that cannot be read', { from: 'op_name' }, 'The filter cannot be read'],
    ['an invalid query', { from: '{"$expr": {"$is": []}}' }, 'Input should be an object with one of the keys'],
    ['an unknown key of the filter', { from: '{"filter": {}, "sort": 1}' }, 'unknown key sort'],
    ['a filter that is not JSON', { from: '{"filter"' }, 'not valid JSON'],
    ['an unknown setting', { config: { learning_rat: 1 } }, 'There is no setting learning_rat'],
    ['a setting of the wrong type', { config: { loss_fn: 'x' } }, 'The setting loss_fn is invalid'],
    ['a setting out of bounds', { config: { learning_rate: -1 } }, 'The setting learning_rate is invalid'],
    ['an unknown base model', { base: 'no/model' }, 'The base model no/model is not served here'],
    ['a field that cannot group', { groupBy: 'started_at' }, 'Calls cannot be grouped by started_at'],
    ['a name that no model can have', { model: 'a/b' }, 'no slash and no colon'],
    ['an unknown project', { project: 'ent/nowhere' }, 'Project ent/nowhere not found'],
  ])('rejects %s', async (_, more, message) => {
    await expect(preview(await server.newProject(), more)).rejects.toThrow(message);
  });

  test('takes the filter and query of the API', async () => {
    const project = await server.newProject();
    await scored(project, [chat(), chat({ call: { thread_id: 't' } })], [1, 0]);
    const query = { $expr: { $eq: [{ $getField: 'thread_id' }, { $literal: 't' }] } };
    expect(await preview(project, { from: JSON.stringify(query) })).toMatchObject({ matched: 1 });
    const filter = { op_names: ['heddle.chat.completions'] };
    expect(await preview(project, { from: JSON.stringify({ filter }) })).toMatchObject({ matched: 2 });
    expect(await preview(project, { from: JSON.stringify({ filter, query }) })).toMatchObject({ matched: 1 });
  });
});

test('a job trains on the chosen calls, and the next job continues from it', async () => {
  const project = await server.newProject();
  const ids = await scored(project, [chat(), chat({ ids: [43] })], [1, 0]);
  const { chosen } = await preview(project);
  const { id } = await start(project, chosen);
  const path = `/v1/preview/training-jobs/${id}/events`;
  const events = async () => (await server.get(path)).json.data;
  await expect.poll(async () => (await events()).at(-1)?.type, { timeout: 60_000 }).toBe('training_ended');
  expect((await events())[0].data).toMatchObject({ num_trajectories: 2, num_exact_tokens: 4, num_trainable_tokens: 4 });
  const calls = async () => (await queryCalls(server, project, { filter: { op_names: ['heddle.train'] } })).calls;
  await expect.poll(async () => (await calls()).length, { timeout: 10_000 }).toBe(1);
  const [{ inputs }] = await calls();
  expect(inputs.rollouts.toSorted()).toEqual(ids.toSorted());
  expect(await preview(project)).toMatchObject({ step: 1 });
  await expect(preview(project, { base: 'other' })).rejects.toThrow('has the base model heddle/tiny, not other');
});
