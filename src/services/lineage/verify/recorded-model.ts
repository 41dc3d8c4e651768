import type { ModelReference } from '../../../chat/types.ts';
import { Unverifiable } from '../../../domain/lineage/verification.ts';
import type { Model } from '../../../domain/model.ts';
import type { Caller } from '../../../identity/identity.ts';
import { findTrainedCheckpoint } from '../../../store/postgres/training/trained-checkpoint.ts';
import { isRefusal } from '../../../util/failures.ts';
import type { Deps } from '../../deps.ts';
import { overBase, overInstalled } from '../../models/served-model.ts';
import type { ServedModels } from '../../models/served-models.ts';
import { trainingKeys } from '../../training/training-keys.ts';
import type { AnswerRecord } from './stored-answer.ts';

export type RecordedModelDeps = Pick<Deps, 'models' | 'postgres' | 'identity'> & {
  servedModels: Pick<ServedModels, 'resolve'>;
};

/** The very files that answered, whatever the name of the model means now. @throws Unverifiable if they are gone */
export async function recordedModel(
  deps: RecordedModelDeps,
  { model: { id, name, adapter }, digests }: AnswerRecord,
  caller: Caller,
): Promise<ModelReference> {
  const served = await deps.models.list();
  const base = served.find((each) => each.id === id);
  if (!base) throw gone(`The base model of ${name} that answered (${id}) is no longer installed.`);
  if (adapter === undefined && digests.adapter !== null) return modelNow(deps, name, caller);
  if (adapter == null) return { id, name, adapter: null };
  const installed = served.find((each) => each.id === adapter);
  return installed ? overInstalled(base, installed) : ofCheckpoint(deps, base, { name, adapter, caller });
}

/** Older records lack the id of the adapter. The digests show whether it is the same one. */
async function modelNow(deps: RecordedModelDeps, name: string, caller: Caller): Promise<ModelReference> {
  try {
    return await deps.servedModels.resolve(name, caller);
  } catch (error) {
    if (isRefusal(error)) throw gone((error as Error).message);
    throw error;
  }
}

async function ofCheckpoint(
  { postgres, identity }: RecordedModelDeps,
  base: Model,
  { name, adapter, caller }: { name: string; adapter: string; caller: Caller },
): Promise<ModelReference> {
  const checkpoint = await findTrainedCheckpoint(postgres, adapter);
  const project = checkpoint && (await identity.readableProjectName(caller, checkpoint.projectId));
  if (!checkpoint || project === null) throw gone(`The adapter of ${name} that answered (${adapter}) was deleted.`);
  return overBase(base, {
    id: adapter,
    name,
    files: { blobs: trainingKeys.checkpoint(checkpoint.projectId, adapter) },
  });
}

function gone(message: string): Unverifiable {
  return new Unverifiable('files_missing', message);
}
