import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { configFile, weightsFile } from '../../../engine/adapters/peft/names.ts';
import { additionalTemplates, companions } from '../../../engine/registry/choose-files.ts';
import { syncDirectory } from '../../../store/sync-directory.ts';
import { conflict } from '../../../util/failures.ts';

/** The target of an export: a new folder or a single file. It is renamed to its final name once it is complete. */
export type ExportTarget = {
  /** The folder, which does not exist, that files are written to. */
  unfinished: string;
  /** Moves the files to their final path. */
  finish(): Promise<void>;
  discard(): Promise<void>;
};

/**
 * Prepares the target of an export. Replaces an earlier export if requested, and nothing else.
 * @throws Failure if the path is taken
 */
export async function openExportTarget(path: string, replaces: boolean): Promise<ExportTarget> {
  await checkPlace(path, replaces);
  const unfinished = `${path}.unfinished`;
  await mkdir(dirname(path), { recursive: true });
  await checkExport(unfinished); // left by a process that was killed
  const discard = () => rm(unfinished, { recursive: true, force: true });
  await discard();
  return {
    unfinished,
    async finish() {
      await checkPlace(path, replaces);
      await syncDirectory(unfinished);
      if (isSingleFile(path)) {
        const [file] = await readdir(unfinished);
        await rename(join(unfinished, file!), path);
      } else {
        await replaceFolder(path, unfinished);
      }
      await discard();
      await syncDirectory(dirname(path));
    },
    discard,
  };
}

/** Whether an export of one file becomes a file of this name, instead of a folder. */
export function isSingleFile(path: string): boolean {
  return path.endsWith('.gguf');
}

async function checkPlace(path: string, replaces: boolean): Promise<void> {
  if (!(await exists(path))) return;
  if (!replaces) throw conflict(`${path} already exists. Choose another path, or replace it with --force.`);
  await checkExport(path);
}

/** @throws Failure if a file or folder that is not an export has this name */
async function checkExport(path: string): Promise<void> {
  if (!(await exists(path))) return;
  const found = await lstat(path);
  if (isSingleFile(path) ? found.isFile() : found.isDirectory()) {
    const other = found.isFile() ? undefined : (await readdir(path)).find((name) => !isExported(name));
    if (other === undefined) return;
    throw conflict(
      `${path} contains ${other}, which is not part of an export, so it is not replaced. Choose another path.`,
    );
  }
  const kind = found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'link or device';
  throw conflict(`${path} is a ${kind}, which is not replaced. Choose another path.`);
}

function isExported(name: string): boolean {
  return (
    [...companions, additionalTemplates, configFile, weightsFile, 'model.safetensors'].includes(name) ||
    isSingleFile(name)
  );
}

/** A folder cannot be renamed over a non-empty folder, so the old one is moved away first. */
async function replaceFolder(path: string, unfinished: string): Promise<void> {
  const replaced = `${path}.replaced`;
  await rm(replaced, { recursive: true, force: true });
  if (existsSync(path)) await rename(path, replaced);
  await rename(unfinished, path);
  await rm(replaced, { recursive: true, force: true });
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(ignoreMissing)) !== null;
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
