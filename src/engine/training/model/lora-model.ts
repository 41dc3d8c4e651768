import { setImmediate } from 'node:timers/promises';
import { invalidInput } from '../../../util/failures.ts';
import { type Adapter, adapterScale } from '../../adapters/adapter.ts';
import { type LoraLayout, loraLayout } from '../graph/lora-layout.ts';
import { evaluateLoss, needsScores, objectiveOf } from '../objectives/losses.ts';
import { type AdamState, adamStep, clipScale, newAdamState, normOf } from '../optimizer/adam.ts';
import type { TrainingRow } from '../row.ts';
import type { TrainingRun } from '../run/group-rows.ts';
import { type LoraWeights, type RunOutputs, scoreRun, trainRun } from '../run/run.ts';
import { runRows } from '../run/run-rows.ts';
import type { TrainingSession } from '../run/training-session.ts';
import {
  type ForwardBackwardResult,
  type ForwardThrough,
  type Loss,
  type OptimizerOptions,
  type OptimizerResult,
  type RowScores,
  TrainingDiverged,
  type TrainingState,
} from '../types.ts';
import { checkRows } from './check-rows.ts';
import { fromModules, newParameters, toModules } from './lora-parameters.ts';

export type LoraModelOptions = {
  rank: number;
  alpha: number;
  seed: number;
  /** The name of the base model. */
  base: string;
  sequenceTokensMax: number;
  /** Maximum number of tokens in a run of the graph. */
  runTokensMax: number;
};

/** LoRA weights in training for an open base model: the operations of a trainer, in the process of the model. */
export class LoraModel {
  readonly #session: TrainingSession;
  readonly #options: LoraModelOptions;
  readonly #layout: LoraLayout;
  #parameters: Float32Array;
  #optimizer: AdamState;
  /** The sum since the last optimizer step; null if there is none. */
  #gradients: Float32Array | null = null;

  constructor(session: TrainingSession, options: LoraModelOptions) {
    this.#session = session;
    this.#options = options;
    this.#layout = loraLayout(session.config, options.rank);
    this.#parameters = newParameters(this.#layout, options.seed);
    this.#optimizer = newAdamState(this.#layout.length);
  }

  forward(rows: TrainingRow[], through: ForwardThrough, signal: AbortSignal): Promise<RowScores[]> {
    const lora = this.#through(through);
    return this.#runAll(rows, signal, (run) => scoreRun(this.#session, lora, run));
  }

  async forwardBackward(rows: TrainingRow[], loss: Loss, signal: AbortSignal): Promise<ForwardBackwardResult> {
    const scored = needsScores(loss) ? await this.forward(rows, 'trained', signal) : null;
    const objective = objectiveOf(loss, rows, scored);
    const gradients = this.#gradients?.slice() ?? new Float32Array(this.#layout.length);
    const scores = await this.#runAll(rows, signal, async (run) => {
      const outputs = await trainRun(this.#session, this.#lora, run, objective);
      addTo(gradients, outputs.gradients);
      return outputs;
    });
    const { loss: value, metrics } = evaluateLoss(rows, scores, objective);
    if (!Number.isFinite(value)) throw new TrainingDiverged(`The loss is ${value}.`);
    if (!Number.isFinite(normOf(gradients))) throw new TrainingDiverged('The gradient is not finite.');
    this.#gradients = gradients;
    return { loss: value, metrics, rows: scores };
  }

  /** Does everything that can fail before it changes anything. */
  optimStep(options: OptimizerOptions): OptimizerResult {
    const gradients = this.#gradients;
    if (gradients === null) throw invalidInput('There is no gradient: call forwardBackward before optimStep.');
    const gradientNorm = normOf(gradients);
    const scale = clipScale(gradientNorm, options.gradientNormMax);
    const parameters = this.#parameters.slice();
    const { step, first, second } = this.#optimizer;
    const optimizer = { step, first: first.slice(), second: second.slice() };
    adamStep(parameters, gradients, optimizer, options, scale);
    if (!Number.isFinite(normOf(parameters))) {
      throw new TrainingDiverged(
        `After a step with the learning rate ${options.learningRate}, weights are not finite.`,
      );
    }
    this.#parameters = parameters;
    this.#optimizer = optimizer;
    this.#gradients = null;
    return { step: optimizer.step, gradientNorm };
  }

  saveState(): TrainingState {
    const { step, first, second } = this.#optimizer;
    const modules = (values: Float32Array) => toModules(this.#layout, values);
    return { adapter: this.adapter(), optimizer: { step, first: modules(first), second: modules(second) } };
  }

  loadState({ adapter, optimizer }: TrainingState): void {
    const { rank, alpha } = this.#options;
    if (adapter.rank !== rank || adapter.alpha !== alpha || adapter.rslora) {
      const found = `rank ${adapter.rank} and alpha ${adapter.alpha}${adapter.rslora ? ' with rslora' : ''}`;
      throw invalidInput(`The state has ${found}; the model has rank ${rank} and alpha ${alpha}.`);
    }
    const parameters = fromModules(this.#layout, adapter.modules);
    const read = optimizer && {
      step: optimizer.step,
      first: fromModules(this.#layout, optimizer.first),
      second: fromModules(this.#layout, optimizer.second),
    };
    this.#parameters = parameters;
    this.#optimizer = read ?? newAdamState(this.#layout.length);
    this.#gradients = null;
  }

  adapter(): Adapter {
    const { rank, alpha, base } = this.#options;
    return { rank, alpha, rslora: false, modules: toModules(this.#layout, this.#parameters), baseModel: base };
  }

  get #lora(): LoraWeights {
    const { alpha, rank } = this.#options;
    return { layout: this.#layout, parameters: this.#parameters, scale: alpha / rank };
  }

  #through(through: ForwardThrough): LoraWeights {
    if (through === 'trained') return this.#lora;
    if (through === 'base') return { ...this.#lora, scale: 0 };
    const { adapter } = through;
    const layout = loraLayout(this.#session.config, adapter.rank);
    return { layout, parameters: fromModules(layout, adapter.modules), scale: adapterScale(adapter) };
  }

  #runAll(
    rows: TrainingRow[],
    signal: AbortSignal,
    compute: (run: TrainingRun) => Promise<RunOutputs>,
  ): Promise<RowScores[]> {
    const { sequenceTokensMax, runTokensMax } = this.#options;
    checkRows(rows, this.#session.config.vocabSize, sequenceTokensMax);
    return runRows(rows, runTokensMax, async (run) => {
      // Runs block the thread: messages that cancel the request arrive in between.
      await setImmediate();
      signal.throwIfAborted();
      return compute(run);
    });
  }
}

function addTo(sums: Float32Array, values: Float32Array): void {
  for (let i = 0; i < sums.length; i++) sums[i] = sums[i]! + values[i]!;
}
