import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { at, logCalls } from '../testing/calls.ts';
import { addFeedback, callRef } from '../testing/feedback.ts';
import { type TestServer, testServer } from '../testing/server.ts';

let server: TestServer;
let project: string;
beforeAll(async () => {
  server = await testServer();
});
beforeEach(async () => {
  project = await server.newProject();
});

const loops = () => `/v2/${project}/loops`;
const read = async () => (await server.get(`${loops()}/support`)).json;
const start = () => server.post(`${loops()}/support/turns`, {});
const answer = (number: number, body: object) => server.post(`${loops()}/support/turns/${number}/answer`, body);

const plan = (more: Record<string, any> = {}) => ({
  chats: { where: 'op_name~chat' },
  scorer: { reward: 'thumbs' },
  method: { kind: 'sft', config: { learning_rate: 5e-3, batch_size: 4 }, experimental_config: { epochs: 3 } },
  ...{ model: 'agent', base_model: 'heddle/tiny', suite: 'exam' },
  gate: {
    scorers: ['contains'],
    target: { metric: 'contains', gain: 0.1 },
    model_params: { messages_template: [{ role: 'user', content: '{question}' }], temperature: 0, max_tokens: 8 },
  },
  ...more,
  rollout: {
    ...{ policy: 'bot', stages: [0.5], units: 0, scorers: [{ reward: 'thumbs', window_seconds: 1 }] },
    ...more.rollout,
  },
});

async function prepare(): Promise<void> {
  const rows = Array.from({ length: 60 }, (_, i) => ({ question: `Is ${i} a lucky number?`, expected: 'maybe' }));
  await server.post(`/v2/${project}/datasets`, { name: 'questions', rows });
  const suite = await server.post(`/v2/${project}/suites`, { name: 'exam', dataset: 'questions' });
  if (suite.status !== 200) throw new Error(suite.text);
  const variants = [{ name: 'now', model: 'heddle/tiny' }];
  const traffic = { kind: 'split', shares: { now: 1 } };
  await server.post(`/v2/${project}/policies`, { name: 'bot', variants, incumbent: 'now', traffic });
}

/** Chats that a user liked or not. */
async function chats(questions: string[], thumbs: (i: number) => number | null, startedAt = at): Promise<void> {
  const ids = await logCalls(
    server,
    project,
    questions.map((content, i) => ({
      op_name: 'chat',
      started_at: startedAt(i),
      inputs: { model: 'gpt-5', messages: [{ role: 'user', content }] },
      output: { choices: [{ message: { role: 'assistant', content: 'maybe' }, finish_reason: 'stop' }] },
    })),
  );
  for (const [i, id] of ids.entries()) {
    const rating = thumbs(i);
    if (rating === null) continue;
    await addFeedback(server, project, {
      weave_ref: callRef(project, id),
      feedback_type: 'thumbs',
      payload: { value: rating },
    });
  }
}

const policy = async () => (await server.get(`/v2/${project}/policies/bot`)).json.versions;

/** Chats with the policy; users like what the model that was in use before says. */
async function chatAndRate(count: number): Promise<void> {
  const variants = new Map<string, string>();
  for (let i = 0; i < count; i += 16) {
    const together = Array.from({ length: 16 }, async () => {
      const body = { model: `policy:///${project}/bot`, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 };
      const { json, headers } = await server.post('/v1/chat/completions', body);
      variants.set(json.id, headers.get('x-heddle-variant')!);
    });
    await Promise.all(together);
  }
  const rated = async () => {
    const { lines } = await server.post('/calls/stream_query', { project_id: project });
    return lines.filter(({ output }: any) => variants.has(output.id));
  };
  await expect.poll(async () => (await rated()).length, { timeout: 30_000 }).toBe(variants.size);
  for (const { id, output } of await rated()) {
    const value = variants.get(output.id) === 'now' ? 1 : 0;
    const weave_ref = callRef(project, id);
    await addFeedback(server, project, { weave_ref, feedback_type: 'liked', payload: { value } });
  }
}

const what = ['rain', 'snow', 'sun', 'wind', 'fog', 'hail', 'frost'];
const when = ['today', 'tomorrow', 'tonight', 'on Monday', 'next week'];
const weather = what.flatMap((each) => when.map((day) => `Will there be ${each} ${day}?`));

const thumbsPlan = (more: Record<string, any> = {}) =>
  plan({ scorer: { reward: 'feedback.[thumbs].payload.value' }, ...more });

async function reach(number: number, phase: string) {
  await expect
    .poll(async () => (await read()).turns.find((turn: any) => turn.number === number)?.phase, { timeout: 60_000 })
    .toBe(phase);
  return (await read()).turns.find((turn: any) => turn.number === number);
}

describe('a turn', { timeout: 120_000 }, () => {
  test('collects chats, trains, passes the gate, asks, and gives the candidate all traffic in stages; then it is undone', async () => {
    await prepare();
    await chats([...weather, 'Is 7 a lucky number?', 'Will it be bad?', 'Will there be nothing?'], (i) =>
      i === 36 ? 0 : i === 37 ? null : 1,
    );
    const created = await server.post(loops(), { name: 'support', ...thumbsPlan({ approver: 'anyone' }) });
    expect(created.status, created.text).toBe(200);
    expect(created.json).toMatchObject({ name: 'support', latest_turn: null, paused_at: null });
    expect((await start()).json).toMatchObject({ number: 1, outcome: null });

    const asked = await reach(1, 'asking');
    expect(asked).toMatchObject({
      collected: { matched: 38, read: 38, kept: 35 },
      ...{ incumbent: 'heddle/tiny', candidate: `wandb-artifact:///${project}/agent:step1`, verdict: 'promote' },
      question: { approver: 'anyone', answer: null, text: expect.stringContaining('50 % of the traffic of bot?') },
    });
    expect(asked.collected.skipped).toEqual(
      expect.arrayContaining([
        { reason: 'it matches a row of a suite', count: 1 },
        { reason: 'its score is below 1', count: 1 },
        { reason: 'it has no score feedback.[thumbs].payload.value', count: 1 },
      ]),
    );
    expect((await start()).status).toBe(409);
    expect((await answer(1, { answer: 'yes', reason: 'fine' })).status).toBe(200);
    expect((await answer(1, { answer: 'no' })).status).toBe(409);

    const ended = await reach(1, 'ended');
    expect(ended).toMatchObject({ outcome: 'promoted', rollout: { version_before: 1, version: 3, stage: 2 } });
    const { versions } = (await server.get(`/v2/${project}/policies/bot`)).json;
    expect(versions.map((each: any) => [each.reason, each.shares])).toEqual([
      ['turn 1 of the loop support: all traffic', { 'support-1': 1 }],
      ['turn 1 of the loop support: stage 1 of 1', { now: 0.5, 'support-1': 0.5 }],
      ['', { now: 1 }],
    ]);
    const messages = [{ role: 'user', content: 'Will there be wind tonight?' }];
    const chat = await server.post('/v1/chat/completions', {
      model: `policy:///${project}/bot`,
      messages,
      temperature: 0,
      max_tokens: 8,
    });
    expect(chat.json.choices[0].message.content).toContain('maybe');

    const undo = () => server.post(`${loops()}/support/turns/1/undo`, { reason: 'too short' });
    const undone = await undo();
    expect(undone.json, undone.text).toMatchObject({ outcome: 'promoted', undone_by: 'ent' });
    expect((await undo()).status).toBe(409);
    const after = (await server.get(`/v2/${project}/policies/bot`)).json.versions[0];
    expect(after).toMatchObject({ number: 4, shares: { now: 1 }, undoes_to: 1, reason: 'too short' });
  });

  test('starts from the model in use, not from a candidate that was declined', async () => {
    await prepare();
    await chats(weather, () => 1);
    await server.post(loops(), { name: 'support', ...thumbsPlan({ approver: 'anyone' }) });
    await start();
    await reach(1, 'asking');
    await answer(1, { answer: 'no', reason: 'not yet' });
    expect(await reach(1, 'ended')).toMatchObject({ outcome: 'declined', reason: expect.stringContaining('not yet') });
    await start();
    const second = await reach(2, 'asking');
    expect(second).toMatchObject({ candidate: `wandb-artifact:///${project}/agent:step2`, incumbent: 'heddle/tiny' });
    const losses = async (step: number) => {
      const model = (await server.get(`/v1/preview/models?entity=ent&project=${project.split('/')[1]}&name=agent`)).json
        .data[0];
      const { data } = (await server.get(`/v1/preview/models/${model.id}/checkpoints`)).json;
      return data.find((each: any) => each.step === step).metrics;
    };
    expect(await losses(2)).toEqual(await losses(1));
  });

  test('trains nothing on too few chats, nothing whose window is open, and not more tokens than allowed', async () => {
    await prepare();
    await chats(
      weather,
      () => 1,
      () => new Date(Date.now() - 60_000).toISOString(),
    );
    await server.post(loops(), { name: 'support', ...thumbsPlan({ budget: { rows_least: 36 } }) });
    await start();
    expect(await reach(1, 'ended')).toMatchObject({
      outcome: 'nothing-to-train',
      reason: '35 chats can be trained on; a turn needs 36.',
      training_job_id: null,
    });
    const young = { reward: 'feedback.[thumbs].payload.value', window_seconds: 3600 };
    await server.post(`${loops()}/support`, thumbsPlan({ scorer: young }), { method: 'PUT' });
    await start();
    expect(await reach(2, 'ended')).toMatchObject({ outcome: 'nothing-to-train', collected: { matched: 0, kept: 0 } });
    await server.post(`${loops()}/support`, thumbsPlan({ budget: { tokens_most: 10 } }), { method: 'PUT' });
    await start();
    expect(await reach(3, 'ended')).toMatchObject({ outcome: 'over-budget', training_job_id: null });
  });

  test('that is canceled returns the traffic of its candidate, and one that finds another version ends', async () => {
    await prepare();
    await chats(weather, () => 1);
    const slow = thumbsPlan({ rollout: { hours: 100 } });
    await server.post(loops(), { name: 'support', ...slow });
    await start();
    expect(await reach(1, 'rolling-out')).toBeTruthy();
    await expect
      .poll(async () => (await read()).turns[0].reason, { timeout: 30_000 })
      .toMatch(/^The stage lasts until /);
    await server.post(`${loops()}/support/pause`, { reason: 'a holiday' });
    expect((await server.post(`${loops()}/support/turns/1/cancel`, {})).json).toEqual({ canceled: true });
    expect(await reach(1, 'ended')).toMatchObject({ outcome: 'canceled', rollout: { stage: 1 } });
    expect((await policy())[0]).toMatchObject({ shares: { now: 1 }, reason: expect.stringContaining('canceled') });
    expect((await start()).text).toContain('paused');
    await server.post(`${loops()}/support/resume`, {});

    await start();
    await reach(2, 'rolling-out');
    await expect
      .poll(async () => (await policy())[0].shares, { timeout: 30_000 })
      .toEqual({ now: 0.5, 'support-2': 0.5 });
    await server.post(`/v2/${project}/policies/bot/undo`, { reason: 'I do not like it' });
    expect(await reach(2, 'ended')).toMatchObject({
      outcome: 'changed',
      reason: expect.stringContaining('I do not like it'),
    });
    expect((await server.post(`${loops()}/support/turns/2/undo`, {})).status).toBe(409);
  });

  test('fails when its policy is deleted during the rollout', async () => {
    await prepare();
    await chats(weather, () => 1);
    await server.post(loops(), { name: 'support', ...thumbsPlan({ rollout: { hours: 100 } }) });
    await start();
    await reach(1, 'rolling-out');
    await server.get(`/v2/${project}/policies/bot`, { method: 'DELETE' });
    expect(await reach(1, 'ended')).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('no policy bot'),
    });
  });

  test('ends when the policy returns the traffic of a candidate that users like less', async () => {
    await prepare();
    await chats(weather, () => 1);
    const rollout = {
      units: 1e6,
      scorers: [{ reward: 'feedback.[liked].payload.value', window_seconds: 15, harm: 0.5 }],
    };
    await server.post(loops(), { name: 'support', ...thumbsPlan({ rollout }) });
    await start();
    await expect
      .poll(async () => (await policy())[0].shares, { timeout: 60_000 })
      .toEqual({ now: 0.5, 'support-1': 0.5 });
    await chatAndRate(256);
    expect(await reach(1, 'ended')).toMatchObject({
      outcome: 'returned',
      reason: expect.stringMatching(/^support-1 is worse than now by /),
    });
    expect((await policy())[0].shares).toEqual({ now: 1, 'support-1': 0 });
  });

  test('trains by reinforcement learning on what the model in use said', async () => {
    await prepare();
    const ask = async (i: number) => {
      const body = { model: `policy:///${project}/bot`, messages: [{ role: 'user', content: `Say ${i % 4}` }] };
      return server.post('/v1/chat/completions', { ...body, max_tokens: 2, seed: i, logprobs: true });
    };
    for (let i = 0; i < 16; i++) await ask(i);
    const calls = async () => (await server.post('/calls/stream_query', { project_id: project })).lines;
    await expect.poll(async () => (await calls()).length, { timeout: 15_000 }).toBe(16);
    for (const [i, { id }] of (await calls()).entries()) {
      const weave_ref = callRef(project, id);
      const payload = { value: Math.floor(i / 4) % 2 };
      await addFeedback(server, project, { weave_ref, feedback_type: 'thumbs', payload });
    }
    const method = { kind: 'rl', experimental_config: { learning_rate: 1e-3 } };
    const budget = { rows_least: 8 };
    const gate = { ...plan().gate, rows_max: 4 };
    await server.post(loops(), { name: 'support', ...thumbsPlan({ method, budget, gate }) });
    await start();
    const ended = await reach(1, 'ended');
    expect(ended).toMatchObject({ outcome: 'not-enough-evidence', collected: { matched: 16, kept: 16 } });
    const job = (await server.get(`/v1/preview/training-jobs/${ended.training_job_id}`)).json;
    expect(job).toMatchObject({ status: 'ended' });
    expect((await policy())[0].number).toBe(1);
  });

  test('fails with the reason of its training job or gate, and the loop is paused after three', async () => {
    await prepare();
    await chats(weather, () => 1);
    const faulty = thumbsPlan({
      gate: { scorers: ['contains'], target: { metric: 'no-such', gain: 0.1 } },
      every_hours: 0.01,
    });
    await server.post(loops(), { name: 'support', ...faulty });
    for (const number of [1, 2, 3]) {
      if (number > 1) await start();
      expect(await reach(number, 'ended')).toMatchObject({
        outcome: 'failed',
        reason: expect.stringContaining('no metric no-such'),
      });
    }
    expect(await read()).toMatchObject({ paused_reason: '3 turns in a row have failed.' });
  });
});

describe('a loop', () => {
  test.each([
    ['no chats', { chats: {} }, 400, /name a saved view/],
    ['a view that does not exist', { chats: { view: 'none' } }, 404, /no saved view none/],
    ['a suite that does not exist', { suite: 'none' }, 404, /none/],
    ['a policy that does not exist', { rollout: { policy: 'none' } }, 404, /no policy none/],
    ['stages that fall', { rollout: { stages: [0.5, 0.1] } }, 400, /larger share/],
    ['stages that nothing guards', { rollout: { scorers: [] } }, 400, /scorers that guard/],
    [
      'a gate that uses the score of the training data',
      { scorer: { reward: 'contains' } },
      400,
      /also chooses what is trained on/,
    ],
    ['an approver who does not exist', { approver: 'nobody-known' }, 400, /no user nobody-known/],
    ['a condition that cannot be read', { chats: { where: 'op_name~' } }, 400, /./],
  ])('is refused with %s', async (_, more, status, message) => {
    await prepare();
    const answer = await server.post(loops(), { name: 'support', ...plan(more) });
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(message)]);
  });

  test('takes the chats of a saved view by its label, is changed, listed and deleted', async () => {
    await prepare();
    await chats(weather, () => 1);
    await chats(['Is it late?'], () => 1);
    const classes = { _type: 'SavedView', _class_name: 'SavedView', _bases: ['BaseObject', 'BaseModel'] };
    const query = { $expr: { $contains: { input: { $getField: 'inputs.messages' }, substr: { $literal: 'fog' } } } };
    const definition = { _type: 'SavedViewDefinition', filter: { op_names: ['chat'] }, query };
    const val = { ...classes, view_type: 'traces', label: 'Fog only', definition };
    const published = await server.post('/obj/create', { obj: { project_id: project, object_id: 'fog', val } });
    expect(published.status, published.text).toBe(200);
    const made = plan({ chats: { view: 'Fog only' }, scorer: { reward: 'feedback.[thumbs].payload.value' } });
    expect((await server.post(loops(), { name: 'support', ...made })).status).toBe(200);
    expect((await server.post(loops(), { name: 'support', ...made })).status).toBe(409);
    await start();
    expect(await reach(1, 'ended')).toMatchObject({ outcome: 'nothing-to-train', collected: { matched: 5, kept: 5 } });
    const changed = await server.post(
      `${loops()}/support`,
      { ...made, chats: { view: 'fog', where: 'inputs.messages~today' } },
      { method: 'PUT' },
    );
    expect(changed.json.plan.chats).toEqual({ view: 'fog', where: 'inputs.messages~today' });
    await start();
    expect(await reach(2, 'ended')).toMatchObject({ collected: { matched: 1 } });
    expect((await server.get(loops())).json.loops).toMatchObject([{ name: 'support', latest_turn: { number: 2 } }]);
    expect((await server.get(`${loops()}/support`, { method: 'DELETE' })).json).toEqual({});
    expect((await server.get(`${loops()}/support`)).status).toBe(404);
  });
});
