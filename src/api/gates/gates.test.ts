import { createPublicKey } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readEnvelope, verifyVerdict } from '../../domain/gates/verdict.ts';
import { type TestServer, testServer } from '../testing/server.ts';

let server: TestServer;
let project: string;
beforeAll(async () => {
  server = await testServer();
});
beforeEach(async () => {
  project = await server.newProject();
});

const words = Array.from({ length: 80 }, (_, i) => ({ word: `word ${i}`, language: i % 4 === 0 ? 'de' : 'en' }));

async function freeze(rows: object[] = words, more: object = {}): Promise<void> {
  await server.post(`/v2/${project}/datasets`, { name: 'rows', rows });
  const { status, text } = await server.post(`/v2/${project}/suites`, { name: 'suite', dataset: 'rows', ...more });
  if (status !== 200) throw new Error(text);
}

/** Publishes a model. `one` answers with one token, which is often a single character; `long` with five, which are not. */
async function publish(name: 'one' | 'long'): Promise<string> {
  const type = 'LLMStructuredCompletionModel';
  const default_params = {
    ...{ messages_template: [{ role: 'user', content: 'Say {word}' }], temperature: 0 },
    max_tokens: name === 'one' ? 1 : 5,
  };
  const val = {
    ...{ _type: type, _class_name: type, _bases: ['Model', 'Object', 'BaseModel'], name },
    ...{ llm_model_id: 'heddle/tiny', default_params },
  };
  const { json } = await server.post('/obj/create', { obj: { project_id: project, object_id: name, val } });
  return `weave:///${project}/object/${name}:${json.digest}`;
}

const short = 'regex:^.$';

async function start(body: object) {
  for (const name of ['one', 'long'] as const) await publish(name);
  const request = { suite: 'suite', candidate: 'one', incumbent: 'long', scorers: [short], seed: 'a' };
  return server.post(`/v2/${project}/gates`, { ...request, target: { metric: short, gain: 0.3 }, ...body });
}

const read = async (id: string) => (await server.get(`/v2/${project}/gates/${id}`)).json;

async function ended(body: object) {
  const { json, text } = await start(body);
  if (json.id === undefined) throw new Error(text);
  await expect
    .poll(async () => (await read(json.id)).state, { timeout: 60_000, interval: 100 })
    .toMatch(/^(decided|failed|canceled)$/);
  return read(json.id);
}

test('promotes a model that is better, and shows the evidence', async () => {
  await freeze();
  const gate = await ended({
    guardrails: [{ metric: 'latency', measure: { kind: 'share_above', limit: 60 }, margin: 0.2 }],
    watched: [{ metric: short, harm: 0.9, slice: { column: 'language', value: 'de' } }],
  });
  expect(gate).toMatchObject({ state: 'decided', verdict: 'promote', number: 1, suite: 'suite', error: null });
  const { progress } = gate;
  expect(progress).toMatchObject({ threads_max: 80, reasons: [], target_of_all: null });
  expect(progress.threads).toBeLessThanOrEqual(80);
  expect(progress.on_traffic).toMatchObject({ shown: true });
  expect(progress.target.lower).toBeGreaterThanOrEqual(0);
  expect(progress.target.upper).toBeGreaterThan(progress.target.mean);
  expect(progress.guardrails).toMatchObject([{ name: 'latency', margin: 0.2, shown: true, worse: false, mean: 0 }]);
  expect(progress.watched).toMatchObject([{ name: `${short} where language is de`, harm: 0.9 }]);
  expect(progress.points.at(-1)).toMatchObject({ threads: progress.threads, lower: progress.target.lower });
  expect(gate.suite_use).toMatchObject({ alpha: 0.05, candidates: 1, promoted: 1 });
  const { json } = await server.post(`/v2/${project}/eval_results/query`, {
    evaluation_call_ids: [gate.candidate.evaluation_call_id, gate.incumbent.evaluation_call_id],
    include_summary: true,
  });
  expect(json.summary.evaluations).toHaveLength(2);
});

test('rejects a model without the gain that matters, and says why', async () => {
  await freeze();
  const gate = await ended({ candidate: 'long', incumbent: 'one' });
  expect(gate).toMatchObject({ state: 'decided', verdict: 'reject' });
  expect(gate.progress.reasons).toEqual([`The gain in ${short} is below 0.3, the smallest that matters.`]);
});

test('says how many more rows are needed when the budget ends', async () => {
  await freeze();
  const gate = await ended({ candidate: 'one', incumbent: 'one', rows_max: 5 });
  expect(gate).toMatchObject({ state: 'decided', verdict: 'not-enough-evidence' });
  expect(gate.progress).toMatchObject({ rows: 5, threads: 5, threads_max: 5 });
});

test('compares whole threads, and averages their rows and repeats first', async () => {
  const rows = words.map((row, i) => ({ ...row, chat: `chat ${i % 3}` }));
  await freeze(rows.slice(0, 12), { thread_column: 'chat' });
  const gate = await ended({ repeats: 2 });
  expect(gate.progress).toMatchObject({ threads: 3, rows: 12 });
  const { json } = await server.post(`/v2/${project}/eval_results/query`, {
    ...{ evaluation_call_ids: [gate.candidate.evaluation_call_id], include_summary: true },
  });
  expect(json.summary.evaluations[0].trial_count).toBe(24);
});

test('each candidate spends of the α of the suite, and one that compared nothing does not', async () => {
  await freeze();
  const first = await ended({ candidate: 'one', incumbent: 'one', rows_max: 2 });
  expect(first.plan.alpha).toBeCloseTo(0.05 / 2, 9);
  const messages_template = [{ role: 'user', content: 'Say {word}' }];
  const failed = await ended({ candidate: 'openai/gpt-4o', model_params: { messages_template } });
  expect(failed).toMatchObject({
    state: 'failed',
    number: 2,
    verdict: null,
    error: expect.stringContaining('OPENAI_API_KEY'),
  });
  const third = await ended({ candidate: 'one', incumbent: 'one', rows_max: 2 });
  expect(third).toMatchObject({ number: 3, suite_use: { candidates: 2, promoted: 0 } });
  expect(third.plan.alpha).toBeCloseTo(0.05 / 6, 9);
});

test('the signed verdict is verified by the public key alone, and no change to it passes', async () => {
  await freeze();
  const gate = await ended({});
  const { text } = await server.get(`/v2/${project}/gates/${gate.id}/verdict`);
  const { json: key } = await server.get('/gates/public_key');
  const publicKey = createPublicKey(key.public_key);
  const { document, faults } = verifyVerdict(readEnvelope(text), publicKey);
  expect(faults).toEqual([]);
  expect(document).toMatchObject({
    verdict: { kind: 'promote' },
    suite: { name: 'suite', rows: 80 },
    candidate: { model: 'heddle/tiny', origin: { digests: { weights: expect.any(String) } } },
    scorers: [expect.stringContaining(`weave:///${project}/object/`)],
  });
  const envelope = readEnvelope(text);
  const changed = JSON.stringify({ ...document, verdict: { kind: 'reject', reasons: [] } });
  const forged = { ...envelope, payload: Buffer.from(changed).toString('base64') };
  expect(verifyVerdict(forged, publicKey).faults).toEqual(['signature', 'verdict']);
  const swapped = { ...document, threads: document.threads.toReversed() };
  const reordered = { ...envelope, payload: Buffer.from(JSON.stringify(swapped)).toString('base64') };
  expect(verifyVerdict(reordered, publicKey).faults).toContain('order');
});

test('a gate that runs can be canceled, and ends its evaluations', async () => {
  await freeze(Array.from({ length: 2000 }, (_, i) => ({ word: `word ${i}` })));
  const { json } = await start({ candidate: 'one', incumbent: 'one', target: { metric: short, gain: 0.001 } });
  await expect.poll(async () => (await read(json.id)).progress.threads, { timeout: 30_000 }).toBeGreaterThan(3);
  expect((await server.post(`/v2/${project}/gates/${json.id}/cancel`, {})).json).toEqual({ canceled: true });
  await expect.poll(async () => (await read(json.id)).state, { timeout: 30_000 }).toBe('canceled');
  const status = { project_id: project, call_id: json.candidate.evaluation_call_id };
  expect((await server.post('/evaluations/status', status)).json.status.code).toBe('failed');
  expect((await server.get(`/v2/${project}/gates/${json.id}/verdict`)).status).toBe(404);
  expect((await server.post(`/v2/${project}/gates/${json.id}/cancel`, {})).json).toEqual({ canceled: false });
});

test('lists gates, the newest first, and those of a suite', async () => {
  await freeze();
  const { json: first } = await start({ rows_max: 1 });
  const { json: second } = await start({ rows_max: 1 });
  const list = async (query = '') => (await server.get(`/v2/${project}/gates${query}`)).json.gates;
  expect((await list()).map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);
  expect((await list('?suite=suite&limit=1&offset=1')).map(({ id }: { id: string }) => id)).toEqual([first.id]);
  expect(await list('?suite=other')).toEqual([]);
  await expect.poll(async () => (await list())[1].threads, { timeout: 30_000 }).toBe(1);
});

describe('refuses', () => {
  test.each<[string, object, number, RegExp]>([
    ['an unknown suite', { suite: 'none' }, 404, /no suite none/],
    ['an unknown model', { candidate: 'weave:///ent/none/object/m:v0' }, 404, /none/],
    ['an unknown scorer', { scorers: ['nothing'] }, 404, /no scorer nothing/],
    ['an unknown metric', { target: { metric: 'other', gain: 0.1 } }, 400, /no metric other.*Metrics: regex/],
    ['a gain of 0', { target: { metric: short, gain: 0 } }, 400, /gain 0.*above 0/],
    ['a gain beyond the range', { target: { metric: short, gain: 1 } }, 400, /below 1/],
    ['latency without a limit', { guardrails: [{ metric: 'latency', margin: 0.1 }] }, 400, /has no bound/],
    [
      'a slice without rows',
      { watched: [{ metric: short, harm: 0.1, slice: { column: 'language', value: 'fr' } }] },
      400,
      /no rows of .*fr/,
    ],
    ['no repeats', { repeats: 0 }, 422, /from 1 to 100/],
    ['a body without a target', { target: null }, 422, /target/],
    ['a model that is asked nothing', { candidate: 'heddle/tiny' }, 400, /The candidate has no messages/],
  ])('%s, and stores nothing', async (_what, body, status, message) => {
    await freeze();
    const answer = await start(body);
    expect(answer.text).toMatch(message);
    expect(answer.status).toBe(status);
    expect((await server.get(`/v2/${project}/gates`)).json.gates).toEqual([]);
  });

  test('a suite that is held out', async () => {
    await freeze(words, { purpose: 'held_out' });
    expect((await start({})).status).toBe(400);
  });
});

describe('prompts of models by name', () => {
  const byName = { candidate: 'heddle/tiny', incumbent: 'heddle/tiny', rows_max: 1 };
  const publishPrompt = (content: string, name = 'ask') => {
    const type = 'StringPrompt';
    const val = { _type: type, _class_name: type, _bases: ['Prompt', 'Object', 'BaseModel'], content };
    return server.post('/obj/create', { obj: { project_id: project, object_id: name, val } });
  };
  const readObject = async (ref: string) => (await server.post('/refs/read_batch', { refs: [ref] })).json.vals[0];

  test('each model gets its own, as it was when the gate was planned', async () => {
    await freeze();
    await publishPrompt('Say {word}');
    const { digest } = (await publishPrompt('Shout {word}')).json;
    const gate = await ended({
      ...byName,
      model_params: { messages_template: [{ role: 'user', content: 'ignored' }], max_tokens: 2 },
      candidate_params: { prompt: 'ask', max_tokens: 1 },
      incumbent_params: { prompt: 'ask:v0' },
    });
    expect(gate).toMatchObject({
      state: 'decided',
      candidate: { name: 'heddle/tiny with ask' },
      incumbent: { name: 'heddle/tiny with ask:v0' },
    });
    const [candidate, incumbent] = [await readObject(gate.candidate.ref), await readObject(gate.incumbent.ref)];
    const ref = `weave:///${project}/object/ask:${digest}`;
    expect(candidate.default_params).toEqual({ prompt: ref, max_tokens: 1 });
    expect(incumbent.default_params).toMatchObject({ max_tokens: 2 });
    expect((await readObject(incumbent.default_params.prompt)).content).toBe('Say {word}');
  });

  test.each([
    ['a prompt that does not exist', { candidate_params: { prompt: 'none' } }, 404, /no prompt none/],
    ['an object without messages', { candidate_params: { prompt: 'rows' } }, 400, /rows is not a prompt with messages/],
    ['a prompt for a published model', { candidate: 'one', candidate_params: { prompt: 'ask' } }, 400, /has its own/],
  ])('refuses %s', async (_what, body, status, message) => {
    await freeze();
    await publishPrompt('Say {word}');
    const answer = await start({ ...byName, ...body });
    expect(answer.text).toMatch(message);
    expect(answer.status).toBe(status);
  });
});

test('fails with the reason when a score is not what the plan says', async () => {
  await freeze(words.map((row) => ({ ...row, expected: 'word' })));
  const scorer = 'text_similarity:0.5';
  const gate = await ended({ scorers: [scorer], target: { metric: scorer, gain: 0.1 } });
  expect(gate).toMatchObject({ state: 'failed', verdict: null });
  expect(gate.error).toMatch(/not a number.*members similarity, passed/);
  const member = await ended({ scorers: [scorer], target: { metric: `${scorer}.similarity`, gain: 0.1 }, rows_max: 3 });
  expect(member.state).toBe('decided');
});
