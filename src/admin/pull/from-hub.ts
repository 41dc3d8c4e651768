import { mkdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parseGGUFQuantLabel } from '@huggingface/gguf';
import { badRequest } from '../../contract/errors.ts';
import { chooseFiles, isAdditionalTemplate, type WeightsChoice } from '../../engine/registry/choose-files.ts';
import { inspectGguf } from '../../engine/registry/inspect-gguf.ts';
import { checkModelName } from '../../engine/registry/names.ts';
import { readModelConfig } from '../../engine/registry/read-config.ts';
import { download } from './download.ts';
import { type Hub, type HubFile, openHub, refusal } from './hub.ts';
import { byteCounter, type Watch } from './progress.ts';
import type { Order } from './pull.ts';

export type HubPlace = { repository: string; revision: string; endpoint: string; token: string };

/** Asks the hub what there is, and orders the files that make up the model. */
export async function orderFromHub(
  place: HubPlace,
  choice: WeightsChoice,
  name: string | null,
  watch: Watch,
): Promise<Order> {
  const { repository } = place;
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) {
    throw badRequest(
      `"${repository}" is not a Hub repository such as owner/name. For a local folder, write ./${repository}.`,
    );
  }
  if (repository.startsWith('heddle/'))
    throw badRequest(`${repository} is reserved for built-in models: there is nothing to pull.`);
  if (name !== null) checkModelName(name);
  watch.report({ step: 'asking' });
  const hub = openHub(place, watch.signal);
  const { revision, files } = await hub.describe(repository, place.revision);
  const chosen = chooseFiles(files, choice, repository).sort((a, b) => a.sizeBytes - b.sizeBytes);
  const gguf = chosen.length === 1 && chosen[0]!.path.endsWith('.gguf') ? chosen[0]! : null;
  const at = { hub, place: { ...place, revision }, files: chosen };
  return {
    name: name ?? nameOf(repository, choice),
    source: { kind: 'hub', repository, revision },
    weightsFile: gguf && basename(gguf.path),
    sizeBytes: chosen.reduce((sum, file) => sum + file.sizeBytes, 0),
    async bring(folder, during) {
      if (gguf) await lookAhead(at, gguf);
      await downloadAll(at, folder, during);
      return 'downloaded';
    },
  };
}

function nameOf(repository: string, { quantisation, file }: WeightsChoice): string {
  const variant = quantisation?.toUpperCase() ?? (file && (parseGGUFQuantLabel(file) ?? basename(file, '.gguf')));
  return variant ? `${repository}:${variant}` : repository;
}

type At = { hub: Hub; place: HubPlace; files: HubFile[] };

/** A file of many gigabytes is not fetched to learn that it cannot be used. */
async function lookAhead({ hub, place }: At, { path }: HubFile): Promise<void> {
  await inspectGguf(basename(path), { url: hub.urlOf(place.repository, place.revision, path), fetch: hub.fetch });
}

async function downloadAll({ hub, place, files }: At, folder: string, watch: Watch): Promise<void> {
  const { repository, revision, endpoint, token } = place;
  const count = byteCounter(
    watch,
    files.reduce((sum, file) => sum + file.sizeBytes, 0),
  );
  for (const file of files) {
    const origin = {
      url: hub.urlOf(repository, revision, file.path),
      fetch: hub.fetch,
      refuse: (status: number) => refusal(status, `${file.path} of ${repository}`, endpoint, token !== ''),
    };
    const target = join(folder, isAdditionalTemplate(file.path) ? file.path : basename(file.path));
    await mkdir(dirname(target), { recursive: true });
    await download(file, origin, target, {
      signal: watch.signal,
      onBytes: (more) => count('downloading', file.path, more),
    });
    if (file.path === 'config.json') readModelConfig(await readFile(target, 'utf8')); // before the large files
  }
}
