import { GradeError } from '../../domain/graders/grade-error.ts';
import { Failure } from '../../util/failures.ts';
import { isForAll } from '../score-once.ts';

/** A model's failure that concerns one sample, as such. Others, such as of an unknown model, remain as they are. */
export function toGradeError(error: unknown, signal: AbortSignal): unknown {
  const isOfSample = error instanceof Failure && !signal.aborted && !isForAll(error);
  return isOfSample ? new GradeError('model_grader_server_error', error.message) : error;
}
