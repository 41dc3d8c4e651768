import type { EvaluationDeps } from '../../evaluation/setup.ts';
import { type Owner, ownerOf } from '../../services/owner.ts';
import { isRefusal } from '../../util/failures.ts';
import { FinalError } from '../job-kind.ts';

/** The user a job runs as. @throws FinalError if the user does not exist */
export async function jobOwnerOf(
  { identity }: Pick<EvaluationDeps, 'identity'>,
  { project, userId }: { project: string; userId: string },
): Promise<Owner> {
  const caller = await identity.findCaller(userId);
  if (caller === null) throw new FinalError('The user who started the job does not exist.');
  return ownerOf({ identity }, caller, project, 'write');
}

/** Does work whose failures may be final. @throws FinalError with the message of such a failure */
export async function finalOf(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw isRefusal(error) ? new FinalError(error.message, { cause: error }) : error;
  }
}
