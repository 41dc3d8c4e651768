import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Heddle, runHeddle, startHeddle } from './harness/heddle.ts';
import { testDataDirectory } from './harness/heddle-for-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'heddle-loop-'));
const data = testDataDirectory();
let server: Heddle;
afterAll(async () => {
  await server?.end('SIGKILL');
  for (const each of [directory, data]) rmSync(each, { recursive: true, force: true });
});

const loop = (...words: string[]) => runHeddle(data, ['loop', ...words, '--project', 'demo']);
const v2 = (path: string) => `/v2/${server.entity}/demo/${path}`;
const turn = async () => JSON.parse((await server.get(v2('loops/support'))).text).latest_turn;

const plan = {
  chats: { where: 'op_name~chat' },
  scorer: { reward: 'output.good' },
  method: { kind: 'sft', config: { learning_rate: 5e-3 }, experimental_config: { epochs: 3 } },
  ...{ model: 'agent', base_model: 'heddle/tiny', suite: 'exam' },
  gate: {
    scorers: ['contains'],
    target: { metric: 'contains', gain: 0.1 },
    model_params: { messages_template: [{ role: 'user', content: '{question}' }], temperature: 0, max_tokens: 8 },
  },
  rollout: { policy: 'bot', stages: [0.5], units: 0, hours: 0.0001, scorers: [] },
};

async function fill(): Promise<void> {
  const rows = Array.from({ length: 60 }, (_, i) => ({ question: `Is ${i} a lucky number?`, expected: 'maybe' }));
  await server.post(v2('datasets'), { name: 'questions', rows });
  await server.post(v2('suites'), { name: 'exam', dataset: 'questions' });
  const traffic = { kind: 'split', shares: { now: 1 } };
  const variants = [{ name: 'now', model: 'heddle/tiny' }];
  await server.post(v2('policies'), { name: 'bot', variants, incumbent: 'now', traffic });
  const batch = Array.from({ length: 36 }, (_, i) => {
    const id = `01900000-0000-7000-8000-0000000000${String(10 + i)}`;
    const messages = [{ role: 'user', content: `Will it rain in ${i} days?` }];
    const choices = [{ message: { role: 'assistant', content: 'maybe' }, finish_reason: 'stop' }];
    const time = { started_at: '2024-01-01T00:00:00Z', ended_at: '2024-01-01T00:00:01Z' };
    const of = { project_id: `${server.entity}/demo`, id, trace_id: id, op_name: 'chat', attributes: {}, summary: {} };
    return { ...of, ...time, inputs: { model: 'gpt-5', messages }, output: { choices, good: i > 0 } };
  });
  expect((await server.post(v2('calls/complete'), { batch })).status).toBe(200);
}

async function killIn(phase: string): Promise<void> {
  await expect.poll(async () => (await turn()).phase, { timeout: 60_000, interval: 20 }).toBe(phase);
  await server.end('SIGKILL');
  server = await startHeddle(data);
}

test('a turn that is killed in each phase goes on, trains once, and is undone by a command', {
  timeout: 180_000,
}, async () => {
  server = await startHeddle(data);
  await fill();
  const file = join(directory, 'loop.json');
  writeFileSync(file, JSON.stringify(plan));
  expect(await loop('save', 'support', '--file', file)).toMatchObject({ code: 0, err: 'Made the loop support.\n' });
  expect(await loop('start', 'support', '--detach')).toMatchObject({ code: 0, err: 'Started turn 1.\n' });
  for (const phase of ['collecting', 'training', 'testing']) await killIn(phase);
  const watched = await loop('watch', 'support');
  expect(watched).toMatchObject({
    code: 0,
    out: expect.stringMatching(/Turn 1: promoted\. .*agent:step1 has all traffic of bot\.\n$/),
  });
  expect(await turn()).toMatchObject({ collected: { kept: 35 }, verdict: 'promote' });
  const jobs = (await runHeddle(data, ['jobs', 'list'])).out.trimEnd().split('\n');
  expect(jobs).toHaveLength(2);

  const shown = (await loop('show', 'support')).out;
  expect(shown).toMatch(/^1 +20\S+ \S+ +35 +agent:step1 +promoted/m);
  expect(shown).toContain('1  its score is below 1');
  expect(JSON.parse((await loop('show', 'support', '--json')).out)).toMatchObject({ model: 'agent', suite: 'exam' });
  expect(await loop('undo', 'support')).toMatchObject({
    code: 0,
    err: 'Turn 1 is undone: heddle/tiny has all traffic.\n',
  });
  expect((await loop('list')).out).toMatch(/^support +agent +bot +1 +promoted$/m);
  expect(await loop('pause', 'support')).toMatchObject({ code: 0 });
  expect(await loop('start', 'support')).toMatchObject({ code: 1, err: expect.stringContaining('paused') });
  expect(await loop('resume', 'support')).toMatchObject({ code: 0 });
  expect(await loop('delete', 'support')).toMatchObject({ code: 0 });
  expect((await loop('list')).out).not.toContain('support');
});
