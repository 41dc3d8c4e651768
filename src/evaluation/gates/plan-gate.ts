import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { z } from 'zod';
import type { gateRequest } from '../../contract/gates/create.ts';
import { isIn, measuredSources } from '../../domain/gates/answer-values.ts';
import type { PlannedWatch } from '../../domain/gates/stored-plan.ts';
import type { Measure, Metric } from '../../domain/statistics/plan.ts';
import { threadOrder } from '../../domain/statistics/thread-order.ts';
import { openPublisher } from '../../services/evaluations/publish.ts';
import type { PlannedGate } from '../../services/gates/gates.ts';
import type { Owner } from '../../services/owner.ts';
import type { Services } from '../../services/services.ts';
import { readSuiteThreads, type SuiteThread } from '../../services/suites/suite-threads.ts';
import type { Suites } from '../../services/suites/suites.ts';
import { conflict, invalidInput } from '../../util/failures.ts';
import { versionReader } from '../read-version.ts';
import { type EvaluationDeps, readEvaluation } from '../setup.ts';
import { publishModels } from './publish-models.ts';
import { sides } from './sides.ts';

export type GateRequest = z.output<typeof gateRequest>;

export type PlanDeps = EvaluationDeps & { services: Pick<Services, 'resources' | 'suites' | 'gates'> };

/**
 * Plans a gate: publishes what it asks, and reads the suite.
 * @throws Failure for models, scorers and metrics that do not exist, and for a suite that is not one for gates
 */
export async function planGate(deps: PlanDeps, request: GateRequest, owner: Owner): Promise<Omit<PlannedGate, 'id'>> {
  const { services } = deps;
  const suite = await services.suites.read(request.suite, owner);
  if (suite.purpose !== 'gate') throw invalidInput(`The suite ${suite.name} is held out: freeze one for gates.`);
  const publisher = openPublisher(services, owner);
  const models = await publishModels(request, publisher, versionReader(deps, owner.caller));
  const scorers: string[] = [];
  for (const each of request.scorers) scorers.push(await publisher.scorer(each));
  const evaluation = await publisher.newEvaluation({
    ...{ dataset: suite.datasetRef, scorers, trials: request.repeats, name: null },
  });
  const setups = {
    candidate: await readEvaluation(deps, { evaluation, model: models.candidate.ref }, owner),
    incumbent: await readEvaluation(deps, { evaluation, model: models.incumbent.ref }, owner),
  };
  checkSources(
    request,
    setups.candidate.scorers.map(({ key }) => key),
  );

  await waitForScan(services.suites, suite.name, owner);
  const trainedOn = new Set<number>();
  for (const { model } of Object.values(setups)) {
    for (const index of await services.suites.notClean(suite, model.modelId, owner.caller)) trainedOn.add(index);
  }
  const watched = request.watched.map(watchOf);
  const inSlices = watched.map(() => new Set<string>());
  let asksItself = false;
  const threads = await readSuiteThreads(services.tables, suite, owner.caller, (row, thread) => {
    asksItself ||= row.user_input !== undefined && row.user_input !== null;
    for (const [i, { slice }] of watched.entries()) if (isIn(slice, row)) inSlices[i]!.add(thread);
  });
  const silent = sides.find((side) => !setups[side].model.hasMessages);
  if (silent !== undefined && !asksItself) {
    throw invalidInput(
      `The ${silent} has no messages: give it a prompt or a messages_template, or the suite's dataset a column user_input.`,
    );
  }
  const isClean = (id: string) => threads.get(id)!.rows.every(({ index }) => !trainedOn.has(index));
  const clean = new Set([...threads.keys()].filter(isClean));
  if (clean.size === 0) {
    throw invalidInput(
      `Each thread of the suite ${suite.name} has a row like those that one of the models was trained on.`,
    );
  }
  for (const [i, { name }] of watched.entries()) {
    if (inSlices[i]!.isDisjointFrom(clean)) throw invalidInput(`The suite has no rows of '${name}'.`);
  }
  const seed = request.seed ?? randomBytes(16).toString('hex');
  const { gain, ...target } = request.target;
  return {
    suite,
    candidate: { ref: setups.candidate.model.ref, name: models.candidate.name },
    incumbent: { ref: setups.incumbent.model.ref, name: models.incumbent.name },
    evaluationRef: setups.candidate.evaluationRef,
    plan: {
      target: { ...metricOf(target), gain },
      guardrails: request.guardrails.map(({ margin, ...metric }) => ({ ...metricOf(metric), margin })),
      watched: watched.map((each, i) => ({ ...each, threads: inSlices[i]!.intersection(clean).size })),
      threads: clean.size,
      threadsMax: withinBudget(threads, clean, seed, request.rows_max),
      ...{ repeats: request.repeats, seed, rowsMax: request.rows_max },
      trainedOn: [...trainedOn].sort((a, b) => a - b),
    },
  };
}

type RequestedMetric = Pick<GateRequest['target'], 'metric' | 'measure' | 'better'>;

function metricOf({ metric, measure, better }: RequestedMetric, name = metric): Metric & { source: string } {
  const isMeasured = measuredSources.some((each) => each === metric);
  if (isMeasured && (measure === null || measure.kind === 'score')) {
    throw invalidInput(
      `'${metric}' has no bound: give a measure of the kind share_above, capped or quantile, such as {"kind": "share_above", "limit": 2}.`,
    );
  }
  return { name, source: metric, measure: measureOf(measure), better: better ?? (isMeasured ? 'lower' : 'higher') };
}

function measureOf(measure: RequestedMetric['measure']): Measure {
  if (measure === null) return { kind: 'score', low: 0, high: 1 };
  return measure.kind === 'share_above' ? { kind: 'share-above', limit: measure.limit } : measure;
}

function watchOf({ harm, slice, ...metric }: GateRequest['watched'][number]): Omit<PlannedWatch, 'threads'> {
  const name = slice === null ? metric.metric : `${metric.metric} where ${slice.column} is ${slice.value}`;
  return { ...metricOf(metric, name), harm, slice };
}

function checkSources({ target, guardrails, watched }: GateRequest, keys: string[]): void {
  for (const { metric } of [target, ...guardrails, ...watched]) {
    const isKnown =
      measuredSources.some((each) => each === metric) ||
      keys.some((key) => metric === key || metric.startsWith(`${key}.`));
    if (isKnown) continue;
    const known = [...keys, ...measuredSources].join(', ');
    throw invalidInput(`There is no metric ${metric}. Metrics: ${known}, and members of scores.`);
  }
}

/** How many clean threads, in the order of all, come before the budget of rows is used up. */
function withinBudget(
  threads: Map<string, SuiteThread>,
  clean: Set<string>,
  seed: string,
  rowsMax: number | null,
): number {
  let [rows, count] = [0, 0];
  for (const id of threadOrder([...threads.keys()], seed)) {
    rows += threads.get(id)!.rows.length;
    if (rowsMax !== null && rows > rowsMax) break;
    if (clean.has(id)) count++;
  }
  if (count > 0) return count;
  throw invalidInput(`rows_max (${rowsMax}) is less than the first thread needs.`);
}

const scanMs = { most: 30_000, between: 100 };

/** A suite that has just been frozen is still compared with what was trained before. @throws Failure if that takes long */
async function waitForScan(suites: Pick<Suites, 'read'>, name: string, owner: Owner): Promise<void> {
  const until = performance.now() + scanMs.most;
  while ((await suites.read(name, owner)).scan.endedAt === null) {
    if (performance.now() > until) {
      throw conflict(
        `The suite ${name} is still compared with what was trained before. Start the gate when that has ended.`,
      );
    }
    await wait(scanMs.between);
  }
}
