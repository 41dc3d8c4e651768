import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { UnsoundFileError, UnsupportedModelError } from '../../../engine/models/config.ts';
import { withAdapterFolder } from '../../../inference/with-adapter-folder.ts';
import { isDiskFull } from '../../../store/disk/disk-full.ts';
import { conflict, Failure, invalidInput, unacceptable } from '../../../util/failures.ts';
import { humanBytes } from '../../../util/human-bytes.ts';
import { thread } from '../../../util/workers/start-worker.ts';
import { WorkerClient } from '../../../util/workers/worker-client.ts';
import type { Deps } from '../../deps.ts';
import type { ArtifactDeps } from '../artifact-model.ts';
import type { ExportFormat, ExportSource } from './export-files.ts';
import { isSingleFile, openExportTarget } from './export-target.ts';
import type { Exporting, ExportProgress } from './export-worker.ts';
import { type ExportableModel, exportableModel } from './exportable-model.ts';

export type ExportOrder = {
  name: string;
  format: ExportFormat;
  /** A path that does not exist yet: a folder or, if it ends in `.gguf`, a file. */
  target: string;
  /** Whether an earlier export at the path is replaced. */
  replaces: boolean;
};

type Exported = { base: string; step: number | null; files: string[]; sizeBytes: number };

type Watch = { onProgress(progress: ExportProgress): void; signal: AbortSignal };

/** Writes models to paths outside the data directory. */
export type ModelExports = {
  /** Resolves when all files are written; if it fails, none is. Runs as the owner. @throws Failure */
  export(order: ExportOrder, watch: Watch): Promise<Exported>;
};

type ExportDeps = ArtifactDeps & Pick<Deps, 'localFiles' | 'peers'>;

export function openModelExports(deps: ExportDeps): ModelExports {
  /** Paths that are being written here; other processes of the machine have leases. */
  const targets = new Set<string>();
  return {
    async export(order, watch) {
      const { name, target } = order;
      const model = await exportableModel(deps, await deps.identity.findOwner(), name);
      checkOrder(order, model);
      const busy = conflict(`${target} is being written by another command.`);
      if (targets.has(target)) throw busy;
      targets.add(target);
      try {
        const lease = await deps.peers.lease(`exporting to ${target} at ${hostname()}`, leaseMs);
        if (lease === null) throw busy;
        const work = (places: Places) => exportModel(deps, model, places, order, watch);
        return await withPlaces(deps, model, work).finally(() => lease.release());
      } catch (error) {
        throw refusal(error, order);
      } finally {
        targets.delete(target);
      }
    },
  };
}

/** How long a path stays taken if the process that writes there is killed. */
const leaseMs = 10_000;

type Places = Pick<ExportSource, 'basePath' | 'adapterFolder'>;

function withPlaces<Result>(
  { models, localFiles }: ExportDeps,
  { title: name, base, adapter }: ExportableModel,
  work: (places: Places) => Promise<Result>,
): Promise<Result> {
  return models.withFiles(base, (basePath) => {
    if (adapter === null) return work({ basePath, adapterFolder: null });
    const places = { withModelFiles: models.withFiles, withLocalFiles: localFiles.use };
    const { files } = adapter;
    return withAdapterFolder(places, { name, files }, (adapterFolder) => work({ basePath, adapterFolder }));
  });
}

function checkOrder({ name, format, target }: ExportOrder, { adapter }: ExportableModel): void {
  if (format === 'peft' && adapter === null) {
    throw invalidInput(
      `${name} is a model without an adapter, so it cannot be exported for peft. Export it with --format safetensors or --format gguf.`,
    );
  }
  if (isSingleFile(target) && format !== 'gguf') {
    throw invalidInput(`${target} is the name of a GGUF file, but ${format} writes a folder.`);
  }
}

async function exportModel(
  { models }: ExportDeps,
  model: ExportableModel,
  places: Places,
  { name, format, target, replaces }: ExportOrder,
  { onProgress, signal }: Watch,
): Promise<Exported> {
  const { title, base, adapter } = model;
  const place = await openExportTarget(target, replaces);
  const baseName = adapter?.step != null && base.source.kind === 'hub' ? base.source.repository : null;
  const worker = startWorker();
  const refuse = (error: unknown) => {
    throw error instanceof Failure ? unacceptable(`${name} cannot be exported. ${error.message}`, error) : error;
  };
  try {
    const source = { title, baseName, ...places };
    const files = await worker.request('plan', { format, source }, { signal }).catch(refuse);
    const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
    checkRoom(sizeBytes, await models.freeBytes(dirname(target)));
    await worker.request('write', place.unfinished, { signal, onEvent: onProgress }).catch(refuse);
    await place.finish();
    return { base: base.name, step: adapter?.step ?? null, files: files.map((file) => file.name), sizeBytes };
  } catch (error) {
    await worker.kill(); // before its files are removed
    await place.discard();
    throw error;
  } finally {
    await worker.kill();
  }
}

function startWorker(): WorkerClient<Exporting> {
  const errors = [Failure, UnsoundFileError, UnsupportedModelError];
  return new WorkerClient<Exporting>(thread(new URL('./export-worker.ts', import.meta.url)), { errors });
}

function checkRoom(sizeBytes: number, freeBytes: number): void {
  if (sizeBytes <= freeBytes) return;
  throw new Failure(
    'noSpace',
    `The export needs ${humanBytes(sizeBytes)}, but the disk has ${humanBytes(Math.max(freeBytes, 0))} free, without the reserve (HEDDLE_DISK_RESERVE_BYTES).`,
  );
}

/** Reasons why a path cannot be written, by the code of Node's error. */
const placeProblems: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'part of the path is a file',
  EEXIST: 'part of the path is a file',
  ENAMETOOLONG: 'the name is too long',
};

function refusal(error: unknown, { name, format, target }: ExportOrder): unknown {
  if (!(error instanceof Error) || error instanceof Failure) return error;
  if (isDiskFull(error)) {
    return new Failure('noSpace', `The disk is full. Nothing was written to ${target}.`, {}, { cause: error });
  }
  if (error instanceof UnsupportedModelError || error instanceof UnsoundFileError) {
    return unacceptable(`${name} cannot be exported as ${format}: ${error.message}.`, error);
  }
  const { code = '', path = '' } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' && !path.startsWith(target))
    return conflict(`The files of ${name} were deleted during the export.`);
  const problem = placeProblems[code];
  return problem === undefined ? error : invalidInput(`${target} cannot be written: ${problem}.`);
}
