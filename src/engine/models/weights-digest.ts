import { hash as hashOf, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { filesDigest } from '../../util/files-digest.ts';

/**
 * The SHA-256 of the files with a model's weights, and of their names and sizes, in hexadecimal. It is kept in `folder` until the files
 * change.
 * @param path a Hugging Face folder with safetensors, or a GGUF file
 */
export async function weightsDigest(path: string, folder: string): Promise<string> {
  const files = weightFiles(path);
  const state = hashOf('sha256', JSON.stringify(files.map(({ name, bytes, mtimeMs }) => [name, bytes, mtimeMs])));
  const stem = `${basename(path)}.digest-`;
  const kept = `${stem}${state.slice(0, 16)}`;
  const target = join(folder, kept);
  if (existsSync(target)) return readFileSync(target, 'utf8');
  const digest = await filesDigest(files);
  await mkdir(folder, { recursive: true });
  const written = `${target}.${randomUUID()}`;
  writeFileSync(written, digest);
  renameSync(written, target);
  for (const name of readdirSync(folder)) {
    if (name.startsWith(stem) && name !== kept) rmSync(join(folder, name), { force: true });
  }
  return digest;
}

/** The same of the files as they are now, whatever is kept, with the names of the files. */
export async function readWeightsDigest(path: string): Promise<{ names: string[]; digest: string }> {
  const files = weightFiles(path);
  const names = files.map(({ name }) => (name === '' ? basename(path) : name));
  return { names, digest: await filesDigest(files) };
}

function weightFiles(path: string) {
  const isFolder = statSync(path).isDirectory();
  const names = isFolder ? readdirSync(path).filter((name) => name.endsWith('.safetensors')) : [''];
  return names.sort().map((name) => {
    const file = join(path, name);
    const { size: bytes, mtimeMs } = statSync(file);
    return { name, path: file, bytes, mtimeMs };
  });
}
