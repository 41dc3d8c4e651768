import type { ChatLimits, ModelReference } from '../../chat/types.ts';
import type { MemoryBudget } from '../../engine/memory/memory-budget.ts';
import { ModelTooLargeError } from '../../engine/memory/plan-memory.ts';
import { Failure } from '../../util/failures.ts';
import type { HostClient } from '../hosts/host-client.ts';
import { type HostedInference, type HostStarting, openHostedInference } from '../hosts/hosted-inference.ts';
import { modelUnavailable } from '../hosts/model-unavailable.ts';
import type { Inference } from '../inference.ts';
import type { GenerationObserver } from '../observer.ts';
import type { AdapterPlaces } from '../with-adapter-folder.ts';
import { openOwnHost } from './own-host.ts';

export type OwnInferenceOptions = AdapterPlaces & {
  limits: ChatLimits;
  /** The memory of all models. */
  memory: MemoryBudget;
  /** The directory of the weights in their memory-mapped form. */
  cacheDirectory: string;
  /** How much lower the priority of model processes is than this one's. */
  niceness: number;
  /** How long an unused model stays open. */
  idleMsMax?: number;
  /** Called for each request, with the id of its base model. */
  observe?: (id: string) => GenerationObserver;
  /** Called when the process of a model ends without having been closed. */
  onCrash?: (error: Failure) => void;
};

/** Models that run on this machine, within a budget of memory. */
export type OwnInference = Inference & HostedInference;

export function openOwnInference(options: OwnInferenceOptions): OwnInference {
  const { memory, observe } = options;
  const hosted = openHostedInference({ ...options, openHost: openWithRoom });

  /** If there is not enough memory, open models return what they do not need now, then unused ones are closed. */
  async function openWithRoom(model: ModelReference, starting: HostStarting): Promise<HostClient> {
    const makeRoom = roomMaker();
    while (true) {
      try {
        return await options.withModelFiles(model, (path) => open(path, model, starting));
      } catch (error) {
        if (!(error instanceof Failure && error.cause instanceof ModelTooLargeError)) throw error;
        if (!(await makeRoom())) throw withBudget(error);
      }
    }
  }

  function open(path: string, { id, name }: ModelReference, starting: HostStarting): Promise<HostClient> {
    const { limits, cacheDirectory, niceness } = options;
    const observing = observe === undefined ? {} : { observe: () => observe(id) };
    return openOwnHost({ path, cacheDirectory, limits }, { name, niceness, memory, ...starting, ...observing });
  }

  function withBudget({ message, cause }: Failure): Failure {
    return modelUnavailable(`${message} ${memory.describe()}`, { cause });
  }

  function roomMaker(): () => Promise<boolean> {
    let hasReclaimed = false;
    return async () => {
      if (await memory.freeIdle()) return true;
      if (hasReclaimed) return hosted.closeIdlest();
      hasReclaimed = true;
      await Promise.allSettled((await hosted.openHosts()).map((host) => host.giveBackCaches()));
      return true;
    };
  }

  return { ...hosted, roomMaker };
}
