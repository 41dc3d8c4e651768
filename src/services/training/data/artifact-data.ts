import type { Identity } from '../../../identity/identity.ts';
import { invalidInput, notFound } from '../../../util/failures.ts';
import type { Artifacts } from '../../artifacts/artifacts.ts';
import { parseArtifactName } from '../../models/artifact-model.ts';
import type { DataResolver } from './resolve-data.ts';

type ArtifactDeps = { identity: Pick<Identity, 'projectForRead'>; artifacts: Artifacts };

/** A file of an artifact, as ART uploads it. */
export function artifactData({ identity, artifacts }: ArtifactDeps): DataResolver {
  return async (address, caller) => {
    const parsed = parseArtifactName(address);
    if (parsed === null) return null;
    const projectId = await identity.projectForRead(caller, parsed.project);
    const wanted = { projectId, name: parsed.name, version: parsed.version ?? 'latest' };
    const artifact = await artifacts.find(wanted);
    if (artifact === null) throw notFound(`${address} not found`);
    const paths = (await artifacts.files(artifact)).map(({ path }) => path);
    const file = await artifacts.open({ ...wanted, path: dataFile(paths, address) });
    if (file === null) throw notFound(`${address} not found`); // it has just been deleted
    return file.stream;
  };
}

/** @throws Failure if no file is selected */
function dataFile(paths: string[], address: string): string {
  const named = ['train.jsonl', 'trajectories.jsonl'].find((name) => paths.includes(name));
  if (named !== undefined) return named;
  const lines = paths.filter((path) => path.endsWith('.jsonl'));
  if (lines.length === 1) return lines[0]!;
  throw invalidInput(
    `${address} has ${lines.length === 0 ? 'no .jsonl file' : `${lines.length} .jsonl files`}. Name the data file train.jsonl.`,
  );
}
