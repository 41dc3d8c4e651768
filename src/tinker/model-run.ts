import { hash } from 'node:crypto';
import { newId } from '../contract/ids.ts';
import type { BaseModel } from '../domain/model.ts';
import type { TrainingUsage } from '../domain/training/usage.ts';
import { evaluateLoss, objectiveOf } from '../engine/training/objectives/losses.ts';
import type { Loss, OptimizerOptions, RowScores, TrainingState } from '../engine/training/types.ts';
import type { Budget } from '../finetuning/budget.ts';
import { UsageRecord, usageMetrics } from '../finetuning/usage-record.ts';
import type { Project } from '../services/owner.ts';
import { addTinkerRun, endTinkerRun } from '../store/postgres/tinker/runs.ts';
import { createModel, type TrainedModel } from '../store/postgres/training/models.ts';
import type { ModelInTraining, Trainer } from '../training/trainer.ts';
import { conflict, unacceptable } from '../util/failures.ts';
import { nowMicroseconds } from '../util/timestamp.ts';
import { lossOf } from './losses.ts';
import { NumberedRequests } from './numbered-requests.ts';
import { type DatumRow, rowsOf } from './rows.ts';
import { type JobStores, RunJob } from './run-job.ts';
import { StepLog } from './step-log.ts';
import { type Recorder, RunTrace } from './trace.ts';
import type { TrainingOutput } from './training-output.ts';
import type { TrainingRequest } from './training-request.ts';

export type RunDeps = JobStores & { trainer: Trainer; budget: Budget; recorder: Recorder };

export type RunSpec = {
  id: string;
  project: Project;
  userId: string;
  base: BaseModel;
  lora: { rank: number; alpha: number; seed: number };
  /** The state that it starts with, where it does not start with new weights. */
  from?: { path: string; read(): Promise<TrainingState> } | undefined;
  sequenceTokensMax: number;
  userMetadata: Record<string, unknown> | null;
};

type Pass = { request: TrainingRequest; rows: DatumRow[]; signal: AbortSignal };
type Opened = { trained: TrainedModel; model: ModelInTraining; trace: RunTrace };

/** A model that a client trains. Its requests run one after another, in the order in which they arrive. */
export class ModelRun {
  readonly spec: RunSpec;
  readonly requests = new NumberedRequests<string>();
  lastRequestAt = new Date();
  readonly #deps: RunDeps;
  #last: Promise<unknown>;
  #opened: Promise<Opened>;
  #job: RunJob | null = null;
  #log = new StepLog();
  readonly #usage: UsageRecord;
  #isEnded = false;

  constructor(deps: RunDeps, spec: RunSpec) {
    this.#deps = deps;
    this.spec = spec;
    this.#usage = new UsageRecord(deps.postgres);
    this.#opened = this.#open();
    this.#last = this.#opened.catch(() => {});
  }

  /** Resolves when the model can be trained. @throws Failure if it cannot be */
  async opened(): Promise<TrainedModel> {
    return (await this.#opened).trained;
  }

  async pass(request: TrainingRequest, signal: AbortSignal): Promise<TrainingOutput> {
    const loss = lossOf(request.lossName, request.lossConfig);
    const rows = rowsOf(request, this.spec.sequenceTokensMax);
    return this.#inTurn(signal, async ({ model, trace }) => {
      const startedAt = nowMicroseconds();
      try {
        const output = await this.#compute(model, loss, { request, rows, signal });
        trace.pass(request, startedAt, { output });
        return output;
      } catch (error) {
        trace.pass(request, startedAt, { failure: (error as Error).message });
        throw error;
      }
    });
  }

  optimStep(options: OptimizerOptions, signal: AbortSignal): Promise<Record<string, number>> {
    return this.#inTurn(signal, async ({ model, trace }) => {
      const startedAt = nowMicroseconds();
      try {
        const result = await model.optimStep(options);
        const used = usageMetrics(await this.#storeUsage(model));
        const metrics = { ...this.#log.metrics(options, result), ...used };
        this.#log = new StepLog();
        trace.optimStep(options, startedAt, { step: result.step, metrics });
        await this.#job?.addStep(metrics);
        return {
          ...(result.gradientNorm === null ? {} : { 'heddle/grad_norm': result.gradientNorm }),
          'heddle/learning_rate': options.learningRate,
          'heddle/step': result.step,
        };
      } catch (error) {
        trace.optimStep(options, startedAt, { failure: (error as Error).message });
        throw error;
      }
    });
  }

  /** Runs what saves or replaces the state of the model, in its turn. */
  withState<Result extends object>(
    op: 'save' | 'load',
    inputs: object,
    signal: AbortSignal,
    work: (opened: Opened & { job(): Promise<RunJob> }) => Promise<Result>,
  ): Promise<Result> {
    return this.#inTurn(signal, async (opened) => {
      const startedAt = nowMicroseconds();
      const job = () => this.#startJob(opened.trained, 'rl');
      const result = await work({ ...opened, job });
      opened.trace.checkpoint(op, inputs, startedAt, result);
      return result;
    });
  }

  /** Ends it after the requests that were accepted, with a checkpoint of what it learned. May be called again. */
  end(): Promise<void> {
    if (this.#isEnded) return this.#last.then(() => {});
    this.#isEnded = true;
    const ending = this.#last.then(() => this.#close());
    this.#last = ending.catch(() => {});
    return ending;
  }

  async #open(): Promise<Opened> {
    const { id, project, userId, base, lora, from, sequenceTokensMax, userMetadata } = this.spec;
    const { trainer, postgres, recorder } = this.#deps;
    const model = await trainer.createModel({ base, ...lora, sequenceTokensMax });
    try {
      const startedAt = nowMicroseconds();
      if (from) await model.loadState(await from.read());
      const created = { id: newId(), projectId: project.id, name: nameOf(id), baseModel: base.name, createdBy: userId };
      const trained = await createModel(postgres, created);
      const { rank: loraRank, alpha: loraAlpha } = lora;
      await addTinkerRun(postgres, { id, modelId: trained.id, loraRank, loraAlpha, userMetadata, createdBy: userId });
      const trace = new RunTrace(recorder, { project, userId, runId: id, model: trained.name });
      if (from) trace.checkpoint('load', { path: from.path }, startedAt, { model_id: id });
      return { trained, model, trace };
    } catch (error) {
      await model.close();
      throw error;
    }
  }

  async #compute(model: ModelInTraining, loss: Loss, { request, rows, signal }: Pass): Promise<TrainingOutput> {
    const spent = await this.#deps.budget.spent(this.spec.project.id);
    if (spent !== null) throw unacceptable(spent);
    const trainingRows = rows.map(({ row }) => row);
    if (request.isForwardOnly) {
      const scores = await model.forward(trainingRows, 'trained', signal);
      return outputOf(rows, scores, evaluateLoss(trainingRows, scores, objectiveOf(loss, trainingRows)).loss);
    }
    const { trained } = await this.#opened;
    await this.#startJob(trained, request.lossName === 'cross_entropy' ? 'sft' : 'rl');
    const result = await model.forwardBackward(trainingRows, loss, signal);
    this.#log.add(rows, result);
    return outputOf(rows, result.rows, result.loss);
  }

  /** A run that has trained nothing has no job. */
  #storeUsage({ usage }: ModelInTraining): Promise<TrainingUsage> {
    return this.#usage.store({ jobId: this.#job?.id ?? this.spec.id, projectId: this.spec.project.id }, usage);
  }

  async #startJob(trained: TrainedModel, kind: 'sft' | 'rl'): Promise<RunJob> {
    const { id: runId, userId, lora } = this.spec;
    const config = { tinker: { run: runId, lora } };
    this.#job ??= await RunJob.start(this.#deps, trained, { runId, kind, config, createdBy: userId });
    return this.#job;
  }

  async #inTurn<Result>(signal: AbortSignal, work: (opened: Opened) => Promise<Result>): Promise<Result> {
    if (this.#isEnded) throw conflict('This model has been unloaded. Create another one, or load what was saved.');
    this.lastRequestAt = new Date();
    const done = this.#last.then(async () => {
      signal.throwIfAborted();
      return work(await this.#opened);
    });
    this.#last = done.catch(() => {});
    return done;
  }

  async #close(): Promise<void> {
    const opened = await this.#opened.catch(() => null);
    if (!opened) return;
    const { model } = opened;
    try {
      await this.#job?.end(() => model.saveState());
    } catch (error) {
      await this.#job?.fail(`The last state of the model could not be saved: ${(error as Error).message}`);
    } finally {
      await this.#storeUsage(model).catch(() => {}); // what is left is little, and the run ends anyway
      await model.close();
      await endTinkerRun(this.#deps.postgres, this.spec.id);
    }
  }
}

/** Model names have no colons, and are short enough to read. */
function nameOf(runId: string): string {
  return `tinker-${hash('sha256', runId).slice(0, 10)}`;
}

function outputOf(rows: DatumRow[], scores: RowScores[], loss: number): TrainingOutput {
  const logprobs = rows.map(({ shape, cells }, i) => {
    const values = new Float32Array(shape.reduce((all, size) => all * size, 1));
    for (const [target, cell] of cells.entries()) values[cell] = scores[i]!.logprobs[target]!;
    return { shape, values };
  });
  return { logprobs, metrics: { 'loss:sum': loss } };
}
