import { TrainingDiverged } from '../engine/training/types.ts';
import { Failure } from '../util/failures.ts';

/** Why a job failed, for its last event. Anything unexpected is a defect, whose reason belongs in the log. */
export function failureMessage(error: unknown): { message: string; param?: string; isDefect: boolean } {
  if (error instanceof TrainingDiverged) {
    const advice = 'A lower learning rate may help. The last checkpoint is unchanged.';
    return { message: `The training diverged: ${error.message} ${advice}`, isDefect: false };
  }
  if (error instanceof Failure) {
    const { message, extra } = error;
    return { message, ...(typeof extra.param === 'string' ? { param: extra.param } : {}), isDefect: false };
  }
  if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') {
    return { message: 'The disk is full. The last checkpoint is unchanged.', isDefect: false };
  }
  return { message: 'The training failed. The reason is in the log of the server.', isDefect: true };
}
