import { createHash } from 'node:crypto';
import { stateOf } from '../../../domain/runs/state.ts';
import type { Run } from '../../../services/runs/runs.ts';

export type RunNode = ReturnType<typeof runNode>;

export function runNode(run: Run) {
  return {
    __typename: 'Run',
    run,
    id: run.id,
    name: run.name,
    projectId: numberOf(run.projectId),
    displayName: run.displayName,
    sweepName: run.sweepId,
    state: stateOf(run),
    running: stateOf(run) === 'running',
    failed: stateOf(run) === 'failed',
    stopped: false,
    shouldStop: false,
    config: run.config,
    summaryMetrics: run.summary,
    tags: run.tags,
    notes: run.notes,
    description: run.description,
    group: run.group,
    jobType: run.jobType,
    commit: run.commit,
    host: run.host,
    readOnly: false,
    createdAt: run.createdAt.toISOString(),
    heartbeatAt: run.heartbeatAt.toISOString(),
    updatedAt: run.heartbeatAt.toISOString(),
    historyLineCount: run.historyLines,
    eventsLineCount: run.eventLines,
    logLineCount: run.logLines,
  };
}

/** A stable number for a project, which clients insist on. GraphQL's Int has 31 bits without the sign. */
function numberOf(projectId: string): number {
  return createHash('sha256').update(projectId).digest().readUInt32BE(0) >>> 1;
}
