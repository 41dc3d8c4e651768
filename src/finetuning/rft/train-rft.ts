import { Readable } from 'node:stream';
import type { ModelReference } from '../../chat/types.ts';
import { rlConfig } from '../../contract/training-jobs/rl-config.ts';
import type { RftSettings } from '../../domain/training/rft-settings.ts';
import { rlSettings } from '../../domain/training/rl-settings.ts';
import { rlOptimizer } from '../../engine/training/optimizer/adam.ts';
import type { TrainingState } from '../../engine/training/types.ts';
import { trajectoryLines } from '../../services/training/write-trajectories.ts';
import type { ModelInTraining } from '../../training/trainer.ts';
import { invalidInput } from '../../util/failures.ts';
import { hasTrained, type Metrics, optimizerStep } from '../optimizer-step.ts';
import type { PreparedRl } from '../rl/prepare-rl.ts';
import { lossOf } from '../rl/train-rl.ts';
import { meansOfSteps, rftStepMetrics } from '../step-metrics.ts';
import { type BatchTraining, trainBatches } from '../train-batches.ts';
import type { PreparedRft, RftBatch, SizedPrompt } from './prepare-rft.ts';
import type { SampledChoice } from './sample-answers.ts';

/** An answer and its reward. */
type GradedAnswer = { choice: SampledChoice; reward: number };

export type RftTraining = BatchTraining & {
  prepared: PreparedRft;
  /** Prompts that are not trained on. */
  heldOut: SizedPrompt[];
  settings: RftSettings;
  contextLength: number;
  /** Turns groups of graded answers, as lines, into rows. */
  prepareRows(lines: Readable): Promise<PreparedRl>;
  /** Answers with weights while they are trained. */
  withWeights<Result>(model: ModelInTraining, work: (files: ModelReference) => Promise<Result>): Promise<Result>;
  /** Answers a prompt some times and grades the answers, which differ from turn to turn and from place to place. */
  answer(
    files: ModelReference,
    prompt: SizedPrompt,
    options: { n: number; turn: number; place: number; tokensMax: number },
  ): Promise<GradedAnswer[]>;
};

/** The longest answer that is sampled, where the context has room for it. */
const answerTokensMax = 1024;

/** Answers the prompts of each batch with the weights of its step, and trains one optimizer step on the graded answers. */
export async function trainRft(training: RftTraining): Promise<{ state: TrainingState; metrics: Metrics }> {
  const { prepared, heldOut, settings } = training;
  const done = await trainBatches(training, {
    batches: prepared.batches,
    sequenceTokensMax: longest(training),
    trainBatch: (model, batch, index) => trainBatch(model, batch, index, training),
    scoreHeldOut: heldOut.length === 0 ? null : (model) => rewardOfHeldOut(model, training),
    isValidated: (step) => step % settings.evalInterval === 0,
  });
  if (!hasTrained(done)) {
    throw invalidInput('Nothing was trained: in each step, all answers to a prompt had the same reward.');
  }
  return { state: done.state, metrics: { ...meansOfSteps(done.steps), ...done.heldOut } };
}

async function rewardOfHeldOut(model: ModelInTraining, training: RftTraining): Promise<Metrics> {
  const { heldOut, settings } = training;
  const graded = await answerAll(model, heldOut, { n: settings.evalSamples, turn: 0 }, training);
  return { 'val/reward': meanReward(graded.flat()) };
}

async function trainBatch(
  model: ModelInTraining,
  batch: RftBatch,
  index: number,
  training: RftTraining,
): Promise<Metrics> {
  const { settings, signal, prepareRows } = training;
  const graded = await answerAll(model, batch.prompts, { n: settings.samples, turn: index + 1 }, training);
  const groups = batch.prompts.map(({ messages, tools }, i) => ({
    trajectories: graded[i]!.map(({ choice, reward }) => ({
      messages_and_choices: [...messages, choice],
      tools,
      reward,
    })),
  }));
  const { rows } = await prepareRows(Readable.from(trajectoryLines(groups)));
  const { settings: loss } = rlSettings(rlConfig.parse({}));
  const options = { ...rlOptimizer, learningRate: settings.learningRate };
  const trained = rows.map(({ row }) => row);
  const step = trained.length > 0 ? await optimizerStep(model, trained, lossOf(loss), options, signal) : null;
  const answers = graded.flat();
  const counts = { answers: answers.length, dropped: batch.dropped, learningRate: settings.learningRate };
  return rftStepMetrics(step, { reward: meanReward(answers), ...counts });
}

/** Prompts are answered together: the engine computes their tokens in the same steps. */
function answerAll(
  model: ModelInTraining,
  prompts: SizedPrompt[],
  options: { n: number; turn: number },
  { contextLength, withWeights, answer }: RftTraining,
): Promise<GradedAnswer[][]> {
  if (prompts.length === 0) return Promise.resolve([]);
  return withWeights(model, async (files) => {
    const graded: GradedAnswer[][] = [];
    for (let i = 0; i < prompts.length; i += answeredTogether) {
      const some = prompts.slice(i, i + answeredTogether).map((prompt, j) => {
        const tokensMax = Math.min(answerTokensMax, contextLength - prompt.tokens);
        return answer(files, prompt, { ...options, place: i + j, tokensMax });
      });
      graded.push(...(await Promise.all(some)));
    }
    return graded;
  });
}

const answeredTogether = 8;

function meanReward(answers: GradedAnswer[]): number {
  return answers.length === 0 ? 0 : answers.reduce((sum, { reward }) => sum + reward, 0) / answers.length;
}

function longest({ prepared, contextLength }: RftTraining): number {
  const prompts = prepared.batches.flatMap((batch) => batch.prompts);
  const tokens = prompts.reduce((most, prompt) => Math.max(most, prompt.tokens), 0);
  return Math.min(contextLength, tokens + answerTokensMax);
}
