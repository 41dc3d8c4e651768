import type { Context } from '../../context.ts';
import type { callsScore as endpoint } from '../../contract/calls/score.ts';
import { idMaker } from '../../domain/calls/ids.ts';
import type { Handler } from '../../http/bind.ts';
import { callsPerJob, scoreCalls as kind } from '../../jobs/tasks/score-calls.ts';
import { tooLarge } from '../../util/failures.ts';

const callsMax = 10_000;

export function callsScore({ identity, jobs }: Pick<Context, 'identity' | 'jobs'>): Handler<typeof endpoint> {
  return async ({ body, caller, retryId }) => {
    const { project_id: project, call_ids: callIds, scorer_refs: scorers } = body;
    if (callIds.length > callsMax) {
      throw tooLarge(`A request can name ${callsMax} calls to score, found ${callIds.length}.`);
    }
    const projectId = await identity.projectForRead(caller, project);
    const makeId = idMaker(retryId);
    for (let start = 0; start < callIds.length && scorers.length > 0; start += callsPerJob) {
      const some = callIds.slice(start, start + callsPerJob);
      const input = { project, userId: caller.userId, callIds: some, scorers, trigger: null, isTraced: true };
      await jobs.add(kind, { id: makeId(), project: projectId, input });
    }
    return {};
  };
}
