import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, conflict, toApiError } from '../../contract/errors.ts';
import type { Model, NewModel } from '../../domain/model.ts';
import { inspectFolder } from '../../engine/registry/inspect-folder.ts';
import { inspectGguf } from '../../engine/registry/inspect-gguf.ts';
import { checkModelName } from '../../engine/registry/names.ts';
import { checkModelText } from '../../services/models/model-text.ts';
import { isDiskFull } from '../../store/disk/disk-full.ts';
import type { Models } from '../../store/models/models.ts';
import { humanBytes } from '../../util/human-bytes.ts';
import type { Watch } from './progress.ts';

/** Files of a model that somebody wants served, and the way to bring them. */
export type Order = {
  /** What it is to be served by. */
  name: string;
  source: NewModel['source'];
  weightsFile: string | null;
  sizeBytes: number;
  /** Brings all files into the folder, going on where an earlier try ended. @returns what to tell of it */
  bring(folder: string, watch: Watch): Promise<string>;
};

export type Pulled = { model: Model; how: string };

/** Orders under way, by what they stage: each process has a data directory of its own. */
const underWay = new Set<string>();

/** Brings a model, looks at it whole, and serves it. Until then nothing of it is listed. */
export async function pull(models: Models, order: Order, watch: Watch): Promise<Pulled> {
  checkModelName(order.name);
  const served = await models.find(order.name);
  if (served && !isSameSource(served, order)) throw taken(served);
  const isServed = served !== null && isSameState(served, order);
  if (isServed && (await models.hasFiles(served))) return { model: served, how: 'was there already' };
  const key = JSON.stringify([order.source, order.weightsFile]);
  if (underWay.has(key)) throw conflict(`${order.name} is being pulled by another command.`);
  underWay.add(key);
  try {
    return await bringAndAdopt(models, order, key, watch, isServed ? served : null);
  } finally {
    underWay.delete(key);
  }
}

/** @param served the same model, whose files another process has */
async function bringAndAdopt(
  models: Models,
  order: Order,
  key: string,
  watch: Watch,
  served: Model | null,
): Promise<Pulled> {
  const folder = await models.stage(key);
  await checkRoom(models, folder, order.sizeBytes);
  try {
    const how = await order.bring(folder, watch);
    watch.report({ step: 'checking' });
    const { name, source, weightsFile, sizeBytes } = order;
    const { format: _, ...summary } = await inspectStaged(folder, weightsFile);
    await checkModelText(weightsFile === null ? folder : join(folder, weightsFile));
    watch.signal.throwIfAborted();
    if (served !== null) {
      await models.addFiles(key, served);
      return { model: served, how };
    }
    return { model: await models.adopt(key, { name, source, weightsFile, sizeBytes, adapter: null, ...summary }), how };
  } catch (error) {
    const known = toApiError(error);
    if (known?.status === 422) await models.unstage(key); // no more tries would help
    if (known !== null || !isDiskFull(error)) throw error;
    throw new ApiError(
      507,
      'The disk is full. Free some space and run the command again to resume.',
      {},
      { cause: error },
    );
  }
}

function inspectStaged(folder: string, weightsFile: string | null) {
  return weightsFile === null ? inspectFolder(folder) : inspectGguf(weightsFile, { path: join(folder, weightsFile) });
}

function isSameSource({ source, weightsFile }: Model, order: Order): boolean {
  if (weightsFile !== order.weightsFile) return false;
  if (source.kind === 'hub' && order.source.kind === 'hub') return source.repository === order.source.repository;
  return source.kind === 'local' && order.source.kind === 'local' && source.path === order.source.path;
}

/** A commit never changes; files on this machine may have. */
function isSameState({ source }: Model, order: Order): boolean {
  return source.kind === 'hub' && order.source.kind === 'hub' && source.revision === order.source.revision;
}

function taken({ name, source }: Model): ApiError {
  const from = source.kind === 'hub' ? source.repository : source.kind === 'local' ? source.path : 'heddle';
  return conflict(
    `A model named ${name} already exists, from ${from}. Choose another name with --name, or \`heddle models remove ${name}\`.`,
  );
}

async function checkRoom(models: Models, folder: string, sizeBytes: number): Promise<void> {
  const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size));
  const missing = sizeBytes - sizes.reduce((sum, size) => sum + size, 0);
  const free = await models.freeBytes();
  if (missing <= free) return;
  throw new ApiError(
    507,
    `The model needs ${humanBytes(missing)} more, and the disk has ${humanBytes(Math.max(free, 0))} free beside what is ` +
      'kept (HEDDLE_DISK_RESERVE_BYTES).',
  );
}
