import type { FineTuningJob } from '../../domain/fine-tuning/job.ts';
import { uploadKey } from '../../services/uploaded-files.ts';
import type { Blobs } from '../../store/blobs/blobs.ts';
import { addFineTuningCheckpoint } from '../../store/postgres/fine-tuning/checkpoints.ts';
import { completeFineTuning } from '../../store/postgres/fine-tuning/jobs.ts';
import type { Postgres } from '../../store/postgres/postgres.ts';
import type { TrainingJob } from '../../store/postgres/training/jobs.ts';
import { addUploadedFile } from '../../store/postgres/uploaded-files/uploaded-files.ts';
import { readResults } from './results.ts';

/**
 * Writes the result file of a job. It has the id of the job, so an interrupted run writes it again.
 * @returns what is to be stored in the transaction that ends the job
 */
export async function prepareCompletion(
  { postgres, blobs }: { postgres: Postgres; blobs: Blobs },
  { id, projectId }: FineTuningJob,
  { createdBy }: TrainingJob,
  checkpoint: { id: string; step: number; metrics: Record<string, number> },
): Promise<(postgres: Pick<Postgres, 'db'>) => Promise<void>> {
  const { csv, trainedTokens } = await readResults(postgres, id);
  const bytes = Buffer.from(csv);
  await blobs.put(uploadKey(projectId, id), bytes);
  return async (db) => {
    const file = { id, projectId, name: 'step_metrics.csv', purpose: 'fine-tune-results', sizeBytes: bytes.length };
    await addUploadedFile(db, { ...file, createdBy, expiresAfterSeconds: null });
    await addFineTuningCheckpoint(db, { jobId: id, ...checkpoint });
    await completeFineTuning(db, { id, resultFileId: id, trainedTokens });
  };
}
