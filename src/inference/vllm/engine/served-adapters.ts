import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AdapterId } from '../../../engine/adapter-id.ts';
import { adapterDigest, adapterFileNames } from '../../../engine/adapters/adapter-digest.ts';
import type { AdapterFiles } from '../../../engine/adapters/adapter-files.ts';
import { invalidInput } from '../../../util/failures.ts';
import type { VllmServers } from '../servers/vllm-servers.ts';

export type ServedAdapters = {
  /** Loads an adapter into the servers unless they have it. @returns its name there @throws Failure */
  load(files: AdapterFiles): Promise<string>;
  /** Resolves when it is unloaded, after its last request. */
  unload(id: AdapterId): Promise<void>;
};

type Options = {
  model: string;
  folder: string | null;
  servers: Pick<VllmServers, 'loadAdapter' | 'unloadAdapter'>;
};

/**
 * Adapters of one model at vLLM servers. Each has a name of its own, with the digest of its files, and a folder of that name which
 * the servers read: neither is ever used for other weights.
 */
export function openServedAdapters({ model, folder, servers }: Options): ServedAdapters {
  const loaded = new Map<AdapterId, Promise<string>>();

  async function load(files: AdapterFiles): Promise<string> {
    if (folder === null) throw noFolder();
    const name = `${readable(files.name)}-${(await adapterDigest(files.folder)).slice(0, digestLength)}`;
    const path = join(folder, name);
    await publish(files.folder, path);
    await servers.loadAdapter({ model, name, path });
    return name;
  }

  return {
    load(files) {
      const known = loaded.get(files.id);
      if (known) return known;
      const loading = load(files);
      loaded.set(files.id, loading);
      loading.catch(() => loaded.delete(files.id)); // the next request tries again
      return loading;
    },
    async unload(id) {
      const name = await loaded.get(id)?.catch(() => null);
      loaded.delete(id);
      if (!name) return;
      await servers.unloadAdapter(name);
      await rm(join(folder!, name), { recursive: true, force: true });
    },
  };
}

/** Copies the files under another name and renames them, so that a server never sees a part of them. */
async function publish(from: string, to: string): Promise<void> {
  if (existsSync(to)) return;
  const staged = `${to}.${randomUUID()}`;
  try {
    await mkdir(staged, { recursive: true });
    for (const file of adapterFileNames) await cp(join(from, file), join(staged, file));
    await rename(staged, to).catch((error) => {
      if (!existsSync(to)) throw error; // another process was faster, with the same files
    });
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}

/** The name of a model, with what paths and URLs leave as it is. */
function readable(name: string): string {
  return name
    .replace(/^wandb-artifact:\/+/, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(-readableMax);
}

function noFolder() {
  return invalidInput(
    'Adapters of models that vLLM serves need a folder that the servers see, too: set HEDDLE_VLLM_ADAPTERS.',
    { param: 'model' },
  );
}

const digestLength = 16;
const readableMax = 100;
