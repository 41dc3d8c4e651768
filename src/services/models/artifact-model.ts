import type { ModelReference } from '../../chat/types.ts';
import type { Model } from '../../domain/model.ts';
import type { Caller } from '../../identity/identity.ts';
import { findVersion } from '../../store/postgres/artifacts/find-artifacts.ts';
import { type Checkpoint, findCheckpoint, listCheckpoints } from '../../store/postgres/training/checkpoints.ts';
import { findModelByName, type TrainedModel } from '../../store/postgres/training/models.ts';
import { isRefusal, notFound } from '../../util/failures.ts';
import type { Deps } from '../deps.ts';
import { trainingKeys } from '../training/training-keys.ts';
import type { ModelResolver } from './resolve-model.ts';
import { overBase } from './served-model.ts';

export type ArtifactDeps = Pick<Deps, 'models' | 'identity' | 'postgres'>;

/** The parts of a name such as `wandb-artifact:///entity/project/name:step3`. */
export type ModelArtifactName = { project: string; name: string; version: string | null };

/** The model with such a name: a checkpoint over a base model, or null for only the base model. */
export type ModelArtifact = { model: TrainedModel; base: Model; checkpoint: Checkpoint | null };

/**
 * Resolves the names of trained models: the base model with the adapter of a checkpoint, or alone before the first one.
 * A name without a version means the latest checkpoint, so a new one is served as soon as it is listed.
 * @throws Failure for a project that the caller may not read, and for a model, base model or checkpoint that does not
 * exist
 */
export function artifactResolver(deps: ArtifactDeps): ModelResolver {
  return async (text, caller) => {
    const artifact = parseArtifactName(text);
    return artifact && artifactModel(deps, caller, text, artifact);
  };
}

async function artifactModel(
  deps: ArtifactDeps,
  caller: Caller,
  text: string,
  name: ModelArtifactName,
): Promise<ModelReference> {
  const { model, base, checkpoint } = await findArtifact(deps, caller, name);
  return checkpoint === null
    ? { id: base.id, name: text, adapter: null }
    : overBase(base, {
        id: checkpoint.id,
        name: text,
        title: checkpointTitle(name.project, model.name, checkpoint.step),
        files: { blobs: trainingKeys.checkpoint(model.projectId, checkpoint.id) },
      });
}

/** @throws Failure for a project that the caller may not read, and for a model, base model or checkpoint that does not exist */
export async function findArtifact(
  deps: ArtifactDeps,
  caller: Caller,
  { project, name, version }: ModelArtifactName,
): Promise<ModelArtifact> {
  const projectId = await deps.identity.projectForRead(caller, project);
  const model = await findModelByName(deps.postgres, projectId, name);
  if (!model) throw missing(`The project ${project} has no model ${name}.`);
  const base = await deps.models.find(model.baseModel);
  if (!base) throw missing(`The base model ${model.baseModel} of ${name} is no longer served.`);
  return { model, base, checkpoint: await checkpointOf(deps, model, version) };
}

/** What a checkpoint is called among those of all projects. */
export function checkpointTitle(project: string, model: string, step: number): string {
  return `${project}/${model}:step${step}`;
}

/**
 * The name of the base model of a model, if the caller may see it. Checkpoints may have been deleted.
 * @returns null if the model does not exist
 */
export async function baseOfName(
  { models, identity, postgres }: Pick<ArtifactDeps, 'models' | 'identity' | 'postgres'>,
  caller: Caller,
  name: string,
): Promise<string | null> {
  const served = await models.find(name);
  if (served) return served.adapter?.base ?? name;
  const artifact = parseArtifactName(name);
  if (!artifact) return null;
  const projectId = await identity.projectForRead(caller, artifact.project).catch(nullIfRefused);
  const model = projectId && (await findModelByName(postgres, projectId, artifact.name));
  return model ? model.baseModel : null;
}

function nullIfRefused(error: unknown): null {
  if (isRefusal(error)) return null;
  throw error;
}

/** @returns null for a name of another form. Older documents write it with two slashes. */
export function parseArtifactName(text: string): ModelArtifactName | null {
  const match = /^wandb-artifact:\/\/\/?([^/:]+)\/([^/:]+)\/([^/:]+)(?::([^/:]+))?$/.exec(text);
  if (!match) return null;
  const [, entity, project, name, version] = match as unknown as [string, string, string, string, string | undefined];
  return { project: `${entity}/${project}`, name, version: version ?? null };
}

/** `stepN`, `latest` or, as artifacts number their versions, `vN`. Step 0 is the base model. */
async function checkpointOf({ postgres }: ArtifactDeps, model: TrainedModel, version: string | null) {
  if (version === null || version === 'latest') return findCheckpoint(postgres, model.id, 'latest');
  const [, kind, digits] = /^(step|v)(\d{1,9})$/.exec(version) ?? [];
  if (kind === undefined) {
    throw missing(`${model.name} has no version ${version}. Versions are latest, step1, step2, … and v0, v1, ….`);
  }
  if (kind === 'v') return versionOf(postgres, model, version);
  const step = Number(digits);
  if (step === 0) return null;
  const checkpoint = await findCheckpoint(postgres, model.id, { step });
  if (checkpoint) return checkpoint;
  throw missing(`${model.name} has no checkpoint of step ${step}. ${await listedSteps({ postgres }, model)}`);
}

const listedMax = 10;

async function listedSteps({ postgres }: Pick<ArtifactDeps, 'postgres'>, { id }: TrainedModel): Promise<string> {
  const found = await listCheckpoints(postgres, { modelId: id, order: 'desc', afterStep: null, limit: listedMax + 1 });
  if (found.length === 0) return 'It has no checkpoints yet.';
  const steps = found.slice(0, listedMax).map(({ step }) => step);
  return `Its ${found.length > listedMax ? 'latest checkpoints' : 'checkpoints'}: step ${steps.join(', ')}.`;
}

/** The artifact of a checkpoint has its id. */
async function versionOf(
  postgres: ArtifactDeps['postgres'],
  model: TrainedModel,
  version: string,
): Promise<Checkpoint> {
  const artifact = await findVersion(postgres, { ...model, version });
  const checkpoint = artifact && (await findCheckpoint(postgres, model.id, { id: artifact.id }));
  if (checkpoint) return checkpoint;
  throw missing(`${model.name} has no checkpoint of the version ${version}. ${await listedSteps({ postgres }, model)}`);
}

function missing(message: string) {
  return notFound(message, { param: 'model' });
}

/** Whether a name is that of a trained model: its generations will be used for training. */
export function isArtifact(name: string): boolean {
  return parseArtifactName(name) !== null;
}

/** The project of such a name, as `entity/project`. */
export function projectOfArtifact(name: string): string | null {
  return parseArtifactName(name)?.project ?? null;
}
