import type { ModelReference } from '../../chat/types.ts';
import { newId } from '../../contract/ids.ts';
import type { Model } from '../../domain/model.ts';
import type { Caller } from '../../identity/identity.ts';
import { Failure, invalidInput, notFound } from '../../util/failures.ts';
import type { Deps } from '../deps.ts';
import { checkFolder } from './adapters/allowed-folders.ts';
import { baseOf } from './adapters/base-of-adapter.ts';
import { installAdapter } from './adapters/install-adapter.ts';
import { type ModelResolver, noSuchModel, resolveModel } from './resolve-model.ts';
import { findServedModel, overBase, overInstalled } from './served-model.ts';

/** Operations on served models. */
export type ServedModels = {
  /** The model with this name. @throws Failure if there is none */
  resolve(name: string, caller: Caller): Promise<ModelReference>;
  /** The same, but returns null if there is none. */
  find(name: string, caller: Caller): Promise<ModelReference | null>;
  /** The names of all models and adapters. */
  names(): Promise<string[]>;
  /** Serves a copy of a PEFT folder and loads it. @throws Failure; then nothing has changed */
  loadAdapter(adapter: AdapterToLoad, caller: Caller): Promise<void>;
  /** Stops serving an adapter. Its running requests are finished. @throws Failure */
  unloadAdapter(name: string, caller: Caller): Promise<void>;
};

type AdapterToLoad = {
  name: string;
  folder: string;
  /** The name of a served model; null for the one that the folder names. */
  base: string | null;
  /** Replaces an adapter that is already served under the name. */
  replaces: boolean;
};

export type ServedModelSettings = {
  /** Folders from which adapters may be loaded. */
  adapterFolders: readonly string[];
};

/** @param others further resolvers, such as the one for names of checkpoints */
export function openServedModels(
  deps: Pick<Deps, 'models' | 'inference' | 'modelReader' | 'peers'>,
  { adapterFolders }: ServedModelSettings,
  others: readonly ModelResolver[] = [],
): ServedModels {
  const { models, inference } = deps;
  const resolvers = [(name: string) => findServedModel(models, name), ...others];
  /** Names of adapters that are being loaded here; other processes have leases. */
  const underWay = new Set<string>();
  const find = (name: string, caller: Caller) => resolveModel(resolvers, name, caller);

  /** The adapter that a new one replaces, if any. */
  async function replaced({ name, replaces }: AdapterToLoad, caller: Caller): Promise<Model | null> {
    const served = await models.find(name);
    if (served === null) return null;
    if (served.adapter === null) throw invalidInput(`${name} is not an adapter.`);
    if (!replaces) {
      throw invalidInput(
        `The lora adapter '${name}' has already been loaded. If you want to load the adapter in place, set 'load_inplace' to True.`,
      );
    }
    checkMayChange(served, caller);
    return served;
  }

  async function load(wanted: AdapterToLoad, caller: Caller): Promise<void> {
    const before = await replaced(wanted, caller);
    const files = await checkFolder(adapterFolders, wanted.folder);
    const base = await baseOf(models, wanted.base, files);
    const id = newId();
    const toUnload = overInstalled(base, { id, name: wanted.name });
    try {
      await installAdapter(deps, {
        ...wanted,
        files,
        base,
        id,
        loadedBy: caller.userId,
        check: (folder) => inference.loadAdapter(overBase(base, { id, name: wanted.name, files: { folder } })),
      });
    } catch (error) {
      void inference.unloadAdapter(toUnload).catch(() => {}); // the model is closed
      throw error;
    }
    if (before !== null) unloadLater(before);
  }

  /** A model removed from the list stays in memory until its requests have ended. */
  function unloadLater(removed: Model): void {
    const unload = async () => {
      const base = await models.find(removed.adapter!.base);
      if (base !== null) await inference.unloadAdapter(overInstalled(base, removed));
    };
    void unload().catch(() => {}); // the model is closed
  }

  return {
    find,
    async resolve(name, caller) {
      const found = await find(name, caller);
      if (found === null) throw noSuchModel(name);
      return found;
    },
    names: async () => (await models.list()).map(({ name }) => name),
    async loadAdapter(wanted, caller) {
      const busy = new Failure('conflict', `${wanted.name} is being loaded by another request.`);
      if (underWay.has(wanted.name)) throw busy;
      underWay.add(wanted.name);
      try {
        const lease = await deps.peers.lease(`loading the adapter ${wanted.name}`, leaseMs);
        if (lease === null) throw busy;
        await load(wanted, caller).finally(() => lease.release());
      } finally {
        underWay.delete(wanted.name);
      }
    },
    async unloadAdapter(name, caller) {
      const served = await models.find(name);
      if (served === null || served.adapter === null) {
        throw notFound(`The lora adapter '${name}' cannot be found.`);
      }
      checkMayChange(served, caller);
      await models.remove(served);
      unloadLater(served);
    },
  };
}

/** How long the name of an adapter stays taken if the process that loads it is killed. */
const leaseMs = 10_000;

/** The server's owner, and the user who loaded the adapter. */
function checkMayChange({ name, adapter }: Model, { userId, isOwner }: Caller): void {
  if (isOwner || adapter!.loadedBy === userId) return;
  throw new Failure('forbidden', `The lora adapter '${name}' was not loaded by you.`);
}
