import type { TrainedWeights } from '../../../engine/training/types.ts';
import { invalidInput } from '../../../util/failures.ts';
import type { InTurn } from '../../../util/in-turn.ts';
import { TinkerFailure, type TinkerHttp } from '../client/http.ts';
import { createRemoteModel, type RemoteModel, type RemoteModelOptions } from '../client/remote-model.ts';
import { openSession, type TinkerSession } from '../client/session.ts';
import { discard } from '../probe/probe.ts';

/** The models of one job on a server: the one in training, and those that it is compared with. */
export type RemoteModels = {
  create(signal?: AbortSignal): Promise<RemoteModel>;
  /** A model with the weights of the base model, or with others that the server keeps. It is never trained. */
  fixed(weights: 'base' | TrainedWeights, signal?: AbortSignal): Promise<RemoteModel>;
  /** Frees one model. */
  discard(model: RemoteModel): Promise<void>;
  /** Frees all models. It takes only so long: the server frees what is left without heartbeats. */
  close(): Promise<void>;
};

const closeMsMax = 10_000;

export async function openRemoteModels(
  http: TinkerHttp,
  options: RemoteModelOptions & {
    /** Whether a new model starts with the gradients of one that was unloaded before. */
    keepsGradients: boolean;
    /** Creates models of all jobs one after another: a place that was just cleaned must not go to another model. */
    creating: InTurn;
    signal?: AbortSignal;
  },
): Promise<RemoteModels> {
  const session: TinkerSession = await openSession(http, options.signal);
  const open = new Set<RemoteModel>();
  const fixed = new Map<string, Promise<RemoteModel>>();
  let models = 0;

  const create = (signal?: AbortSignal) => options.creating(() => createNow(signal));

  async function createNow(signal?: AbortSignal): Promise<RemoteModel> {
    const model = await createRemoteModel(http, { id: session.id, modelNumber: models++ }, options, signal);
    open.add(model);
    return model;
  }

  /** A step of the model itself would leave its mark on the optimizer: another model uses up what is in its place. */
  function createClean(signal?: AbortSignal): Promise<RemoteModel> {
    return options.creating(async () => {
      if (options.keepsGradients) await end(await createNow(signal));
      return createNow(signal);
    });
  }

  async function end(model: RemoteModel): Promise<void> {
    await discard(model);
    open.delete(model);
  }

  return {
    create: createClean,
    fixed(weights, signal) {
      const key = weights === 'base' ? '' : pathOf(weights, http.host);
      const found = fixed.get(key) ?? createFixed(key, signal);
      fixed.set(key, found);
      found.catch(() => fixed.delete(key)); // the next request tries again
      return found;
    },
    discard: end,
    async close() {
      const late = AbortSignal.timeout(closeMsMax);
      await Promise.allSettled([...open].map((model) => discard(model, late)));
      session.close();
    },
  };

  async function createFixed(path: string, signal?: AbortSignal): Promise<RemoteModel> {
    const model = await create(signal);
    if (path !== '') await loadState(model, path, { withOptimizer: false, host: http.host, signal });
    return model;
  }
}

/** Where a server keeps weights. @throws Failure for those that were trained elsewhere */
export function pathOf({ remote }: TrainedWeights, host: string): string {
  if (remote) return remote.path;
  throw invalidInput(
    `These weights were trained without the Tinker server ${host}, and weights cannot be sent to it. ` +
      'Train a new model, or continue without HEDDLE_TINKER_URL.',
  );
}

/** @throws Failure if the server does not have the state any more */
export async function loadState(
  model: RemoteModel,
  path: string,
  { withOptimizer, host, signal }: { withOptimizer: boolean; host: string; signal?: AbortSignal },
): Promise<void> {
  try {
    await model.loadState(path, withOptimizer, signal);
  } catch (error) {
    if (!(error instanceof TinkerFailure) || (error.status !== 404 && error.status !== 400)) throw error;
    throw invalidInput(
      `The Tinker server ${host} does not have the state ${path} any more, and weights cannot be sent to it. ` +
        `Train a new model, or continue without HEDDLE_TINKER_URL. ${error.message}`,
    );
  }
}
