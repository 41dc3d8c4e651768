import type { AdapterReference } from '../../../chat/types.ts';
import type { Model } from '../../../domain/model.ts';
import type { Caller } from '../../../identity/identity.ts';
import { invalidInput, notFound } from '../../../util/failures.ts';
import { trainingKeys } from '../../training/training-keys.ts';
import { type ArtifactDeps, findArtifact, type ModelArtifactName, parseArtifactName } from '../artifact-model.ts';
import { findServedModel } from '../served-model.ts';

/** A model that can be exported: a base model, with or without an adapter. */
export type ExportableModel = {
  /** For the names of files: `agent-step3`. */
  title: string;
  base: Model;
  adapter: { files: AdapterReference['files']; step: number | null } | null;
};

/**
 * Finds a served model or adapter, or a trained model as `entity/project/name`, `project/name` or as its artifact, each
 * with or without a version. @throws Failure with the available names
 */
export async function exportableModel(
  deps: ArtifactDeps,
  caller: Caller | null,
  name: string,
): Promise<ExportableModel> {
  const artifact = parseArtifactName(name);
  const served = artifact === null ? await servedModel(deps, name) : null;
  if (served !== null) return served;
  const trained = artifact ?? trainedName(name, caller);
  if (trained === null || caller === null) throw noModel(name);
  return checkpointModel(deps, caller, name, trained);
}

async function servedModel(deps: ArtifactDeps, name: string): Promise<ExportableModel | null> {
  const [model, files] = [await deps.models.findInRequest(name), await findServedModel(deps.models, name)];
  if (model === null || files === null) return null;
  const title = name.replace(/[^\w.-]+/g, '-');
  if (files.adapter === null) return { title, base: model, adapter: null };
  const base = (await deps.models.find(model.adapter!.base))!;
  return { title, base, adapter: { files: files.adapter.files, step: null } };
}

function trainedName(name: string, caller: Caller | null): ModelArtifactName | null {
  const match = /^(?:([^/:]+)\/)?([^/:]+)\/([^/:]+)(?::([^/:]+))?$/.exec(name);
  if (match === null) return null;
  const [, entity = caller?.defaultEntity, project, model, version = null] = match;
  return { project: `${entity}/${project}`, name: model!, version };
}

async function checkpointModel(
  deps: ArtifactDeps,
  caller: Caller,
  name: string,
  trained: ModelArtifactName,
): Promise<ExportableModel> {
  if ((await deps.identity.readableProject(caller, trained.project)) === null) throw noModel(name);
  const { model, base, checkpoint } = await findArtifact(deps, caller, trained);
  if (checkpoint === null) {
    const found = trained.version === null || trained.version === 'latest' ? 'has no checkpoint yet' : 'is step 0';
    throw invalidInput(`${name} ${found}, which is its base model. Export that: ${base.name}.`);
  }
  const files = { blobs: trainingKeys.checkpoint(model.projectId, checkpoint.id) };
  return { title: `${model.name}-step${checkpoint.step}`, base, adapter: { files, step: checkpoint.step } };
}

function noModel(name: string) {
  return notFound(
    `There is no model ${name}. \`heddle models\` lists models and adapters; a trained model is named project/name or entity/project/name.`,
  );
}
