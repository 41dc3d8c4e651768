import type { AdamParams, Datum, ServerLoss } from '../client/datum.ts';
import type { RemoteModel } from '../client/remote-model.ts';

/** Two sequences that begin alike. The logprobs of the short one also begin those of the long one. */
export const lengths = { short: 8, long: 32 };

/** Adam without memory, whose steps are proportional to the gradient: `learning_rate / eps` times it. */
const plain: Omit<AdamParams, 'learning_rate'> = {
  beta1: 0,
  beta2: 0,
  eps: 1000,
  weight_decay: 0,
  grad_clip_norm: 0,
};

/** Changes nothing, and uses up the gradient. */
export const standstill: AdamParams = { ...plain, learning_rate: 0 };

/** How the logprobs of the short sequence are moved by steps, in units of the step that its own gradient makes. */
export type Bench = {
  /** @param requests the requests of one step, as the signs of their data's advantages. Steps alternate in direction. */
  move(requests: (bench: Turn) => BenchRequest[], adam?: Partial<AdamParams>): Promise<number>;
  /** The sum of the short sequence's logprobs. */
  score(): number;
  /** How far the short sequence's own gradient moves them. */
  unit: number;
  learningRate: number;
  /** The short sequence with an advantage of 1. */
  pushed(): Datum;
};

type BenchRequest = { data: Datum[]; loss?: ServerLoss; isRepeated?: boolean };

export type Turn = {
  /** A sequence whose first targets have this advantage, compared with logprobs that are lower by `below`. */
  short(advantage: number, below?: number): Datum;
  long(advantage: number): Datum;
  /** 1 or −1. */
  direction: number;
};

/** The least move that noise does not hide, even of weights in 16 bits, and what is aimed at. */
const moveMin = 0.05;
const moveAim = 0.2;
const triesMax = 12;

/** Finds the learning rate that moves the logprobs far enough. */
export async function openBench(
  model: RemoteModel,
  vocabSize: number,
  onStep: (metrics: Record<string, number | null>) => void,
): Promise<Bench> {
  const [short, long] = [lengths.short, lengths.long].map((length) => sequence(length, vocabSize));
  let logprobs = (await model.forward([short!]))[0]!;
  let direction = 1;
  let unit = 1;

  async function step(
    requests: (turn: Turn) => BenchRequest[],
    adam: Partial<AdamParams>,
    learningRate: number,
  ): Promise<number> {
    const before = sum(logprobs);
    const turn: Turn = {
      direction,
      short: (advantage, below = 0) => withInputs(short!, logprobs, advantage * direction, below),
      long: (advantage) => withInputs(long!, logprobs, advantage * direction, 0),
    };
    for (const { data, loss, isRepeated } of requests(turn)) {
      const sent = await model.forwardBackward(data, loss ?? { name: 'importance_sampling' });
      if (isRepeated) await model.repeatLast();
      await sent.result;
    }
    onStep(await (await model.optimStep({ ...plain, learning_rate: learningRate, ...adam })).result);
    logprobs = (await model.forward([short!]))[0]!;
    const moved = (sum(logprobs) - before) * direction;
    direction = -direction;
    return moved;
  }

  let learningRate = 0.01;
  for (let tries = 0; tries < triesMax; tries++) {
    unit = await step((turn) => [{ data: [turn.short(1)] }], {}, learningRate);
    if (unit >= moveMin && unit <= 10 * moveAim) break;
    const factor = unit > 0 ? moveAim / unit : 100;
    learningRate *= Math.min(100, Math.max(0.01, factor));
  }
  return {
    learningRate,
    unit,
    score: () => sum(logprobs),
    pushed: () => withInputs(short!, logprobs, 1, 0),
    move: async (requests, adam = {}) => (await step(requests, adam, learningRate)) / unit,
  };
}

/** The sum of the short sequence's logprobs under a model. */
export async function scoreOf(model: RemoteModel, vocabSize: number): Promise<number> {
  return sum((await model.forward([sequence(lengths.short, vocabSize)]))[0]!);
}

function sequence(length: number, vocabSize: number): Datum {
  const token = (i: number) => (7 * i + 3) % Math.min(vocabSize, 1000);
  const tokens = Int32Array.from({ length }, (_, i) => token(i));
  return { tokens, targets: Int32Array.from({ length }, (_, i) => token(i + 1)), inputs: {} };
}

function withInputs(datum: Datum, logprobs: Float32Array, advantage: number, below: number): Datum {
  const compared = new Float32Array(datum.tokens.length);
  const advantages = new Float32Array(datum.tokens.length);
  for (let i = 0; i < lengths.short; i++) {
    compared[i] = logprobs[i]! - below;
    advantages[i] = advantage;
  }
  return { ...datum, inputs: { logprobs: compared, advantages } };
}

function sum(values: Float32Array): number {
  return values.subarray(0, lengths.short).reduce((total, value) => total + value, 0);
}
