import { constants } from 'node:fs';
import { copyFile, link, mkdir, readdir, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { badRequest } from '../../contract/errors.ts';
import { additionalTemplates, chooseFiles, type WeightsChoice } from '../../engine/registry/choose-files.ts';
import { byteCounter, type Watch } from './progress.ts';
import type { Order } from './pull.ts';

/** Orders the files of a folder or a GGUF file on this machine. */
export async function orderFromLocal(path: string, choice: WeightsChoice, name: string | null): Promise<Order> {
  const { folder, files } = await look(path);
  const chosen = chooseFiles(files, choice, path);
  const gguf = chosen.length === 1 && chosen[0]!.path.endsWith('.gguf') ? chosen[0]!.path : null;
  return {
    name: name ?? nameOf(path, gguf),
    source: { kind: 'local', path },
    weightsFile: gguf,
    sizeBytes: chosen.reduce((sum, file) => sum + file.sizeBytes, 0),
    bring: (staged, watch) => takeAll(folder, chosen, staged, watch),
  };
}

type Found = { path: string; sizeBytes: number };

async function look(path: string): Promise<{ folder: string; files: Found[] }> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw badRequest(`There is no ${path}.`);
    throw badRequest(`${path} cannot be read: ${error.message}.`);
  });
  if (found.isFile()) return { folder: dirname(path), files: [{ path: basename(path), sizeBytes: found.size }] };
  const inside = await readdir(join(path, additionalTemplates)).catch(() => []);
  const names = [...(await readdir(path)), ...inside.map((name) => `${additionalTemplates}/${name}`)];
  const files: Found[] = [];
  for (const name of names) {
    const entry = await stat(join(path, name)).catch(() => null); // a link that leads nowhere
    if (entry?.isFile()) files.push({ path: name, sizeBytes: entry.size });
  }
  return { folder: path, files };
}

/** A file of weights is served by its own name, without the characters that names may not hold. */
function nameOf(path: string, gguf: string | null): string {
  const name = path.endsWith('.gguf') ? basename(gguf ?? path, '.gguf') : basename(path);
  return name.replace(/[^\w.-]+/g, '-').replace(/^[.-]+/, '');
}

async function takeAll(folder: string, files: Found[], staged: string, watch: Watch): Promise<string> {
  const count = byteCounter(
    watch,
    files.reduce((sum, file) => sum + file.sizeBytes, 0),
  );
  const ways = new Set<string>();
  for (const { path, sizeBytes } of files) {
    watch.signal.throwIfAborted();
    await mkdir(dirname(join(staged, path)), { recursive: true });
    ways.add(await take(await realpath(join(folder, path)), join(staged, path)));
    count('copying', path, sizeBytes);
  }
  return [...ways].join(' and ');
}

/** Shares the bytes where the file system can: as a clone, else as a hard link; else copies them. */
async function take(from: string, to: string): Promise<'cloned' | 'hard-linked' | 'copied'> {
  await rm(to, { force: true });
  const cloned = await succeeds(copyFile(from, to, constants.COPYFILE_FICLONE_FORCE));
  if (cloned) return 'cloned';
  await rm(to, { force: true });
  if (await succeeds(link(from, to))) return 'hard-linked';
  await copyFile(from, to);
  return 'copied';
}

function succeeds(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
