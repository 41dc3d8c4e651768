import type { Adapter } from '../../../engine/adapters/adapter.ts';
import { checkAdapter } from '../../../engine/adapters/check-adapter.ts';
import type { ModelConfig } from '../../../engine/models/config.ts';
import { checkRows } from '../../../engine/training/model/check-rows.ts';
import { evaluateLoss, needsScores, objectiveOf } from '../../../engine/training/objectives/losses.ts';
import type { Objective } from '../../../engine/training/objectives/objective.ts';
import type { TrainingRow } from '../../../engine/training/row.ts';
import {
  type ForwardBackwardResult,
  type ForwardThrough,
  type OptimizerOptions,
  type OptimizerResult,
  type RowScores,
  TrainingDiverged,
} from '../../../engine/training/types.ts';
import { Failure, invalidInput } from '../../../util/failures.ts';
import { openInTurn } from '../../../util/in-turn.ts';
import type { ModelInTraining, OnWaiting, TrainedModelSpec } from '../../trainer.ts';
import { UsageMeter } from '../../usage-meter.ts';
import { withAlpha } from '../archive/read-archive.ts';
import type { Datum } from '../client/datum.ts';
import type { RemoteModel } from '../client/remote-model.ts';
import { slopesOf, stepData } from '../losses/linear-loss.ts';
import { datumOf, scoresOf, sequencesOf } from '../losses/sequences.ts';
import { equalLoss } from '../losses/server-loss.ts';
import { gradientNormOf, type ServerTraits } from '../probe/traits.ts';
import { dataOf, type LinearPart } from './gradient.ts';
import { loadState, pathOf, type RemoteModels } from './remote-models.ts';
import { waitForPlace } from './wait-for-place.ts';

export type TinkerModelOptions = {
  spec: TrainedModelSpec;
  config: ModelConfig;
  /** The most tokens of a sequence, here and on the server. */
  contextMax: number;
  traits: ServerTraits;
  warnings: readonly string[];
  /** The server, for messages and in states. */
  host: string;
  /** See `Trainer.createModel`. */
  onWaiting?: OnWaiting | undefined;
};

/** A job that waits for a second place keeps its first one: several of them may wait for each other. */
const secondPlaceMsMax = 15 * 60_000;

/** A model in training on a Tinker server. Losses that the server does not have are computed here (`losses/`). */
export function tinkerModel(
  models: RemoteModels,
  trained: RemoteModel,
  { spec, config, contextMax, traits, warnings, host, onWaiting }: TinkerModelOptions,
): ModelInTraining {
  const inTurn = openInTurn();
  const meter = new UsageMeter();
  let steps = 0;
  /** What the gradient consists of since the last step: linear losses that wait for the step, or a loss that was sent. */
  let waiting: LinearPart[] = [];
  let isSent = false;
  /** Why the gradient or the weights on the server are not those that they should be. */
  let spoiled: Failure | null = null;
  let ending: Promise<void> | null = null;

  function use<Result>(work: () => Promise<Result>): Promise<Result> {
    return inTurn(async () => {
      if (ending !== null) throw new Failure('unavailable', 'The model in training was closed.');
      if (spoiled !== null) throw spoiled;
      return work();
    });
  }

  /** After a failure it is not known what the server has done. */
  async function onServer<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const message = `The model cannot be trained further, since ${what} failed.`;
      spoiled = new Failure('unavailable', message, {}, { cause: error });
      throw error;
    }
  }

  function check(rows: readonly TrainingRow[]): void {
    checkRows(rows, config.vocabSize, contextMax);
  }

  async function score(model: RemoteModel, rows: readonly TrainingRow[], signal?: AbortSignal): Promise<RowScores[]> {
    const sequences = sequencesOf(rows);
    const weights = rows.map(({ targets }) => new Float32Array(targets.tokens.length).fill(1));
    const data = sequences.map((sequence) => datumOf(sequence, rows, { weights }));
    const logprobs = await meter.during(() => model.forward(data, signal));
    meter.scored(tokensOf(data));
    return scoresOf(rows, sequences, logprobs);
  }

  /** The model whose weights are wanted. A new model is the base model, since its LoRA weights have no effect. */
  async function through(wanted: ForwardThrough, signal?: AbortSignal): Promise<RemoteModel> {
    if (wanted === 'trained' || (wanted === 'base' && isNew())) return trained;
    return waitForPlace(() => models.fixed(wanted, signal), { signal, onWaiting, msMax: secondPlaceMsMax });
  }

  let isLoaded = false;
  const isNew = () => steps === 0 && !isLoaded;

  /** The server computes the loss itself. */
  async function sendLoss(
    rows: readonly TrainingRow[],
    objective: Objective,
    { loss, inputs }: NonNullable<ReturnType<typeof equalLoss>>,
    signal?: AbortSignal,
  ): Promise<RowScores[]> {
    const sequences = sequencesOf(rows);
    const data = stepData(sequences, rows, inputs, traits.reduction);
    return onServer('forward_backward', async () => {
      const logprobs = await meter.during(async () => (await trained.forwardBackward(data, loss, signal)).result);
      meter.trained(tokensOf(data));
      const scores = scoresOf(rows, sequences, logprobs);
      evaluated(rows, scores, objective); // a gradient that is not finite must not be used
      isSent = true;
      return scores;
    });
  }

  async function step(data: readonly Datum[], options: OptimizerOptions) {
    // The step is sent while the gradient is computed: the server runs requests in their order.
    const sent = data.length > 0 ? await trained.forwardBackward(data, { name: 'importance_sampling' }) : null;
    const [, stepped] = await Promise.all([sent?.result, (await trained.optimStep(adamOf(options))).result]);
    return stepped;
  }

  async function adapter(): Promise<Adapter> {
    const found = withAlpha(await meter.during(() => trained.adapter()), spec.alpha);
    checkAdapter(found, config);
    return { ...found, baseModel: spec.base.name };
  }

  return {
    warnings,
    get usage() {
      return meter.usage;
    },
    forward: (rows, wanted, signal) =>
      use(async () => {
        check(rows);
        return score(await through(wanted, signal), rows, signal);
      }),
    forwardBackward: (rows, loss, signal) =>
      use(async () => {
        check(rows);
        if (isSent && traits.reduction.kind !== 'sum') {
          const mean = `The Tinker server ${host} computes means over all sequences of a step`;
          throw new Failure('unsupported', `${mean}: give forwardBackward all rows of a step at once.`);
        }
        const plain = needsScores(loss) ? null : objectiveOf(loss, rows);
        const equal = plain && waiting.length === 0 ? equalLoss(loss, rows, plain, traits) : null;
        if (plain && equal) return resultOf(rows, await sendLoss(rows, plain, equal, signal), plain);
        const scores = await score(trained, rows, signal);
        const objective = plain ?? objectiveOf(loss, rows, scores);
        const result = resultOf(rows, scores, objective);
        const advantages = slopesOf(rows, scores, objective).map((slopes) => slopes.map((slope) => -slope));
        const logprobs = scores.map((each) => each.logprobs);
        waiting.push({ rows, sequences: sequencesOf(rows), advantages, logprobs });
        return result;
      }),
    optimStep: (options) =>
      use(async () => {
        if (waiting.length === 0 && !isSent) {
          throw invalidInput('There is no gradient: call forwardBackward before optimStep.');
        }
        const data = dataOf(waiting, traits.reduction);
        const metrics = await onServer('a step', () => meter.during(() => step(data, options)));
        meter.trained(tokensOf(data));
        meter.stepped();
        [waiting, isSent] = [[], false];
        steps++;
        const gradientNorm = gradientNormOf(metrics);
        if (gradientNorm === null) {
          spoiled = new Failure('unavailable', 'The gradient of an earlier step was not finite.');
          throw new TrainingDiverged('The gradient is not finite.');
        }
        return { step: steps, gradientNorm: gradientNorm ?? null } satisfies OptimizerResult;
      }),
    saveState: () =>
      use(async () => {
        const path = await meter.during(() => trained.saveState());
        const remote = { server: host, path, continuesOptimizer: true };
        return { adapter: await adapter(), optimizer: null, remote };
      }),
    loadState: (state) =>
      use(async () => {
        const path = pathOf(state, host);
        const withOptimizer = state.remote!.continuesOptimizer;
        if (!trained.isUntouched) {
          const before = trained;
          trained = await models.create();
          await models.discard(before);
        }
        await onServer('load_weights', () => meter.during(() => loadState(trained, path, { withOptimizer, host })));
        [waiting, isSent, isLoaded] = [[], false, true];
      }),
    saveWeightsForSampler: () => use(adapter),
    close() {
      ending ??= models.close();
      return ending;
    },
  };
}

function tokensOf(data: readonly Datum[]): number {
  return data.reduce((sum, { tokens }) => sum + tokens.length, 0);
}

function resultOf(rows: readonly TrainingRow[], scores: RowScores[], objective: Objective): ForwardBackwardResult {
  const { loss, metrics } = evaluated(rows, scores, objective);
  return { loss, metrics, rows: scores };
}

function evaluated(rows: readonly TrainingRow[], scores: RowScores[], objective: Objective) {
  const { loss, metrics } = evaluateLoss(rows, scores, objective);
  if (!Number.isFinite(loss)) throw new TrainingDiverged(`The loss is ${loss}.`);
  return { loss, metrics };
}

function adamOf(options: OptimizerOptions) {
  return {
    learning_rate: options.learningRate,
    beta1: options.beta1,
    beta2: options.beta2,
    eps: options.epsilon,
    weight_decay: options.weightDecay,
    grad_clip_norm: options.gradientNormMax ?? 0,
  };
}
