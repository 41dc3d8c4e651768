import type { CheckpointInLineage, Lineage, RowInLineage } from '../../domain/lineage/lineage.ts';
import { shownStatus } from '../../domain/training/job.ts';
import type { Caller } from '../../identity/identity.ts';
import { callsOfJob, findJobInLineage } from '../../store/postgres/training/lineage-of-jobs.ts';
import {
  checkpointBefore,
  findTrainedCheckpoint,
  type TrainedCheckpoint,
} from '../../store/postgres/training/trained-checkpoint.ts';
import { notFound } from '../../util/failures.ts';
import type { Calls } from '../calls/calls.ts';
import type { Deps } from '../deps.ts';
import type { Project } from '../owner.ts';
import { answerOf, callInLineage, smallColumns } from './calls-in-lineage.ts';
import { scoresOfCalls } from './scores-of-calls.ts';
import { usesInLineage } from './uses-in-lineage.ts';

export type TraceDeps = Pick<Deps, 'postgres' | 'clickhouse' | 'identity'> & {
  calls: Pick<Calls, 'find' | 'query' | 'count'>;
};

export type LineageRequest = {
  project: Project;
  caller: Caller;
  /** A call, or a checkpoint of the project or of another one that the caller may read. */
  of: { callId: string } | { checkpointId: string };
  /** The rows of the job: how many, and after which call. */
  limit: number;
  after: string | null;
};

/**
 * One step back from an answer: its checkpoint, the job that made it, and a page of the calls that it learned from, with their scores.
 * Further steps begin at `before`, and at the calls. Forward, the jobs that were made from the call, and the answers of their
 * checkpoints.
 * @throws Failure for a call or a checkpoint that does not exist
 */
export async function traceLineage(deps: TraceDeps, request: LineageRequest): Promise<Lineage> {
  const { of, project } = request;
  if ('checkpointId' in of) {
    const made = await madeBy(deps, request, of.checkpointId);
    if (made.checkpoint === null) throw notFound(`There is no checkpoint ${of.checkpointId}.`);
    return { call: null, ...made, uses: [] };
  }
  const { callId } = of;
  const [found] = await deps.calls.find([callId], { project, columns: smallColumns });
  if (!found) throw notFound(`There is no call ${callId} in ${project.name}.`);
  const answer = answerOf(found.call);
  const [made, scores, uses] = await Promise.all([
    answer?.adapterId ? madeBy(deps, request, answer.adapterId) : nothing,
    scoresOfCalls(deps, project, [callId]),
    usesInLineage(deps, project, callId),
  ]);
  return { call: { id: callId, answer, scores: scores.get(callId) ?? [] }, ...made, uses };
}

type Made = Omit<Lineage, 'call' | 'uses'>;

const nothing: Made = { checkpoint: null, job: null, before: null, rows: [], next: null };

async function madeBy(deps: TraceDeps, request: LineageRequest, checkpointId: string): Promise<Made> {
  const { postgres, identity } = deps;
  const { caller, limit, after } = request;
  const trained = await findTrainedCheckpoint(postgres, checkpointId);
  const checkpoint = trained && (await shown(deps, caller, trained));
  if (!trained || checkpoint === null) return nothing;
  const { jobId } = trained;
  const earlierId = await checkpointBefore(postgres, trained);
  const earlier = earlierId === null ? null : await findTrainedCheckpoint(postgres, earlierId);
  const before = earlier && (await shown(deps, caller, earlier));
  const job = jobId === null ? null : await findJobInLineage(postgres, jobId);
  if (job === null) return { ...nothing, checkpoint, before };
  const page = await callsOfJob(postgres, { jobId: job.id, after, limit: limit + 1 });
  const rows = page.slice(0, limit);
  const names = await identity.usernames([job.createdBy]);
  const { pausedAt, createdBy, ...more } = job;
  return {
    ...{ checkpoint, before },
    job: { ...more, status: shownStatus(job), createdBy: names.get(createdBy) ?? null },
    rows: await withCalls(deps, { id: trained.projectId, name: checkpoint.project }, rows),
    next: page.length > limit ? rows.at(-1)!.callId : null,
  };
}

/** Null if the caller may not read the project. */
async function shown(
  { identity }: TraceDeps,
  caller: Caller,
  { jobId: _, projectId, ...checkpoint }: TrainedCheckpoint,
): Promise<CheckpointInLineage | null> {
  const project = await identity.readableProjectName(caller, projectId);
  return project === null ? null : { ...checkpoint, project };
}

async function withCalls(
  deps: TraceDeps,
  project: Project,
  rows: Pick<RowInLineage, 'callId' | 'weight' | 'split'>[],
): Promise<RowInLineage[]> {
  const ids = rows.map(({ callId }) => callId);
  const [found, scores] = await Promise.all([
    ids.length === 0 ? [] : deps.calls.find(ids, { project, columns: smallColumns }),
    scoresOfCalls(deps, project, ids),
  ]);
  const calls = new Map(found.map(({ call }) => [call.id, callInLineage(call)]));
  return rows.map((row) => ({
    ...row,
    call: calls.get(row.callId) ?? null,
    scores: scores.get(row.callId) ?? [],
  }));
}
