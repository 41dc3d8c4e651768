import { expect } from 'vitest';
import { newId, type UserId } from '../../../../contract/ids.ts';
import type { Estimates } from '../../../../domain/gates/comparison.ts';
import type { StoredPlan } from '../../../../domain/gates/stored-plan.ts';
import { openGates, type PlannedGate } from '../../../../services/gates/gates.ts';
import { openLoops } from '../../../../services/loops/loops.ts';
import type { Owner } from '../../../../services/owner.ts';
import { openSuites } from '../../../../services/suites/suites.ts';
import { addLoop } from '../../loops/loops.ts';
import { createPolicy, listPolicies } from '../../policies/policies.ts';
import { overlapsOfJob, saveSuiteCheck } from '../../suites/overlaps.ts';
import { addSuite, findSuite, listSuites, saveScan } from '../../suites/suites.ts';
import { type Cases, each, eachOrRefused, type Start, writers } from './case.ts';
import { newJob, newModel } from './training.ts';

const unfenced = async () => {};

export const evidenceCases: Cases = {
  /** Candidates that start at once have different numbers, and each level follows from those before. */
  async 'services/gates/gates.ts add'(start) {
    const { gates, gate, owner } = await newGates(start);
    const added = await each(() => gates.add(gate(), owner, unfenced));
    const byNumber = added.toSorted((a, b) => a.number - b.number);
    expect(byNumber.map(({ number }) => number)).toEqual(writers.map((index) => index + 1));
    for (const { number, plan } of byNumber) expect(plan.alpha).toBeCloseTo(0.05 / (number * (number + 1)), 12);
  },

  /** A thread is added once, and the first end counts. */
  async 'services/gates/gates.ts within'(start) {
    const { gates, gate, owner } = await newGates(start);
    const { id } = await gates.add(gate(), owner, unfenced);
    const compared = { thread: 'a', rows: 1, isClean: true, differences: { target: 1, guardrails: [], watched: [] } };
    await each(() => gates.addThread(id, { position: 0, compared, estimates }, unfenced));
    expect(await gates.threads(id)).toEqual([compared]);
    await each((index) => (index % 2 === 0 ? gates.cancel(id, unfenced) : gates.fail(id, 'no', unfenced)));
    const { state, error } = await gates.read(id, owner);
    expect([state, error]).toEqual(state === 'failed' ? ['failed', 'no'] : ['canceled', null]);
  },

  /** A loop has one open turn, and its job is queued once. */
  async 'services/loops/loops.ts queueTurn'(start) {
    const { loops, owner, queued } = await newLoops(start);
    const { values, refusals } = await eachOrRefused(() => loops.startTurn(owner, 'l'));
    const numbers = new Set(values.map(({ turn }) => turn.number));
    expect([numbers, queued().length]).toEqual([new Set([1]), 1]); // some may find the turn that waits, and start that
    expect(refusals.every((kind) => kind === 'conflict')).toBe(true);
  },

  /** The first end counts, and queues one next turn. */
  async 'services/loops/loops.ts within'(start) {
    const { loops, owner, queued } = await newLoops(start, 1);
    const found = await loops.startTurn(owner, 'l');
    await each(() => loops.endTurn({ ...found, project: 'e/p' }, { outcome: 'rejected', reason: '' }, unfenced));
    const { turns } = await loops.read(owner, 'l');
    expect(turns.map(({ number, phase }) => [number, phase])).toEqual([
      [2, 'waiting'],
      [1, 'ended'],
    ]);
    expect(queued()).toHaveLength(2);
  },

  /** A name is taken once, and its scan is queued once. */
  async 'services/suites/suites.ts freeze'(start) {
    const owner = await newOwner(start);
    let queued = 0;
    const identity = { projectForRead: async () => start.projectId };
    const objects = { find: async () => ({ digest: 'd', value: '{"rows":"weave:///e/p/table/t"}' }) };
    const deps = { postgres: start.postgres, identity, objects, tables: { count: async () => 1 } };
    const suites = openSuites(deps as never, { enqueue: async () => void queued++ });
    const wanted = { name: 's', dataset: 'd', purpose: 'gate' as const, threadColumn: null, alpha: 0.05 };
    const { values, refusals } = await eachOrRefused(() => suites.freeze(wanted, owner));
    expect([values.length, new Set(refusals), queued]).toEqual([1, new Set(['conflict']), 1]);
    expect(await listSuites(start.postgres, start.projectId)).toMatchObject([{ name: 's' }]);
  },

  /** A policy has a name for itself, with its first version. */
  async 'store/postgres/policies/policies.ts createPolicy'(start) {
    const { caller } = await newOwner(start);
    const version = { number: 1, createdBy: caller.userId, plan: {}, key: 'k', experiment: 1, buckets: [], moved: [] };
    const { values, refusals } = await eachOrRefused(async () => {
      const policy = { id: newId(), projectId: start.projectId, name: 'bot', key: 'k' };
      await createPolicy(start.postgres, policy, { ...version, reason: '', undoesTo: null, verdict: null } as never);
      return policy.id;
    });
    expect(new Set(refusals)).toEqual(new Set(['conflict']));
    const policies = await listPolicies(start.postgres, start.projectId);
    expect(policies.map(({ id }) => id)).toEqual(values);
  },

  /** Each row of a suite is there once, from whichever check was first. */
  async 'store/postgres/suites/overlaps.ts saveSuiteCheck'(start) {
    const suite = await newSuite(start);
    const job = await newJob(start, (await newModel(start)).id);
    const overlap = { suiteId: suite.id, suiteName: 's', kind: 'exact' as const, similarity: 1, callId: null };
    await each((index) => {
      const overlaps = [0, index].map((rowIndex) => ({ ...overlap, rowIndex, line: index + 1 }));
      return saveSuiteCheck(start.postgres, job.id, { rows: 2, overlaps }, 'refused', unfenced);
    });
    const rows = (await overlapsOfJob(start.postgres, job.id, 100)).map(({ rowIndex }) => rowIndex);
    expect(rows.toSorted()).toEqual(writers);
  },

  async 'store/postgres/suites/suites.ts saveScan'(start) {
    const suite = await newSuite(start);
    await each((index) => saveScan(start.postgres, suite.id, { scan_jobs: 8, scan_done: index }, unfenced));
    const { scan } = (await findSuite(start.postgres, start.projectId, suite.name))!;
    expect([scan.jobs, writers.includes(scan.done)]).toEqual([8, true]);
  },
};

const bounds = { lower: -1, upper: 1 };
const estimate = { threads: 1, mean: 1, bounds };
const estimates: Estimates = { target: estimate, targetOfAll: estimate, guardrails: [], watched: [] };

async function newOwner({ postgres, projectId }: Start): Promise<Owner> {
  await postgres.db
    .insertInto('users')
    .values({ id: projectId, username: projectId, default_entity_id: 'e' })
    .execute();
  return { project: { id: projectId, name: `e/${projectId}` }, caller: callerOf(projectId) };
}

function callerOf(id: string): Owner['caller'] {
  return { userId: id as UserId, username: id, isOwner: true, defaultEntity: 'e' };
}

async function newSuite(start: Start) {
  const { caller } = await newOwner(start);
  const suite = {
    ...{ id: newId(), name: 's', purpose: 'gate' as const, datasetRef: 'd', rowCount: 8, threadColumn: null },
    ...{
      table: { projectId: start.projectId, digest: 't' },
      alpha: 0.05,
      frozenBy: caller.userId,
      frozenAt: new Date(),
    },
    scan: { jobs: null, done: 0, unread: 0, endedAt: null, error: null },
  };
  await addSuite(start.postgres, start.projectId, suite);
  return suite;
}

async function newGates(start: Start) {
  const suite = await newSuite(start);
  const secretKey = { source: '', ensure: () => Buffer.alloc(32), exists: () => true, read: () => Buffer.alloc(32) };
  const gates = openGates({ postgres: start.postgres, secretKey });
  const model = { ref: 'r', name: 'm' };
  const measure = { kind: 'score', low: 0, high: 1 } as const;
  const plan: Omit<StoredPlan, 'alpha'> = {
    target: { name: 's', source: 's', measure, better: 'higher', gain: 0.1 },
    ...{ guardrails: [], watched: [], threads: 8, threadsMax: 8, repeats: 1, seed: 's', rowsMax: null, trainedOn: [] },
  };
  const gate = (): PlannedGate => ({
    ...{ id: newId(), candidate: model, incumbent: model, evaluationRef: 'e', suite, plan },
  });
  const owner: Owner = {
    project: { id: start.projectId, name: `e/${start.projectId}` },
    caller: callerOf(suite.frozenBy),
  };
  return { gates, gate, owner };
}

async function newLoops(start: Start, everyHours: number | null = null) {
  const suite = await newSuite(start);
  const owner = { project: { id: start.projectId, name: `e/${start.projectId}` }, caller: callerOf(suite.frozenBy) };
  const queued: string[] = [];
  const runner = { enqueue: async ({ id }: { id: string }) => void queued.push(id), cancel: async () => true };
  const loops = openLoops({ postgres: start.postgres } as never, runner);
  const plan = {
    ...{ chats: { where: 'op_name:a' }, scorer: { reward: 'r' }, method: { kind: 'sft' }, model: 'm', suite: 's' },
    ...{ gate: { scorers: [], target: { metric: 't', gain: 0.1 } }, rollout: { policy: 'p', stages: [] } },
    every_hours: everyHours,
  };
  const { id: projectId } = owner.project;
  const loop = { id: newId(), projectId, name: 'l', plan: JSON.stringify(plan), createdBy: suite.frozenBy };
  await addLoop(start.postgres, loop);
  return { loops, owner, queued: () => queued };
}
