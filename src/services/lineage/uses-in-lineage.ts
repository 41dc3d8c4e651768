import type { UseInLineage } from '../../domain/lineage/lineage.ts';
import type { Operation } from '../../domain/query/operation.ts';
import { jobsOfCall } from '../../store/postgres/training/jobs-of-call.ts';
import { checkpointsOfJobs } from '../../store/postgres/training/lineage-of-jobs.ts';
import type { Calls } from '../calls/calls.ts';
import type { Deps } from '../deps.ts';
import type { Project } from '../owner.ts';
import { callInLineage, smallColumns } from './calls-in-lineage.ts';

/** `/call/uses` lists more. */
const usesMax = 10;
const newestMax = 3;
const countMax = 1000;

/** The newest jobs that were made from a call, with the answers that their checkpoints have given in its project. */
export async function usesInLineage(
  { postgres, calls }: Pick<Deps, 'postgres'> & { calls: Pick<Calls, 'query' | 'count'> },
  project: Project,
  callId: string,
): Promise<UseInLineage[]> {
  const jobs = (await jobsOfCall(postgres, project.id, callId)).slice(0, usesMax);
  const checkpoints = await checkpointsOfJobs(
    postgres,
    jobs.map(({ id }) => id),
  );
  const uses: UseInLineage[] = [];
  for (const { weight, split, ...job } of jobs) {
    const checkpoint = checkpoints.get(job.id) ?? null;
    uses.push({ job, weight, split, checkpoint, answers: checkpoint ? await answersOf(checkpoint.id) : noAnswers });
  }
  return uses;

  async function answersOf(adapterId: string): Promise<UseInLineage['answers']> {
    const query = answeredBy(adapterId);
    const { count, hasMore } = await calls.count({ project, query, limit: countMax });
    if (count === 0) return noAnswers;
    const newest: UseInLineage['answers']['newest'] = [];
    const sortBy = [{ field: 'started_at', direction: 'desc' as const }];
    const pages = await calls.query({ project, query, sortBy, limit: newestMax, columns: smallColumns });
    for await (const page of pages) newest.push(...page.map(({ call }) => callInLineage(call)));
    return { count, hasMore, newest };
  }
}

const noAnswers: UseInLineage['answers'] = { count: 0, hasMore: false, newest: [] };

function answeredBy(adapterId: string): Operation {
  return {
    kind: 'eq',
    left: { kind: 'field', path: 'attributes.heddle.model.adapter' },
    right: { kind: 'literal', literal: { type: 'string', value: adapterId } },
  };
}
