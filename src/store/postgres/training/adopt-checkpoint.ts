import { conflict } from '../../../util/failures.ts';
import type { Postgres } from '../postgres.ts';

/** An adapter that a client uploaded as the checkpoint of a model; its files are stored already. */
export type AdoptedCheckpoint = {
  id: string;
  modelId: string;
  /** Null for the step after the last one. */
  step: number | null;
  sizeBytes: number;
};

/** Lists an adapter as the newest checkpoint of its model. @throws Failure if the model has passed its step */
export async function adoptCheckpoint(
  { db }: Pick<Postgres, 'db'>,
  { id, modelId, step: wanted, sizeBytes }: AdoptedCheckpoint,
): Promise<void> {
  const model = await db
    .selectFrom('trained_models')
    .select(['name', 'last_step'])
    .where('id', '=', modelId)
    .forUpdate()
    .executeTakeFirst();
  if (!model) return; // deleted meanwhile
  const step = wanted ?? model.last_step + 1;
  if (step <= model.last_step) {
    throw conflict(
      `The model ${model.name} is at step ${model.last_step}. The step of an uploaded checkpoint must be higher.`,
    );
  }
  await db.updateTable('trained_models').set({ last_step: step }).where('id', '=', modelId).execute();
  await db
    .insertInto('checkpoints')
    .values({ id, model_id: modelId, step, kind: 'rl', size_bytes: sizeBytes })
    .execute();
}
