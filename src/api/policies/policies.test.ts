import { beforeEach, describe, expect, test } from 'vitest';
import { askRunning } from '../../admin/client.ts';
import { readConfig } from '../../config.ts';
import { queryCalls } from '../testing/calls.ts';
import { addFeedback, callRef } from '../testing/feedback.ts';
import { providerProject } from '../testing/provider-project.ts';

const project = providerProject();

const tiny = { name: 'now', model: 'heddle/tiny' };
const other = { name: 'next', model: 'custom::stub::one' };
const messages = [{ role: 'user', content: 'Hello' }];

const plan = (shareOfNext: number, more: object = {}) => ({
  variants: [tiny, other],
  incumbent: 'now',
  traffic: { kind: 'split', shares: { now: 1 - shareOfNext, next: shareOfNext } },
  ...more,
});

const path = () => `/v2/${project.name}/policies`;
const modelName = () => `policy:///${project.name}/bot`;
const create = (body: object, name = 'bot') => project.server.post(path(), { name, ...body });
const addVersion = (body: object) => project.server.post(`${path()}/bot/versions`, body);
const undo = (body: object = {}) => project.server.post(`${path()}/bot/undo`, body);
const read = (name = 'bot') => project.server.get(`${path()}/${name}`);
const chat = (more: object = {}, headers: Record<string, string> = {}) =>
  project.server.post('/v1/chat/completions', { model: modelName(), messages, max_tokens: 4, ...more }, { headers });

async function callsOf(count: number) {
  const calls = async () => (await queryCalls(project.server, project.name)).calls;
  await expect.poll(async () => (await calls()).length, { timeout: 15_000 }).toBe(count);
  return calls();
}

/** The events of a provider's answer. */
const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'x',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason }],
});
const providerAnswer = {
  events: [
    chunk({ role: 'assistant', content: 'Hello' }),
    chunk({ content: ' there' }),
    chunk({}, 'stop'),
    { choices: [], usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 } },
  ],
};

beforeEach(() => project.publishProvider(['one']));

describe('a policy', () => {
  test('is created, listed, read, changed, undone and deleted', async () => {
    const created = await create({ ...plan(0.1), reason: 'try it' });
    expect(created.status).toBe(200);
    expect(created.json).toMatchObject({
      ...{ name: 'bot', model: modelName() },
      version: { number: 1, created_by: 'ent', reason: 'try it', shares: { now: 0.9, next: 0.1 }, undoes_to: null },
    });
    expect((await project.server.get(path())).json.policies).toEqual([created.json]);
    const second = await addVersion({ ...plan(0.5), reason: 'more', expected_version: 1 });
    expect(second.json.version).toMatchObject({ number: 2, shares: { now: 0.5, next: 0.5 }, experiment: 1 });
    expect((await addVersion({ ...plan(0.6), expected_version: 1 })).status).toBe(409);
    const undone = await undo({ reason: 'no' });
    expect(undone.json.version).toMatchObject({ number: 3, shares: { now: 0.9, next: 0.1 }, undoes_to: 1 });
    const { json } = await read();
    expect(json.versions.map((each: any) => [each.number, each.reason])).toEqual([
      [3, 'no'],
      [2, 'more'],
      [1, 'try it'],
    ]);
    expect((await create(plan(0.1))).status).toBe(409);
    expect((await project.server.get(`${path()}/bot`, { method: 'DELETE' })).json).toEqual({});
    expect((await read()).status).toBe(404);
    expect((await chat()).status).toBe(404);
  });

  test.each([
    ['a model that does not exist', { variants: [{ name: 'now', model: 'no-such' }, other] }, 404, /no model no-such/],
    ['a policy as a variant', { variants: [{ name: 'now', model: 'policy:///a/b/c' }, other] }, 400, /names a policy/],
    ['an incumbent that is not among the variants', { incumbent: 'who' }, 400, /There is no variant who/],
    ['shares above 1', { traffic: { kind: 'split', shares: { now: 1, next: 1 } } }, 400, /add up to 1/],
    ['an unknown kind', { traffic: { kind: 'guess' } }, 422, /kind/],
    ['a prompt that does not exist', { variants: [{ ...tiny, prompt: 'nope' }, other] }, 404, /Prompt nope not found/],
    [
      'a checkpoint of another project',
      { variants: [{ name: 'now', model: 'wandb-artifact:///ent/elsewhere/m' }, other] },
      400,
      /must be in the project/,
    ],
  ])('with %s is rejected', async (_, change, status, message) => {
    const answer = await create({ ...plan(0.1), ...change });
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(message)]);
  });

  test('with a bad name, or undone without an earlier version, is rejected', async () => {
    expect((await create(plan(0.1), 'a/b')).status).toBe(400);
    await create(plan(0.1));
    expect((await undo()).status).toBe(400);
    expect((await undo({ version: 7 })).text).toMatch(/no earlier version 7/);
  });
});

describe('a chat', () => {
  test('has one variant for each thread, names it, and records how it was chosen', async () => {
    await create(plan(0.5));
    const variants = new Map<string, string>();
    for (let round = 0; round < 2; round++) {
      for (let thread = 0; thread < 6; thread++) {
        project.stub.answers.splice(0, 9, providerAnswer);
        const { status, json, headers } = await chat({}, { 'X-Session-ID': `t${thread}` });
        const variant = headers.get('x-heddle-variant')!;
        expect([status, json.model]).toEqual([200, variant === 'now' ? 'heddle/tiny' : 'one']);
        if (variant === 'next') expect(json.choices[0].message.content).toBe('Hello there');
        if (variant === 'next') expect(json.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 2 });
        expect(variants.get(`t${thread}`) ?? variant).toBe(variant);
        variants.set(`t${thread}`, variant);
      }
    }
    const policy = (await read()).json;
    for (const call of await callsOf(12)) {
      const { assignment, model } = call.attributes.heddle;
      const variant = variants.get(call.thread_id);
      expect(model.name).toBe(variant === 'now' ? 'heddle/tiny' : 'one');
      expect(assignment).toEqual({
        ...{ policy: policy.model, policy_id: expect.any(String), version: 1, variant, unit: 'thread' },
        ...{ unit_id: call.thread_id, probability: 0.5, bucket: expect.any(Number), moved: false },
        ...{ answered_by: variant, failure: null },
      });
    }
  });

  test('is answered by the incumbent if the variant fails before its first token, as a failure of the variant', async () => {
    await create(plan(1));
    project.stub.answers.push({ status: 500, json: { error: { message: 'down' } } });
    const { status, json, headers } = await chat({ user: 'ann' });
    expect([status, json.model, headers.get('x-heddle-variant')]).toEqual([200, 'heddle/tiny', 'now']);
    project.stub.answers.push({ events: [], isCut: true });
    const streamed = await chat({ stream: true });
    expect(streamed.headers.get('x-heddle-variant')).toBe('now');
    expect(streamed.text).toContain('"model":"heddle/tiny"');
    const calls = await callsOf(2);
    expect(calls.map((call: any) => call.attributes.heddle.assignment)).toMatchObject([
      { variant: 'next', answered_by: 'now', failure: expect.stringMatching(/down/), unit: 'user', unit_id: 'ann' },
      { variant: 'next', answered_by: 'now', failure: expect.any(String), unit: 'request', unit_id: calls[1].id },
    ]);
    expect(calls.map((call: any) => call.exception)).toEqual([null, null]);
  });

  test('that breaks off after its first token is a failure of the variant, and not answered again', async () => {
    await create(plan(1));
    project.stub.answers.push({ events: providerAnswer.events.slice(0, 1), isCut: true });
    const { text, headers } = await chat({ stream: true });
    expect(headers.get('x-heddle-variant')).toBe('next');
    expect(text).toMatch(/"error"/);
    const [call] = await callsOf(1);
    expect(call.attributes.heddle.assignment).toMatchObject({ answered_by: 'next', failure: expect.any(String) });
    expect(call.exception).toBe(call.attributes.heddle.assignment.failure);
  });

  test('that nobody can answer is recorded as a failure of its variant', async () => {
    const both = [{ name: 'now', model: 'custom::stub::one' }, other];
    await create({ ...plan(0), variants: both });
    project.stub.answers.push({ status: 500, json: { error: { message: 'down' } } });
    expect((await chat()).status).toBe(503);
    const [call] = await callsOf(1);
    expect(call.exception).toMatch(/down/);
    expect(call.attributes.heddle.assignment).toMatchObject({ variant: 'now', failure: expect.stringMatching(/down/) });
  });

  test('that is invalid is rejected, and no failure of a variant', async () => {
    await create(plan(0));
    expect((await chat({ n: -1 })).status).toBe(400);
    const elsewhere = await chat({}, { 'X-Heddle-Project': 'ent/elsewhere' });
    expect([elsewhere.status, elsewhere.text]).toEqual([400, expect.stringMatching(/leave the header/)]);
    await chat();
    await callsOf(1);
  });

  test('begins with the messages of the prompt of its variant', async () => {
    const val = { _type: 'MessagesPrompt', _class_name: 'MessagesPrompt', _bases: ['Prompt', 'Object', 'BaseModel'] };
    const system = { role: 'system', content: 'Answer in one word.' };
    await project.publish('short', { ...val, messages: [system] });
    await create({ ...plan(1), variants: [tiny, { ...other, prompt: 'short' }] });
    const [version] = (await read()).json.versions;
    expect(version.variants[1].prompt).toMatch(/^weave:\/\/\/ent\/p\d+\/object\/short:\w{43}$/);
    project.stub.answers.push(providerAnswer);
    expect((await chat()).status).toBe(200);
    expect(project.stub.received[0]!.body.messages).toEqual([system, { role: 'user', content: 'Hello' }]);
    const text = await project.server.post('/v1/completions', { model: modelName(), prompt: 'Hello', max_tokens: 2 });
    expect([text.status, text.headers.get('x-heddle-variant')]).toEqual([200, 'now']);
  });
});

describe('every chat route takes a policy', () => {
  test('text completions and responses, whose conversations keep their variant', async () => {
    await create({ ...plan(0.5), variants: [tiny, { name: 'next', model: 'heddle/tiny' }] });
    const text = await project.server.post('/v1/completions', {
      model: modelName(),
      prompt: ['A', 'B'],
      max_tokens: 2,
    });
    expect([text.status, text.json.model]).toEqual([200, 'heddle/tiny']);
    expect(text.headers.get('x-heddle-variant')).toMatch(/^(now|next)$/);
    for (let conversation = 0; conversation < 4; conversation++) {
      const found = new Set<string>();
      let previous_response_id: string | null = null;
      for (let turn = 0; turn < 3; turn++) {
        const body = { model: modelName(), input: 'Hi', max_output_tokens: 2, previous_response_id };
        const { status, json, headers } = await project.server.post('/v1/responses', body);
        expect([status, json.model]).toEqual([200, 'heddle/tiny']);
        found.add(headers.get('x-heddle-variant')!);
        previous_response_id = json.id;
      }
      expect(found.size).toBe(1);
    }
  });

  test('completions of the SDK, whole and streamed', async () => {
    await create(plan(1));
    const inputs = { model: modelName(), messages, max_tokens: 4 };
    const body = { project_id: project.name, inputs };
    const whole = await project.server.post('/completions/create', body);
    expect(whole.json.response.model).toBe('stub-1-2024');
    project.stub.answers.push({ status: 500, json: { error: { message: 'down' } } });
    const fallback = await project.server.post('/completions/create', body);
    expect(fallback.json.response.model).toBe('heddle/tiny');
    project.stub.answers.push(providerAnswer);
    const streamed = await project.server.post('/completions/create_stream', body);
    expect(streamed.text).toContain(' there');
    const calls = await callsOf(3);
    const found = calls.map((call: any) => call.attributes.heddle.assignment);
    expect(found).toMatchObject([
      { variant: 'next', answered_by: 'next', failure: null, probability: 1 },
      { variant: 'next', answered_by: 'now', failure: expect.stringMatching(/down/) },
      { variant: 'next', answered_by: 'next', failure: null },
    ]);
  });

  test('but no embeddings', async () => {
    await create(plan(0));
    const { status, text } = await project.server.post('/v1/embeddings', { model: modelName(), input: 'Hi' });
    expect([status, text]).toEqual([400, expect.stringMatching(/Policies answer chats/)]);
  });
});

describe('a shadow', () => {
  const shadow = (tokens_per_day: number) => ({
    ...plan(0),
    traffic: { kind: 'shadow', candidate: 'next', tokens_per_day },
  });

  test('answers the same once more, as a call of its own below the first, until its tokens are spent', async () => {
    await create(shadow(9));
    project.stub.answers.push(providerAnswer);
    const { headers } = await chat();
    expect(headers.get('x-heddle-variant')).toBe('now');
    const calls = await callsOf(2);
    const [own, unseen] = ['heddle.chat.completions', 'heddle.shadow'].map((op) =>
      calls.find((call: any) => call.op_name === op),
    );
    expect(unseen).toMatchObject({ parent_id: own.id, trace_id: own.trace_id, exception: null });
    expect(unseen.output.choices[0].message.content).toBe('Hello there');
    expect(unseen.attributes.heddle.shadow).toMatchObject({ variant: 'next', shadow_of: own.id, version: 1 });
    await chat(); // the 9 tokens of the day are spent
    await callsOf(3);
    expect(project.stub.received).toHaveLength(1);
  });

  test('that fails changes nothing for the chat', async () => {
    await create(shadow(1000));
    project.stub.answers.push({ status: 500, json: { error: { message: 'down' } } });
    expect((await chat()).status).toBe(200);
    const unseen = (await callsOf(2)).find((call: any) => call.op_name === 'heddle.shadow');
    expect(unseen.exception).toMatch(/down/);
  });
});

describe('outcomes', () => {
  const scorer = (reward: string, more: object = {}) => ({ reward, window_seconds: 2, ...more });
  const look = async () => (await read()).json.versions[0].look;

  test('count as assigned when their windows have closed, with what missing feedback means', async () => {
    const scorers = [scorer('liked'), scorer('solved', { missing: 'zero' })];
    await create({ ...plan(1), scorers });
    project.stub.answers.push({ status: 500, json: { error: { message: 'down' } } });
    await chat(); // a failure of next
    project.stub.answers.push(providerAnswer);
    const answered = await chat({ user: 'ann' });
    expect(answered.headers.get('x-heddle-variant')).toBe('next');
    const calls = await callsOf(2);
    const { id } = calls.find((call: any) => call.attributes.heddle.assignment.failure === null);
    const feedback = { weave_ref: callRef(project.name, id), feedback_type: 'liked', payload: 1 };
    await addFeedback(project.server, project.name, { ...feedback, payload: { value: 0.5 } });
    await addFeedback(project.server, project.name, {
      ...feedback,
      feedback_type: 'wandb.runnable.liked',
      payload: { output: true },
      runnable_ref: `weave:///${project.name}/op/liked:abc`,
      call_ref: callRef(project.name, id),
    });
    const next = (found: any, place: number) => found.scorers[place].variants[1];
    await expect.poll(async () => (await look())?.scorers[0].variants[1].counted, { timeout: 40_000 }).toBe(2);
    const found = await look();
    expect(found.variants[1]).toEqual({ name: 'next', units: 2, moved_units: 0, answers: 2, failures: 1 });
    expect(next(found, 0)).toMatchObject({ open: 0, counted: 2, missing: 0, mean: 0.5 });
    expect(next(found, 1)).toMatchObject({ open: 0, counted: 2, missing: 1, mean: 0 });
    expect(found.sample_ratio).toEqual({ p: 1, is_mismatch: false });
  });

  test('that are worse return the traffic to the incumbent by themselves, with the reason', async () => {
    await create({ ...plan(0.5), scorers: [scorer('liked', { window_seconds: 30, harm: 0.5 })] });
    const failing = { status: 500, json: { error: { message: 'down' } } };
    for (let i = 0; i < 16; i++) {
      project.stub.answers.splice(0, 20, ...Array.from({ length: 20 }, () => failing));
      await Promise.all(Array.from({ length: 16 }, () => chat({ max_tokens: 1 })));
    }
    const answered = (await callsOf(256)).filter(
      ({ attributes }: any) => attributes.heddle.assignment.failure === null,
    );
    expect(answered.length).toBeGreaterThan(90);
    for (const { id } of answered) {
      const feedback = { feedback_type: 'wandb.runnable.liked', payload: { output: 1 } };
      const refs = { runnable_ref: `weave:///${project.name}/op/liked:abc`, call_ref: callRef(project.name, id) };
      await addFeedback(project.server, project.name, { weave_ref: callRef(project.name, id), ...feedback, ...refs });
    }
    await expect.poll(async () => (await read()).json.versions[0].number, { timeout: 90_000, interval: 1000 }).toBe(2);
    const [now, before] = (await read()).json.versions;
    expect(now).toMatchObject({
      shares: { now: 1, next: 0 },
      created_by: null,
      reason: expect.stringMatching(/^next is worse than now by liked: mean 0\.000 of \d+ units against 1\.000/),
      verdict: { variant: 'next', reward: 'liked', mean: 0, incumbentMean: 1 },
    });
    expect(before.look.scorers[0].variants[1].harm_p).toBeLessThan(0.05);
    expect((await chat()).headers.get('x-heddle-variant')).toBe('now');
    const undone = await undo({ reason: 'it is up again' });
    expect(undone.json.version).toMatchObject({ number: 3, shares: { now: 0.5, next: 0.5 }, undoes_to: 1 });
  });
});

test('an estimate for other shares is refused with the reason without enough units', async () => {
  const scorers = [{ reward: 'liked', window_seconds: 2 }];
  await create({ ...plan(0.5), scorers });
  const estimate = (body: object) => project.server.post(`${path()}/bot/estimate`, body);
  const { status, json } = await estimate({ shares: { now: 1 }, reward: 'liked' });
  expect([status, json]).toEqual([
    200,
    {
      ...{ versions: [1], units: 0, missing: 0 },
      estimate: { kind: 'refused', effective_size: 0, reason: 'no-units', message: expect.stringMatching(/No unit/) },
    },
  ]);
  expect((await estimate({ shares: { now: 1 }, reward: 'other' })).status).toBe(400);
  expect((await estimate({ shares: { now: 2 }, reward: 'liked' })).status).toBe(400);
  expect((await estimate({ reward: 'liked' })).status).toBe(422);
  const config = readConfig({ data: project.server.data }, {});
  const query = { policy: `${project.name}/bot`, shares: { now: 1 }, reward: 'liked' };
  expect((await askRunning(config, 'policies.estimate', query))!.answer.judgement).toMatchObject({
    reason: 'no-units',
  });
});

test('a best-arm policy is made with equal shares, and shows its arms', async () => {
  const traffic = { kind: 'best_arm', scorer: 'liked' };
  const rejected = await create({ ...plan(0), traffic });
  expect([rejected.status, rejected.text]).toEqual([400, expect.stringMatching(/No scorer has the reward liked/)]);
  const made = await create({ ...plan(0), traffic, scorers: [{ reward: 'liked', window_seconds: 2 }] });
  expect(made.json.version).toMatchObject({
    shares: { now: 0.5, next: 0.5 },
    traffic: { ...traffic, least: 0.05, shares: { now: 0.5, next: 0.5 }, after_winner: 'keep_least' },
  });
  const arm = { counted: 0, missing: 0, mean: null, lower: null, upper: null, lowest: null, highest: null };
  const arms = ['now', 'next'].map((name) => ({ name, is_in: true, evidence_against: 1, ...arm }));
  const bestArm = { reward: 'liked', since: 1, winner: null, warning: null, arms };
  await expect.poll(async () => (await read()).json.versions[0].look?.best_arm, { timeout: 20_000 }).toEqual(bestArm);
});

test('the command line makes, lists, moves on, shows and undoes a policy', async () => {
  const config = readConfig({ data: project.server.data }, {});
  const policy = `${project.name}/bot`;
  const traffic = { kind: 'stages', candidate: 'next', stages: [0.1, 0.5] };
  const set = (more: object) => askRunning(config, 'policies.set', { policy, reason: '', ...more });
  await expect(set({ stage: 1 })).rejects.toThrow(/no policy .* yet/);
  expect((await set({ plan: { ...plan(0), traffic } }))!.answer).toMatchObject({ number: 1, kind: 'stages' });
  const second = (await set({ stage: 2, reason: 'go on' }))!.answer;
  expect(second.shares).toEqual([
    { name: 'now', share: 0.5 },
    { name: 'next', share: 0.5 },
  ]);
  await expect(set({ stage: 3 })).rejects.toThrow(/stage must be between 0/);
  expect((await askRunning(config, 'policies.list', { project: project.name }))!.answer).toEqual([second]);
  const undone = (await askRunning(config, 'policies.undo', { policy, reason: 'no' }))!.answer;
  expect(undone).toMatchObject({ number: 3, shares: [{ share: 0.9 }, { share: 0.1 }] });
  const versions = (await askRunning(config, 'policies.show', { policy: `policy:///${policy}` }))!.answer;
  expect(versions.map(({ number, reason, createdBy }) => [number, reason, createdBy])).toEqual([
    [3, 'no', 'ent'],
    [2, 'go on', 'ent'],
    [1, '', 'ent'],
  ]);
});
