import { queryOptions } from '@tanstack/react-query';
import { askLines } from './client.ts';
import { evaluationRunsOp } from './evaluations.ts';

/** The finished runs of some evaluations, the newest first. */
export function leaderboardRunsQuery(projectId: string, evaluationRefs: string[]) {
  return queryOptions({
    queryKey: ['evaluation-runs', projectId, 'leaderboard', evaluationRefs],
    queryFn: async ({ signal }) => {
      const body = {
        project_id: projectId,
        filter: { op_names: [evaluationRunsOp(projectId)], input_refs: evaluationRefs },
        columns: ['op_name', 'display_name', 'started_at', 'ended_at', 'inputs', 'output'],
        sort_by: [{ field: 'started_at', direction: 'desc' as const }],
        limit: runsMax,
      };
      const runs = await askLines('POST /calls/stream_query', { body }, { signal });
      return runs.filter(({ ended_at }) => ended_at != null);
    },
    enabled: evaluationRefs.length > 0,
  });
}

const runsMax = 2000;
