import { hash } from 'node:crypto';
import { chatTemplatesOf } from '../../chat/tokenizer/served-text.ts';
import { textFilesOf } from '../../chat/tokenizer/text-files.ts';
import type { ModelReference } from '../../chat/types.ts';
import { adapterDigest, adapterFileNames } from '../../engine/adapters/adapter-digest.ts';
import { readWeightsDigest } from '../../engine/models/weights-digest.ts';
import { filesDigest } from '../../util/files-digest.ts';
import type { FileDigests } from '../model-reader.ts';
import { type AdapterPlaces, withAdapterFolder } from '../with-adapter-folder.ts';

/** The digests of the files of a model on this machine, read anew. @throws Failure if there are none */
export async function readFileDigests(places: AdapterPlaces, model: ModelReference): Promise<FileDigests> {
  const adapter = await adapterOf(places, model);
  return places.withModelFiles(model, async (path) => {
    const textFiles = await textFilesOf(path);
    const weights = await readWeightsDigest(path);
    const tokenizer = { names: textFiles.map(({ name }) => name), digest: await filesDigest(textFiles) };
    return { weights, tokenizer, adapter, templates: await templatesOf(path) };
  });
}

async function adapterOf(places: AdapterPlaces, { name, adapter }: ModelReference): Promise<FileDigests['adapter']> {
  if (adapter === null) return null;
  const digest = await withAdapterFolder(places, { name, files: adapter.files }, adapterDigest);
  return { names: adapterFileNames, digest };
}

/** None if the files that contain them cannot be read: their digest, which differs then, shows that. */
async function templatesOf(path: string): Promise<Record<string, string>> {
  const sources = await chatTemplatesOf(path).catch(() => new Map<string, string>());
  return Object.fromEntries([...sources].map(([name, source]) => [name, hash('sha256', source)]));
}
