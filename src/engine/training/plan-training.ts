import { invalidInput } from '../../util/failures.ts';
import { graphWeights } from '../graphs/weights.ts';
import { isLlamaLike, type ModelConfig } from '../models/config.ts';
import { elementCount } from '../models/weight-source.ts';
import { loraLayout } from './graph/lora-layout.ts';
import type { LoraSpec } from './types.ts';

export type TrainingPlan = {
  /** For everything that the process holds. */
  bytes: number;
  /** How many tokens go through the graph at once: memory grows with them, and speed hardly. */
  runTokensMax: number;
};

/** Beyond this many tokens a run is no faster. */
const usefulRunTokens = 1024;
const rankMax = 1024;

/** The program, ONNX Runtime, the tensors of a run in JavaScript, and room between allocations. */
const overheadBytes = 350 * 1024 ** 2;

/** Parameters, gradients, both moments, and copies of them while a step is taken and its outputs are fetched. */
const copiesOfParameters = 9;

/** Rows of the head that have their logits in memory, and how often: logits, exponentials and products of them. */
const headRows = 256;
const copiesOfLogits = 4;

/** Scores of the attention: computed again, their gradient, and what is made on the way. */
const copiesOfScores = 3;

/** @throws Failure for a specification that no model has */
export function planTraining(config: ModelConfig, { rank, alpha, seed, sequenceTokensMax }: LoraSpec): TrainingPlan {
  if (!isLlamaLike(config)) {
    throw invalidInput(
      `models of the type ${config.architecture} are served, but not trained; llama, mistral, qwen2 and qwen3 are`,
    );
  }
  checkWhole('rank', rank, rankMax);
  checkWhole('seed', seed + 1, Number.MAX_SAFE_INTEGER);
  checkWhole('sequenceTokensMax', sequenceTokensMax, config.contextMax);
  if (!Number.isFinite(alpha) || alpha <= 0) throw invalidInput(`alpha is ${alpha}; expected a number above 0.`);
  const runTokensMax = Math.max(usefulRunTokens, sequenceTokensMax);
  const elements =
    2 * weightElements(config) +
    copiesOfParameters * loraLayout(config, rank).length +
    headRows * config.vocabSize * copiesOfLogits +
    runTokensMax * activationsOfToken(config) +
    copiesOfScores * runTokensMax * sequenceTokensMax * config.heads;
  return { bytes: 4 * elements + overheadBytes, runTokensMax };
}

/** Each weight is packed twice, for the product with it and with its transpose; the embedding only where it is the head. */
function weightElements(config: ModelConfig): number {
  const weights = graphWeights(config).filter(({ name }) => config.tiedEmbeddings || name !== 'embedding');
  return weights.reduce((sum, { shape }) => sum + elementCount(shape), 0);
}

/** What the forward pass keeps of a token in each layer, and what the backward pass of one layer adds. */
function activationsOfToken({ hiddenSize, feedForwardSize, heads, kvHeads, headDim, layers }: ModelConfig): number {
  const attention = (2 * heads + 2 * kvHeads) * headDim;
  const kept = 2 * hiddenSize + attention + 2 * feedForwardSize;
  const passing = 8 * hiddenSize + 2 * attention + 8 * feedForwardSize;
  return layers.length * kept + passing;
}

function checkWhole(name: string, value: number, max: number): void {
  if (Number.isSafeInteger(value) && value >= 1 && value <= max) return;
  throw invalidInput(`${name} is ${value}; expected a whole number from 1 to ${max}.`);
}
