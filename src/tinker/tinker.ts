import { hash } from 'node:crypto';
import { newId } from '../contract/ids.ts';
import type { OptimizerOptions, TrainingState } from '../engine/training/types.ts';
import type { Budget } from '../finetuning/budget.ts';
import { writeCheckpoint } from '../finetuning/checkpoint-files.ts';
import type { Caller, Identity } from '../identity/identity.ts';
import type { Inference } from '../inference/inference.ts';
import type { ModelReader } from '../inference/model-reader.ts';
import type { Completions } from '../services/completions/completions.ts';
import { checkpointTitle } from '../services/models/artifact-model.ts';
import { overBase } from '../services/models/served-model.ts';
import { findBaseModel } from '../services/training/base-model.ts';
import type { Training } from '../services/training/training.ts';
import { trainingKeys } from '../services/training/training-keys.ts';
import type { Blobs } from '../store/blobs/blobs.ts';
import type { Models } from '../store/models/models.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import type { Trainer } from '../training/trainer.ts';
import { busy, invalidInput } from '../util/failures.ts';
import { Futures, type Outcome, type Result } from './futures.ts';
import { ModelRun, type RunSpec } from './model-run.ts';
import { OpenSessions, type SessionLimits } from './open-sessions.ts';
import { writePath } from './paths.ts';
import { type SamplingRequest, sample } from './sampling.ts';
import { type FoundWeights, type NewSave, SavedWeights } from './saved-weights.ts';
import type { Sampler, Session } from './session.ts';
import type { Recorder } from './trace.ts';
import type { TrainingRequest } from './training-request.ts';
import { samplingOutputJson, trainingOutputJson } from './wire/write-json.ts';
import { writeSamplingOutput, writeTrainingOutput } from './wire/write-protobuf.ts';

export type TinkerDeps = {
  postgres: Postgres;
  blobs: Blobs;
  identity: Pick<Identity, 'readableProjectName'>;
  models: Models;
  modelReader: ModelReader;
  inference: Pick<Inference, 'loadAdapter' | 'unloadAdapter'>;
  completions: Pick<Completions, 'open'>;
  training: Training;
  trainer: Trainer;
  budget: Budget;
  recorder: Recorder;
  onDefect(error: unknown): void;
};

export type TinkerSettings = SessionLimits & {
  modelsMax: number;
  /** The longest sequence that a model in training can take; its memory is reserved. */
  sequenceTokensMax: number;
};

/** A request as it arrived: its number, what identifies it, and the bytes that it holds. */
export type Received = { seqId: number | null; digest: string; bytes: number };

type NewModel = {
  sessionId: string;
  modelSeqId: number;
  base: string;
  lora: { rank: number; alpha: number; seed: number | null };
  userMetadata: Record<string, unknown> | null;
};
type ModelFromWeights = {
  sessionId: string;
  modelSeqId: number;
  path: string;
  withOptimizer: boolean;
  base: string | null;
  userMetadata: Record<string, unknown> | null;
};
type NewSampler = { sessionId: string; number: number; base: string | null; path: string | null };
type SampleOf = { sampler: Sampler; session: Session };

/** What clients of the Tinker API have open at this process: their sessions, models in training, samplers and requests. */
export class Tinker {
  readonly sessions: OpenSessions;
  readonly weights: SavedWeights;
  readonly #deps: TinkerDeps;
  readonly #settings: TinkerSettings;
  readonly #futures: Futures;

  constructor(deps: TinkerDeps, settings: TinkerSettings) {
    this.#deps = deps;
    this.#settings = settings;
    this.sessions = new OpenSessions(deps, settings);
    this.weights = new SavedWeights({ ...deps, checkpoints: deps.training.checkpoints });
    const limits = { pendingMax: 10_000, pendingBytesMax: 512 * 1024 ** 2, resultBytesMax: 256 * 1024 ** 2 };
    this.#futures = new Futures(limits, deps.onDefect);
  }

  start(): void {
    this.sessions.start(() => this.weights.deleteExpired());
  }

  /** @returns the id of the run, and of the request that creates it */
  async createModel(caller: Caller, asked: NewModel, digest: string): Promise<{ run: ModelRun; requestId: string }> {
    const session = this.sessions.find(caller, asked.sessionId);
    const base = await findBaseModel(this.#deps, asked.base);
    const seed = asked.lora.seed ?? Math.floor(Math.random() * 2 ** 31);
    const spec = { base, lora: { ...asked.lora, seed }, userMetadata: asked.userMetadata };
    return this.#addModel(session, asked.modelSeqId, digest, await this.#specOf(spec));
  }

  /** The same for a model that begins with saved weights. */
  async createModelFrom(caller: Caller, asked: ModelFromWeights, digest: string) {
    const session = this.sessions.find(caller, asked.sessionId);
    const { found, from } = await this.#stateOf(caller, asked.path, asked.withOptimizer);
    const { baseModel, loraRank: rank, loraAlpha: alpha } = found.run;
    if (asked.base !== null && asked.base !== baseModel)
      throw invalidInput(`The weights are over ${baseModel}, not ${asked.base}.`, { param: 'base_model' });
    const base = await findBaseModel(this.#deps, baseModel);
    const spec = { base, lora: { rank, alpha, seed: 0 }, userMetadata: asked.userMetadata };
    const start = { path: asked.path, read: from };
    return this.#addModel(session, asked.modelSeqId, digest, await this.#specOf({ ...spec, from: start }));
  }

  unload(caller: Caller, id: string): string {
    const session = this.sessions.of(caller, id);
    const run = this.sessions.run(caller, id);
    return this.#futures.start(caller.userId, 0, async () => {
      await run.end();
      session.runs.delete(id);
      return jsonResult({ model_id: id, type: 'unload_model' });
    });
  }

  pass(caller: Caller, request: TrainingRequest, received: Received): string {
    const run = this.sessions.run(caller, request.modelId);
    return this.#numbered(caller, run, received, async (signal) => {
      const output = await run.pass(request, signal);
      return { json: () => trainingOutputJson(output), protobuf: writeTrainingOutput(output) };
    });
  }

  optimStep(caller: Caller, id: string, options: OptimizerOptions, received: Received): string {
    const run = this.sessions.run(caller, id);
    return this.#numbered(caller, run, received, async (signal) =>
      jsonResult({ metrics: await run.optimStep(options, signal) }),
    );
  }

  saveState(caller: Caller, kind: 'training' | 'external', save: NewSave, received: Received): string {
    const run = this.sessions.run(caller, save.runId);
    return this.#numbered(caller, run, received, (signal) =>
      run
        .withState('save', { kind, name: save.name }, signal, async ({ model, trained }) => {
          const state = kind === 'training' ? await model.saveState() : await weightsOf(model);
          const sizeBytes = await this.weights.saveState(trained, kind, save, state);
          const path = writePath({ runId: save.runId, kind, name: save.name });
          const type = kind === 'training' ? 'save_weights' : 'save_weights_external';
          return { path, type, ...(kind === 'external' && { size_bytes: sizeBytes }) };
        })
        .then(jsonResult),
    );
  }

  saveForSampler(caller: Caller, save: NewSave, received: Received): string {
    const run = this.sessions.run(caller, save.runId);
    return this.#numbered(caller, run, received, (signal) =>
      run
        .withState('save', { kind: 'sampler', name: save.name }, signal, async ({ model, trained, job }) => {
          const state = await weightsOf(model);
          const { id, step } = await this.weights.saveForSampler(await job(), save, state);
          const title = checkpointTitle(run.spec.project.name, trained.name, step);
          const files = { blobs: trainingKeys.checkpoint(trained.projectId, id) };
          await this.#serve(overBase(run.spec.base, { id, name: trained.name, title, files }));
          const path = writePath({ runId: save.runId, kind: 'sampler', name: save.name });
          return { path, type: 'save_weights_for_sampler' };
        })
        .then(jsonResult),
    );
  }

  /** Saves weights that only one sampler of the session uses. */
  saveForSession(caller: Caller, runId: string, number: number, received: Received): string {
    const session = this.sessions.of(caller, runId);
    const run = this.sessions.run(caller, runId);
    return this.#numbered(caller, run, received, (signal) =>
      run
        .withState('save', { kind: 'sampler' }, signal, async ({ model, trained }) => {
          const id = newId();
          const prefix = trainingKeys.tinkerState(trained.projectId, trained.id, id);
          session.temporary.push(prefix);
          await writeCheckpoint(this.#deps.blobs, prefix, await weightsOf(model));
          const reference = overBase(run.spec.base, { id, name: trained.name, files: { blobs: prefix } });
          await this.#serve(reference);
          const sampler = session.addSampler(number, { base: run.spec.base.name, path: null, model: reference });
          return { sampling_session_id: sampler.id, type: 'save_weights_for_sampler' };
        })
        .then(jsonResult),
    );
  }

  async load(caller: Caller, id: string, path: string, withOptimizer: boolean, received: Received): Promise<string> {
    const run = this.sessions.run(caller, id);
    const { from } = await this.#stateOf(caller, path, withOptimizer);
    return this.#numbered(caller, run, received, (signal) =>
      run
        .withState('load', { path, optimizer: withOptimizer }, signal, async ({ model }) => {
          await model.loadState(await from());
          return { path, model_id: id, type: 'load_weights' };
        })
        .then(jsonResult),
    );
  }

  async createSampler(caller: Caller, { sessionId, number, base, path }: NewSampler): Promise<Sampler> {
    const session = this.sessions.find(caller, sessionId);
    return session.addSampler(number, await this.#modelOf(caller, base, path));
  }

  sample(
    caller: Caller,
    { session, sampler }: SampleOf,
    request: SamplingRequest,
    { seqId, digest, body }: { seqId: number | null; digest: string; body: Buffer },
  ): { requestId: string; sequenceIds: string[] } {
    const { project } = session;
    return sampler.requests.answer(seqId, digest, () => ({
      sequenceIds: Array.from({ length: request.samples }, () => newId()),
      requestId: this.#futures.start(caller.userId, body.length, async (signal) => {
        const sampled = { caller, project, model: sampler.model, request, body };
        const output = await sample(this.#deps.completions, sampled, signal);
        return { json: () => samplingOutputJson(output), protobuf: writeSamplingOutput(output) };
      }),
    }));
  }

  retrieve({ userId }: Caller, requestId: string, waitMs: number, signal: AbortSignal): Promise<Outcome> {
    return this.#futures.retrieve(userId, requestId, waitMs, signal);
  }

  cancel({ userId }: Caller, requestId: string): void {
    this.#futures.cancel(userId, requestId);
  }

  /** Ends all sessions. The last states of their models are saved. */
  close(): Promise<void> {
    return this.sessions.close();
  }

  async #specOf(
    spec: Pick<RunSpec, 'base' | 'lora' | 'userMetadata' | 'from'>,
  ): Promise<Omit<RunSpec, 'id' | 'project' | 'userId'>> {
    const { contextLength } = await this.#deps.modelReader.sizes(spec.base);
    return { ...spec, sequenceTokensMax: Math.min(contextLength, this.#settings.sequenceTokensMax) };
  }

  #addModel(session: Session, number: number, digest: string, spec: Omit<RunSpec, 'id' | 'project' | 'userId'>) {
    const { caller, project } = session;
    return session.models.answer(number, digest, () => {
      const { modelsMax } = this.#settings;
      if (this.sessions.runs().length >= modelsMax) {
        throw busy(`${modelsMax} models are in training (HEDDLE_TINKER_MODELS_MAX). Unload one, or wait.`);
      }
      const id = `${session.id}:train:${number}`;
      const run = new ModelRun(this.#deps, { ...spec, id, project, userId: caller.userId });
      session.runs.set(id, run);
      const requestId = this.#futures.start(caller.userId, 0, async () => {
        await run.opened().catch((error) => {
          session.runs.delete(id);
          throw error;
        });
        return jsonResult({ model_id: id, type: spec.from ? 'load_weights' : 'create_model' });
      });
      return { run, requestId };
    });
  }

  async #stateOf(
    caller: Caller,
    path: string,
    withOptimizer: boolean,
  ): Promise<{ found: FoundWeights; from: () => Promise<TrainingState> }> {
    const found = await this.weights.find(caller, path);
    return { found, from: () => this.weights.read(found, withOptimizer) };
  }

  async #modelOf(
    caller: Caller,
    base: string | null,
    path: string | null,
  ): Promise<Pick<Sampler, 'base' | 'path' | 'model'>> {
    if (path !== null) {
      const { run, checkpoint, prefix } = await this.weights.find(caller, path);
      const model = await findBaseModel(this.#deps, run.baseModel);
      const id = checkpoint.checkpointId ?? checkpoint.id;
      return { base: model.name, path, model: overBase(model, { id, name: path, files: { blobs: prefix } }) };
    }
    if (base === null) throw invalidInput('Name a base_model or a model_path.', { param: 'base_model' });
    const { id, name } = await findBaseModel(this.#deps, base);
    return { base: name, path: null, model: { id, name, adapter: null } };
  }

  #numbered(
    { userId }: Caller,
    run: ModelRun,
    { seqId, digest, bytes }: Received,
    work: (signal: AbortSignal) => Promise<Result>,
  ): string {
    return run.requests.answer(seqId, digest, () => this.#futures.start(userId, bytes, work));
  }

  /** So that the first answer need not wait; a request would load it too. */
  async #serve(model: ReturnType<typeof overBase>): Promise<void> {
    await this.#deps.inference.loadAdapter(model).catch(this.#deps.onDefect);
  }
}

function jsonResult(json: object): Result {
  return { json: () => json, protobuf: null };
}

async function weightsOf(model: {
  saveWeightsForSampler(): Promise<TrainingState['adapter']>;
}): Promise<TrainingState> {
  return { adapter: await model.saveWeightsForSampler(), optimizer: null };
}

/** Identifies a body, so that a repeated request is recognized. */
export function digestOf(body: Uint8Array): string {
  return hash('sha256', body, 'base64');
}
