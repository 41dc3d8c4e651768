import { derivedId } from '../../domain/calls/ids.ts';
import { differencesOf } from '../../domain/gates/answer-values.ts';
import { type ComparedThread, Comparison } from '../../domain/gates/comparison.ts';
import type { GateRecord } from '../../domain/gates/gate-record.ts';
import { type JudgedModel, type VerdictDocument, verdictFormat, whatItTests } from '../../domain/gates/verdict.ts';
import { threadOrder } from '../../domain/statistics/thread-order.ts';
import type { GateFence } from '../../services/gates/gates.ts';
import type { Owner } from '../../services/owner.ts';
import type { Services } from '../../services/services.ts';
import { readSuiteThreads, type SuiteThread } from '../../services/suites/suite-threads.ts';
import { notFound } from '../../util/failures.ts';
import { forEachAtOnce } from '../../util/for-each-at-once.ts';
import { isObject } from '../../util/json/own-member.ts';
import { parsePlain } from '../../util/json/parse.ts';
import { version } from '../../util/version.ts';
import {
  findRun,
  recordEnd,
  recordException,
  recordStart,
  rowOf,
  type TrialInput,
  trialCallId,
} from '../record-run.ts';
import { type EvaluationRun, opsOf, runTrial } from '../run-trial.ts';
import { type EvaluationDeps, readEvaluation } from '../setup.ts';
import { readAnswers } from './read-answers.ts';
import { runIdOf, type Side, sides } from './sides.ts';

export type GateDeps = EvaluationDeps & { services: Pick<Services, 'gates' | 'suites'> };

type Options = {
  signal: AbortSignal;
  report(progress: { done: number; total: number }): void;
  assertHeld: GateFence;
};

/** Answers of one gate that are made at once. */
const trialsAtOnce = 8;

/**
 * Runs a gate: both models answer thread after thread, in the order of the plan, and each whole thread is compared as soon as those
 * before it are. The answers are two evaluations. If it was interrupted, it continues with what is not recorded yet.
 * @throws Failure if it cannot be run
 */
export async function runGate(deps: GateDeps, gateId: string, owner: Owner, options: Options): Promise<void> {
  const { gates, suites, tables } = deps.services;
  const gate = await gates.read(gateId, owner);
  if (gate.endedAt !== null) return;
  const { plan } = gate;
  const suite = await suites.read(gate.suiteName, owner);
  await options.assertHeld();
  await gates.start(gateId);
  const opened = { candidate: await openRun('candidate'), incumbent: await openRun('incumbent') };
  const runs = { candidate: opened.candidate.run, incumbent: opened.incumbent.run };

  const all = await readSuiteThreads(tables, suite, owner.caller);
  const ordered = threadOrder([...all.keys()], plan.seed).map((id) => all.get(id)!);
  const trainedOn = new Set(plan.trainedOn);
  const isClean = ({ rows }: SuiteThread) => rows.every(({ index }) => !trainedOn.has(index));
  const threads = withinBudget(ordered);
  const compared = await gates.threads(gateId);
  const comparison = new Comparison(plan);
  for (const each of compared) comparison.add(each);

  /** Of threads that are being answered: their rows, and how many trials are left. */
  const open = new Map<number, { rows: (TrialInput & { index: number })[]; left: number }>();
  let next = compared.length;
  let comparing = Promise.resolve();
  await forEachAtOnce(trials(), trialsAtOnce, options.signal, async ({ position, side, trial, mayExist }, signal) => {
    await options.assertHeld();
    await runTrial(deps, runs[side], trial, { signal, mayExist });
    open.get(position)!.left--;
    comparing = comparing.then(compareReady);
    await comparing;
  });
  await comparing;
  if (comparison.verdict === null) throw notFound('The suite has fewer threads than the plan.');
  for (const side of sides) {
    await options.assertHeld();
    await recordEnd(deps, runs[side]);
  }
  await gates.decide(gateId, await documentOf(), options.assertHeld);

  async function openRun(side: Side) {
    const id = runIdOf(gateId, side);
    const setup = await readEvaluation(deps, { evaluation: gate.evaluationRef, model: gate[side].ref }, owner);
    const runName = `${gate.suiteName} gate ${gate.number}: ${side}`;
    const opRefs = await deps.services.evaluations.opRefs(owner, ...opsOf(setup));
    const run: EvaluationRun = { id, owner, setup: { ...setup, runName }, opRefs };
    const before = await findRun(deps, { runId: id, owner });
    if (before === null) await recordStart(deps, run);
    return { run, mayExist: before !== null };
  }

  /** The budget of the plan counts clean threads; the others are answered beside them, to be shown. */
  function withinBudget(inOrder: SuiteThread[]): SuiteThread[] {
    let clean = 0;
    return inOrder.filter((thread) => {
      if (clean >= plan.threadsMax) return false;
      if (isClean(thread)) clean++;
      return true;
    });
  }

  /** The trials of threads that are not compared yet, thread by thread, until there is a verdict. */
  async function* trials() {
    for (let position = compared.length; position < threads.length; position++) {
      const { rows: listed } = threads[position]!;
      const texts = await textsOf(listed.map(({ digest }) => digest));
      const rows = listed.map(({ index, digest }) => ({
        ...{ index, rowIndex: index, rowDigest: digest, trialIndex: 0 },
        ...rowOf(texts.get(digest)!),
      }));
      open.set(position, { rows, left: rows.length * plan.repeats * sides.length });
      for (const row of rows) {
        for (let trialIndex = 0; trialIndex < plan.repeats; trialIndex++) {
          for (const side of sides) {
            if (comparison.verdict !== null) return;
            yield { position, side, trial: { ...row, trialIndex }, mayExist: opened[side].mayExist };
          }
        }
      }
    }
  }

  async function textsOf(rowDigests: string[]): Promise<Map<string, string>> {
    const texts = new Map<string, string>();
    for await (const rows of tables.rows({ ...suite.table, rowDigests }, owner.caller)) {
      for (const { digest, text } of rows) texts.set(digest, text);
    }
    return texts;
  }

  /** Compares the threads that are answered whole, as far as those before them are. */
  async function compareReady(): Promise<void> {
    for (let ready = open.get(next); ready?.left === 0 && comparison.verdict === null; ready = open.get(next)) {
      const answered = await readAnswers(deps, runs, ready.rows);
      const thread: ComparedThread = {
        thread: threads[next]!.id,
        rows: ready.rows.length,
        isClean: isClean(threads[next]!),
        differences: differencesOf(plan, answered),
      };
      const position = next;
      comparison.add(thread);
      compared.push(thread);
      const { estimates } = comparison;
      await gates.addThread(gateId, { position, compared: thread, estimates }, options.assertHeld);
      open.delete(position);
      next++;
      options.report({ done: next, total: threads.length });
    }
  }

  async function documentOf(): Promise<VerdictDocument> {
    return {
      format: verdictFormat,
      statement: whatItTests,
      heddle: version,
      gate: gateId,
      project: owner.project.name,
      suite: {
        ...{ name: suite.name, dataset: suite.datasetRef, rows: suite.rowCount },
        ...{ alpha: suite.alpha, candidate: gate.number },
      },
      candidate: await judgedModel('candidate'),
      incumbent: await judgedModel('incumbent'),
      scorers: runs.candidate.setup.scorers.map(({ ref }) => ref),
      plan,
      started_at: (gate.startedAt ?? gate.createdAt).toISOString(),
      ended_at: new Date().toISOString(),
      verdict: comparison.verdict!,
      state: { look: comparison.look, ...comparison.estimates },
      threads: compared,
    };
  }

  async function judgedModel(side: Side): Promise<JudgedModel> {
    return { ...gate[side], model: runs[side].setup.model.modelId, origin: await originOf(side) };
  }

  /** Of the first answer that a model did not fail to give. */
  async function originOf(side: Side): Promise<Record<string, unknown> | null> {
    const firstRows = threads.slice(0, 20).flatMap(({ rows }) => rows.map(({ index }) => index));
    const ids = firstRows.map((rowIndex) =>
      derivedId(trialCallId(runs[side].id, { rowIndex, trialIndex: 0 }), 'predict'),
    );
    const columns = new Set(['attributes'] as const);
    const found = await deps.services.calls.find(ids, { project: owner.project, columns });
    const origins = found.map(({ call }) => (parsePlain(call.attributes) as { heddle?: unknown }).heddle);
    const origin = origins.find(isObject);
    return origin === undefined ? null : { engine: origin.engine, digests: origin.digests };
  }
}

/** Ends the evaluations of a gate that has no verdict, with the reason. */
export async function recordGateException(
  deps: Pick<GateDeps, 'services'>,
  { id }: Pick<GateRecord, 'id'>,
  owner: Owner,
  exception: string,
): Promise<void> {
  for (const side of sides) {
    const runId = runIdOf(id, side);
    const run = await findRun(deps, { runId, owner });
    if (run !== null && run.endedAt === null) await recordException(deps, { runId, owner }, exception);
  }
}
