import type { BaseModel } from '../domain/model.ts';
import type { Caller } from '../identity/identity.ts';
import type { Deps } from '../services/deps.ts';
import type { Project } from '../services/owner.ts';
import type { Suites } from '../services/suites/suites.ts';
import { findBaseModel } from '../services/training/base-model.ts';
import type { TrainedModel } from '../services/training/models.ts';
import type { Training } from '../services/training/training.ts';
import { conflict } from '../util/failures.ts';

/** The model that a command trains, which the first job creates. */
export type WantedModel = {
  project: Project;
  caller: Caller;
  model: string;
  /** Null for that of an existing model, or the default. */
  base: string | null;
};

/** How a previewed job is started. */
export type StartedModel = WantedModel & {
  allowsSuiteRows: boolean;
  /** Of the job; a new one by default. */
  id?: string;
  /** See `TrainingJob`. */
  startsFrom?: string | null;
};

export type TargetDeps = Pick<Deps, 'models' | 'modelReader'> & {
  training: Training;
  suites: Pick<Suites, 'preview'>;
  /** The base of a new model where none is named. */
  defaultBase: string;
};

/** The base model, and the checkpoint that a job continues from: step 0 is the base model. @throws Failure */
export async function findTarget(deps: TargetDeps, wanted: WantedModel): Promise<{ base: BaseModel; step: number }> {
  const { project, model: name, base } = wanted;
  const model = await deps.training.models.findByName(project.id, name);
  if (model && base !== null && base !== model.baseModel) {
    throw conflict(`The model ${name} has the base model ${model.baseModel}, not ${base}.`);
  }
  const latest = model && (await deps.training.checkpoints.find(model, 'latest'));
  return { base: await findBaseModel(deps, model?.baseModel ?? base ?? deps.defaultBase), step: latest?.step ?? 0 };
}

/** The model, created if there is none of this name. @throws Failure */
export async function createTarget(
  deps: TargetDeps,
  wanted: WantedModel,
): Promise<{ model: TrainedModel; base: BaseModel }> {
  const { base } = await findTarget(deps, wanted);
  const { project, caller, model: name } = wanted;
  const model = { projectId: project.id, name, baseModel: base.name, createdBy: caller.userId };
  return { model: await deps.training.models.create({ ...model, returnExisting: true }), base };
}
