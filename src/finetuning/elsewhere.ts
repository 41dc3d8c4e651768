import type { BaseModel } from '../domain/model.ts';
import type { Models } from '../store/models/models.ts';
import type { Peers } from '../store/peers/peers.ts';

type Options = {
  models: Pick<Models, 'hasFiles'>;
  peers: Pick<Peers, 'isAlone' | 'offers'>;
  /** How long a job waits while no process has the files. */
  missingMsMax?: number;
};

/**
 * Whether a job should be left to other processes, since only they have the files of its base model. If no process has them,
 * the job waits for a while: the one that does may be restarting. Then it runs anywhere, and fails with what is missing.
 */
export function openElsewhere({ models, peers, missingMsMax = 60_000 }: Options) {
  /** Since when no process has had the files, by the ids of jobs. */
  const missingSince = new Map<string, number>();

  return async (jobId: string, base: BaseModel): Promise<boolean> => {
    const isHere = peers.isAlone || (await models.hasFiles(base));
    const isElsewhere = !isHere && peers.offers().some(({ offer }) => offer.files.includes(base.id));
    const since = missingSince.get(jobId) ?? performance.now();
    const mayWait = !isHere && !isElsewhere && performance.now() - since < missingMsMax;
    if (mayWait) missingSince.set(jobId, since);
    else missingSince.delete(jobId);
    return isElsewhere || mayWait;
  };
}
