import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { rotaryTable } from '../../runtime/rotary-table.ts';
import { blockSizes } from '../graph/attention-blocks.ts';
import type { LoraLayout } from '../graph/lora-layout.ts';
import type { Objective } from '../objectives/objective.ts';
import { neutralOptions } from '../objectives/policy-options.ts';
import { packedMask } from './attention-mask.ts';
import type { TrainingRun } from './group-rows.ts';
import { objectiveFeeds, targetFeeds } from './target-tensors.ts';
import type { TrainingSession } from './training-session.ts';

/** The LoRA weights of a run: all parameters in one array, and alpha ÷ rank. */
export type LoraWeights = { layout: LoraLayout; parameters: Float32Array; scale: number };

/** For each part, the values of its targets in order. */
export type RunOutputs = { logprobs: Float32Array[]; entropies: Float32Array[]; hits: Float32Array[] };

/** Runs the forward pass. */
export async function scoreRun(context: TrainingSession, lora: LoraWeights, run: TrainingRun): Promise<RunOutputs> {
  const feeds = feedsOf(context, lora, run, null);
  const fetched = await context.session.run(feeds, ['logprobs', 'entropies', 'hits']);
  return outputsOf(fetched, run);
}

/** Runs the forward and the backward pass. @returns also the gradient of all parameters */
export async function trainRun(
  context: TrainingSession,
  lora: LoraWeights,
  run: TrainingRun,
  objective: Objective,
): Promise<RunOutputs & { gradients: Float32Array }> {
  const feeds = feedsOf(context, lora, run, objective);
  const fetched = await context.session.run(feeds, ['logprobs', 'entropies', 'hits', 'gradients']);
  return { ...outputsOf(fetched, run), gradients: fetched.gradients!.data as Float32Array };
}

const noObjective: Objective = { options: neutralOptions, scale: 0, klMeans: null, pairs: null, droBeta: null };

function feedsOf(
  context: TrainingSession,
  lora: LoraWeights,
  run: TrainingRun,
  objective: Objective | null,
): InferenceSession.FeedsType {
  const { config, head } = context;
  const targets = targetFeeds(run, head, config.hiddenSize);
  const loraFeeds = lora.layout.tensors.map(({ input, offset, shape }): [string, Tensor] => {
    const values = lora.parameters.subarray(offset, offset + shape[0] * shape[1]);
    return [input, new Tensor('float32', values, shape)];
  });
  return {
    trains: new Tensor('bool', [objective !== null], []),
    ...tokenFeeds(context, run),
    ...targets,
    ...objectiveFeeds(run, targets.places!.dims[0]!, objective ?? noObjective),
    ...Object.fromEntries(loraFeeds),
    loraScale: new Tensor('float32', [lora.scale], []),
  };
}

function tokenFeeds(context: TrainingSession, { layout }: TrainingRun): InferenceSession.FeedsType {
  const { config, embedding } = context;
  const { lines, length } = layout;
  const tokens = new Int32Array(lines.length * length);
  const positions = new BigInt64Array(lines.length * length);
  for (const [b, line] of lines.entries()) {
    tokens.set(line.tokens, b * length);
    positions.set(line.positions.map(BigInt), b * length);
  }
  // ONNX Runtime requires at least as many angles as a line has tokens, whatever their positions.
  const farthest = lines.reduce((most, line) => line.positions.reduce((a, b) => Math.max(a, b + 1), most), length);
  if (farthest > context.rotary.positions) context.rotary = rotaryTable(config.rotary, 2 * farthest);
  const { sizes, ends } = blockSizes(length);
  const angles = [context.rotary.positions, config.headDim / 2];
  const window = config.layers.find((layer) => layer.window !== null)?.window;
  const mask = (width: number | null) =>
    new Tensor('float32', packedMask(layout, width), [lines.length, 1, length, length]);
  return {
    embedded: new Tensor('float32', embedding.rows(tokens), [lines.length, length, config.hiddenSize]),
    positions: new Tensor('int64', positions, [lines.length, length]),
    cosines: new Tensor('float32', context.rotary.cosines, angles),
    sines: new Tensor('float32', context.rotary.sines, angles),
    mask: mask(null),
    blockSizes: integers(sizes),
    blockEnds: integers(ends),
    ...(window == null ? {} : { windowMask: mask(window) }),
  };
}

function integers(values: number[]): Tensor {
  return new Tensor('int64', BigInt64Array.from(values, BigInt), [values.length]);
}

function outputsOf(fetched: InferenceSession.ReturnType, run: TrainingRun): RunOutputs {
  return {
    logprobs: splitByPart(fetched.logprobs!.data as Float32Array, run),
    entropies: splitByPart(fetched.entropies!.data as Float32Array, run),
    hits: splitByPart(fetched.hits!.data as Float32Array, run),
  };
}

function splitByPart(values: Float32Array, { parts }: TrainingRun): Float32Array[] {
  let end = 0;
  return parts.map(({ targets }) => {
    const start = end;
    end += targets.length;
    return values.slice(start, end);
  });
}
