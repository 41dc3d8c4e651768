import type { ServerLoss } from '../client/datum.ts';
import { TinkerFailure, type TinkerHttp } from '../client/http.ts';
import { createRemoteModel, type RemoteModel } from '../client/remote-model.ts';
import { openSession } from '../client/session.ts';
import type { KnownLosses } from '../losses/server-loss.ts';
import { type Bench, openBench, scoreOf, standstill, type Turn } from './bench.ts';
import { measureReduction, measureRepeats } from './reduction.ts';
import { gradientNormOf, type ServerTraits } from './traits.ts';

/** What was measured of a server, in a session that it forgets when it is restarted. */
export type Probed = { traits: ServerTraits; sessionId: string };

/** Measures how a server trains, with two models that are thrown away. @throws TinkerFailure */
export async function probeServer(
  http: TinkerHttp,
  { baseModel, vocabSize }: { baseModel: string; vocabSize: number },
): Promise<Probed> {
  const session = await openSession(http);
  const open = new Set<RemoteModel>();
  const create = async (modelNumber: number) => {
    const options = { baseModel, rank: 8, seed: 1, countsRepeatsOnce: false };
    const model = await createRemoteModel(http, { id: session.id, modelNumber }, options);
    open.add(model);
    return model;
  };
  try {
    const first = await create(0);
    let reportsGradientNorm = false;
    const bench = await openBench(first, vocabSize, (metrics) => {
      reportsGradientNorm = gradientNormOf(metrics) !== undefined;
    });
    const measured = await measure(bench);
    await (await first.forwardBackward([bench.pushed()], { name: 'importance_sampling' })).result;
    await first.unload();
    open.delete(first);
    const second = await create(1);
    const keepsGradients = await hasGradient(second, bench, vocabSize);
    const { alpha } = await second.adapter();
    return { traits: { ...measured, reportsGradientNorm, keepsGradients, alpha }, sessionId: session.id };
  } finally {
    for (const model of open) await discard(model).catch(() => {}); // the session ends anyway
    session.close();
  }
}

/** Uses up the gradient, which the next model might find, and frees the model. */
export async function discard(model: RemoteModel, signal?: AbortSignal): Promise<void> {
  await (await model.optimStep(standstill, signal)).result;
  await model.unload(signal);
}

type Measured = Omit<ServerTraits, 'alpha' | 'keepsGradients' | 'reportsGradientNorm'>;

async function measure(bench: Bench): Promise<Measured> {
  const quarter = await bench.move((turn) => [{ data: [turn.short(0.25)] }]);
  const isMeasured = quarter > 0.1 && quarter < 0.5;
  const reduction = isMeasured ? await measureReduction(bench) : ({ kind: 'sum', over: 'step' } as const);
  return {
    isMeasured,
    reduction,
    losses: isMeasured ? await measureLosses(bench) : { cispo: false, ppo: false },
    countsRepeatsOnce: isMeasured && (await refusedMeans(false, () => measureRepeats(bench, reduction))),
    obeysGradientClipping: isMeasured && (await refusedMeans(false, () => clips(bench))),
    obeysWeightDecay: isMeasured && (await refusedMeans(false, () => decays(bench))),
  };
}

/** The logprobs that a measured loss compares with are so much lower that ratios are e. */
const apart = 1;

async function measureLosses(bench: Bench): Promise<KnownLosses> {
  const moved = (loss: ServerLoss, turn: (turn: Turn) => number) =>
    bench.move((each) => [{ data: [each.short(1, turn(each))], loss }]);
  const cispo = async () => isNear(await moved({ name: 'cispo', clip: { low: 1, high: 1 } }, () => apart), 1);
  const ppo = async () => {
    const free = await moved({ name: 'ppo', clip: { low: 0.1, high: 10 } }, () => apart);
    // A ratio beyond the limit on the side of the advantage has no gradient.
    const clipped = await moved({ name: 'ppo', clip: { low: 0.8, high: 1.2 } }, ({ direction }) => apart * direction);
    return isNear(free, Math.E) && Math.abs(clipped) < 0.2;
  };
  return { cispo: await refusedMeans(false, cispo), ppo: await refusedMeans(false, ppo) };
}

function isNear(measured: number, expected: number): boolean {
  return measured > expected / 1.5 && measured < expected * 1.5;
}

async function clips(bench: Bench): Promise<boolean> {
  return (await bench.move((turn) => [{ data: [turn.short(1)] }], { grad_clip_norm: 1e-9 })) < 0.3;
}

/** Moves the logprobs away from those of the base model, and looks whether a step without a gradient brings them back. */
async function decays(bench: Bench): Promise<boolean> {
  const start = bench.score();
  await bench.move((turn) => [{ data: [turn.short(4 * turn.direction)] }]);
  const away = bench.score() - start;
  await bench.move((turn) => [{ data: [turn.short(0)] }], { weight_decay: 0.5 / bench.learningRate });
  const left = bench.score() - start;
  return Math.abs(left) < 0.75 * Math.abs(away);
}

async function hasGradient(model: RemoteModel, { unit, learningRate }: Bench, vocabSize: number): Promise<boolean> {
  const before = await scoreOf(model, vocabSize);
  const stepped = await refusedMeans(false, async () => {
    await (await model.optimStep({ ...standstill, learning_rate: learningRate })).result;
    return true;
  });
  return stepped && Math.abs((await scoreOf(model, vocabSize)) - before) > 0.25 * Math.abs(unit);
}

/** What a server does not know, it refuses. @throws other failures */
async function refusedMeans<Result>(refused: Result, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TinkerFailure && error.kind === 'invalidInput') return refused;
    throw error;
  }
}
