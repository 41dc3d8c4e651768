import { invalidInput } from '../../util/failures.ts';
import { graphWeights } from '../graphs/weights.ts';
import { isLlamaLike, type ModelConfig } from '../models/config.ts';
import { elementCount } from '../models/weight-source.ts';
import { loraLayout } from './graph/lora-layout.ts';
import type { LoraSpec } from './types.ts';

export type TrainingPlan = {
  /** The memory of the whole process. */
  bytes: number;
  /** Maximum number of tokens in a run of the graph. More need more memory and are hardly faster. */
  runTokensMax: number;
};

/** More tokens in a run are not faster. */
const usefulRunTokens = 1024;
const rankMax = 1024;

/** The program, ONNX Runtime, the tensors of a run in JavaScript, and fragmentation. */
const overheadBytes = 350 * 1024 ** 2;

/** Parameters, gradients, both moments, and their copies during a step and while its outputs are read. */
const copiesOfParameters = 9;

/** The rows with logits in memory, and the number of copies: logits, exponentials and their products. */
const headRows = 256;
const copiesOfLogits = 4;

/** Attention scores: the recomputed scores, their gradient, and intermediate values. */
const copiesOfScores = 3;

/** @throws Failure for an invalid specification */
export function planTraining(config: ModelConfig, { rank, alpha, seed, sequenceTokensMax }: LoraSpec): TrainingPlan {
  if (!isLlamaLike(config)) {
    throw invalidInput(
      `models of the type ${config.architecture} can be served but not trained; llama, mistral, qwen2 and qwen3 can`,
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

/** Each weight is packed twice, for products with it and with its transpose. An embedding counts only if it is also the head. */
function weightElements(config: ModelConfig): number {
  const weights = graphWeights(config).filter(({ name }) => config.tiedEmbeddings || name !== 'embedding');
  return weights.reduce((sum, { shape }) => sum + elementCount(shape), 0);
}

/** The values that the forward pass keeps for a token in all layers, and those of the backward pass in one layer. */
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
