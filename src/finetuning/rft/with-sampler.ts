import type { ModelReference } from '../../chat/types.ts';
import { newId } from '../../contract/ids.ts';
import type { BaseModel } from '../../domain/model.ts';
import type { Adapter } from '../../engine/adapters/adapter.ts';
import type { Inference } from '../../inference/inference.ts';
import { overBase } from '../../services/models/served-model.ts';
import { deleteBlobs } from '../../services/training/delete-blobs.ts';
import type { Blobs } from '../../store/blobs/blobs.ts';
import { writeCheckpoint } from '../checkpoint-files.ts';

/**
 * Lets the engine answer with weights that are in training, while some work is done, under an id that is never used again.
 * @param prefix where to keep the adapter meanwhile
 */
export async function withSampler<Result>(
  { inference, blobs }: { inference: Pick<Inference, 'unloadAdapter'>; blobs: Blobs },
  { base, adapter, prefix }: { base: BaseModel; adapter: Adapter; prefix: string },
  work: (model: ModelReference) => Promise<Result>,
): Promise<Result> {
  const id = newId();
  const folder = `${prefix}/${id}`;
  await writeCheckpoint(blobs, folder, { adapter, optimizer: null });
  const model = overBase(base, { id, name: base.name, files: { blobs: folder } });
  try {
    return await work(model);
  } finally {
    await inference.unloadAdapter(model).catch(() => {}); // the model is closed
    await deleteBlobs(blobs, folder);
  }
}
