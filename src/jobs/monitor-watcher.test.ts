import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { contextForFile } from '../api/testing/context.ts';
import { openRules } from '../evaluation/rules/rules.ts';
import type { Caller } from '../identity/identity.ts';
import { readCounts, readCursor } from '../store/postgres/monitors/watched.ts';
import { nowMicroseconds } from '../util/timestamp.ts';
import { task } from './job-kind.ts';
import { startMonitorWatcher } from './monitor-watcher.ts';
import { scoreCalls, scoreCallsHandler } from './tasks/score-calls.ts';

const file = contextForFile();
const rules = openRules();
let caller: Caller;
let project: { id: Awaited<ReturnType<typeof file.current.identity.projectForWrite>>; name: string };
let errors: string[] = [];
let watcher: { close(): Promise<void> } | null = null;
let projects = 0;

beforeAll(async () => {
  const { identity, services, jobs, graders } = file.current;
  await identity.ensureOwner({ name: 'ent', apiKey: '' });
  caller = (await identity.findOwner())!;
  await jobs.start([
    task(
      scoreCalls,
      scoreCallsHandler({ identity, services, rules, graders }, () => {}),
    ),
  ]);
  return () => rules.close();
});
beforeEach(async () => {
  const name = `ent/m${projects++}`;
  project = { name, id: await file.current.identity.projectForWrite(caller, name) };
  errors = [];
});
afterEach(() => watcher?.close());

function watch(callsPerHourMax = 1000, peers = file.current.peers): void {
  const onError = (error: unknown, message: string) => errors.push(`${message}: ${(error as Error).message}`);
  watcher = startMonitorWatcher({ ...file.current, peers }, { callsPerHourMax, onError, everyMs: 50, settledMs: 150 });
}

async function publish(objectId: string, value: object): Promise<string> {
  const text = JSON.stringify(value);
  const { digest } = await file.current.services.objects.publish({
    projectId: project.id,
    objectId,
    value: text,
    caller,
  });
  return `weave:///${project.name}/object/${objectId}:${digest}`;
}

const ofClass = (name: string, ...bases: string[]) => ({ _type: name, _class_name: name, _bases: bases });

async function monitor(fields: object, name = 'watch'): Promise<string> {
  const rule = { ...ofClass('RuleScorer', 'Scorer', 'Object', 'BaseModel'), rule: 'regex', pattern: 'yes' };
  const defaults = { active: true, sampling_rate: 1, op_names: [], query: null, is_traced: true };
  const scorers = [await publish('has-yes', rule)];
  return publish(name, { ...ofClass('Monitor', 'Object', 'BaseModel'), name, scorers, ...defaults, ...fields });
}

async function record(op: string, fields: object = {}): Promise<string> {
  const id = randomUUID();
  const now = nowMicroseconds();
  const opName = `weave:///${project.name}/op/${op}:abc`;
  const call = { id, traceId: id, opName, startedAt: now, endedAt: now, attributes: '{}', inputs: '{}', summary: '{}' };
  const { calls } = file.current.services;
  const part = await calls.makeComplete({ ...call, output: '"yes"', ...fields }, caller.userId);
  await calls.record([{ projectId: project.id, id, part }]);
  return id;
}

async function feedback(): Promise<any[]> {
  const { calls } = file.current.services;
  const found: any[] = [];
  for await (const page of await calls.query({ project, includeFeedback: true })) {
    for (const { call, extras } of page) {
      for (const each of JSON.parse((extras as { feedback: string }).feedback))
        found.push({ callId: call.id, ...each });
    }
  }
  return found;
}

const scored = (count: number) =>
  vi.waitFor(
    async () => {
      const found = await feedback();
      expect(found).toHaveLength(count);
      return found;
    },
    { timeout: 10_000, interval: 50 },
  );

const counts = async () => (await readCounts(file.current.postgres.db, project.id, new Date(0))).get('watch');
const counted = (expected: object) =>
  vi.waitFor(async () => expect(await counts()).toMatchObject(expected), { timeout: 10_000, interval: 50 });

test('scores calls that end after its activation and match its ops and its query', async () => {
  await record('answer');
  await new Promise((resolve) => setTimeout(resolve, 5));
  const query = { $expr: { $eq: [{ $getField: 'inputs.kind' }, { $literal: 'good' }] } };
  const ref = await monitor({ op_names: [`weave:///${project.name}/op/answer:*`], query });
  watch();
  const good = { inputs: '{"kind":"good"}' };
  await record('answer', { inputs: '{"kind":"bad"}' });
  await record('other', good);
  const id = await record('answer', good);
  const [found] = await scored(1);
  expect(found).toMatchObject({
    callId: id,
    feedback_type: 'wandb.runnable.has-yes',
    trigger_ref: ref,
    payload: { output: true },
  });
  expect(await counts()).toEqual({ scored: 1, notSampled: 0, overLimit: 0 });
  expect(errors).toEqual([]);
});

test('does not score the calls of scorers and evaluations', async () => {
  await monitor({});
  watch();
  await record('Evaluation.evaluate');
  await record('predict', { attributes: '{"_weave_eval_meta":{"declarative":true}}' });
  await record('answer');
  await scored(1);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await feedback()).toHaveLength(1);
});

test('scores a sample, and counts the calls it skips', async () => {
  await monitor({ sampling_rate: 0.5 });
  for (let i = 0; i < 60; i++) await record('answer');
  watch();
  await vi.waitFor(
    async () => {
      const { scored: some, notSampled } = (await counts())!;
      expect(some + notSampled).toBe(60);
    },
    { timeout: 10_000, interval: 50 },
  );
  const { scored: some } = (await counts())!;
  expect(some).toBeGreaterThan(10);
  expect(some).toBeLessThan(50);
  await scored(some);
});

test('scores no more calls per hour than its limit, and counts the others', async () => {
  await monitor({});
  watch(3);
  for (let i = 0; i < 5; i++) await record('answer');
  await counted({ scored: 3, overLimit: 2 });
  await scored(3);
});

test('records only feedback if tracing is off', async () => {
  await monitor({ is_traced: false });
  watch();
  await record('answer');
  const [found] = await scored(1);
  expect(found.call_ref).toBeNull();
});

test('continues from its last position after a restart', async () => {
  await monitor({});
  watch();
  await record('answer');
  await scored(1);
  await watcher!.close();
  await record('answer');
  await record('answer');
  watch();
  await scored(3);
  await counted({ scored: 3 });
});

test.each([true, false])(
  'a call that is written again after a restart is not scored again, traced: %s',
  async (isTraced) => {
    await monitor({ is_traced: isTraced });
    watch();
    const id = await record('answer');
    await scored(1);
    await watcher!.close();
    const part = { kind: 'rename' as const, displayName: 'again' };
    await file.current.services.calls.record([{ projectId: project.id, id, part }]);
    await record('answer');
    watch();
    await counted({ scored: 3 }); // given to the scorer
    await vi.waitFor(async () => expect(await file.current.jobs.count()).toEqual([]), { timeout: 10_000 });
    expect(await feedback()).toHaveLength(2);
    let callCount = 0;
    for await (const page of await file.current.services.calls.query({ project })) callCount += page.length;
    expect(callCount).toBe(isTraced ? 4 : 2);
  },
);

test('beside other processes, scores a call that appears long after its end, from the first look on', async () => {
  await monitor({});
  const { postgres, peers } = file.current;
  let settled = 0;
  const numbers = { ...peers.numbers, settled: async () => settled };
  watch(1000, { ...peers, isAlone: false, numbers });
  await vi.waitFor(async () => expect(await readCursor(postgres.db, project.id)).not.toBeNull(), { timeout: 10_000 });
  await record('answer', { endedAt: nowMicroseconds() - 300_000_000 });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await feedback()).toEqual([]);
  settled = Number.MAX_SAFE_INTEGER - 1;
  await scored(1);
});

test('beside other processes, scores a call whose end is before the activation by a clock that is behind, and no older one', async () => {
  await record('answer', { endedAt: nowMicroseconds() - 15_000_000 });
  await monitor({});
  const { peers } = file.current;
  const numbers = { ...peers.numbers, settled: async () => Number.MAX_SAFE_INTEGER - 1 };
  const id = await record('answer', { endedAt: nowMicroseconds() - 8_000_000 });
  watch(1000, { ...peers, isAlone: false, numbers });
  expect(await scored(1)).toMatchObject([{ callId: id }]);
  expect(await counts()).toMatchObject({ scored: 1 });
});

test('stops when deactivated, and continues from there when reactivated', async () => {
  await monitor({});
  watch();
  await record('answer');
  await scored(1);
  await monitor({ active: false });
  await new Promise((resolve) => setTimeout(resolve, 200));
  await record('answer');
  await new Promise((resolve) => setTimeout(resolve, 600));
  await monitor({ active: true, description: 'again' });
  await record('answer');
  await scored(2);
});

test('reports a monitor that cannot be used, and the others go on', async () => {
  await monitor({ scorer_debounce_config: { aggregation_field: 'trace_id', timeout_seconds: 1 } }, 'debounced');
  await monitor({ sampling_rate: 2 }, 'wrong');
  await monitor({});
  watch();
  await record('answer');
  await scored(1);
  expect(errors.sort()).toEqual([expect.stringContaining('/debounced:'), expect.stringContaining('/wrong:')]);
});
