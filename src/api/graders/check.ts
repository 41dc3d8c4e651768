import { ApiError } from '../../contract/errors.ts';
import type { Grader } from '../../contract/graders/grader.ts';
import { graderFault } from '../../domain/graders/check-grader.ts';

/** @param path where the grader is in the body @throws ApiError 400 if the grader cannot be used */
export function checkGrader(grader: Grader, path: string): void {
  const fault = graderFault(grader);
  if (fault === null) return;
  throw new ApiError(400, fault.message, { param: [path, ...fault.path].join('.'), code: 'invalid_grader' });
}
