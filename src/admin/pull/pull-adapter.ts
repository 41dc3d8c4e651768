import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { conflict } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import type { Deps } from '../../services/deps.ts';
import { adapterFiles } from '../../services/models/adapters/adapter-files.ts';
import { baseOf } from '../../services/models/adapters/base-of-adapter.ts';
import { installAdapter } from '../../services/models/adapters/install-adapter.ts';
import type { Pulled } from './pull.ts';

/** Whether a folder contains an adapter as `peft` saves it. */
export function isAdapterFolder(folder: string): boolean {
  return existsSync(join(folder, 'adapter_config.json'));
}

/** Serves a copy of an adapter on this machine. */
export async function pullAdapter(
  deps: Pick<Deps, 'models' | 'modelReader'>,
  { path, name, base }: { path: string; name: string | null; base: string | null },
): Promise<Pulled> {
  const { models } = deps;
  const served = name ?? basename(path);
  const before = await models.find(served);
  if (before !== null && (before.source.kind !== 'local' || before.source.path !== path)) {
    throw conflict(`A model named ${served} already exists. Choose another name with --name.`);
  }
  const files = await adapterFiles(path);
  const adapter = { name: served, folder: path, files, base: await baseOf(models, base, files) };
  const model = await installAdapter(deps, { ...adapter, id: newId(), loadedBy: null });
  return { model, how: 'copied' };
}
