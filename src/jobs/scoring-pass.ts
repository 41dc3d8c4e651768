import { v7 as uuidv7 } from 'uuid';
import type { Monitor } from '../evaluation/monitors/monitor.ts';
import type { Project } from '../services/owner.ts';
import { addCounts, type MonitorCounts, moveCursor, type WatchCursor } from '../store/postgres/monitors/watched.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import type { Jobs } from './jobs.ts';
import { callsPerJob, scoreCalls } from './tasks/score-calls.ts';

/** A monitor, and the user it runs as. */
export type Watcher = Monitor & { objectId: string; userId: string };

/** What a monitor does with the calls that have been read. */
export type Pass = { monitor: Watcher; callIds: string[]; counts: MonitorCounts };

/**
 * Adds the jobs that score calls of a project, and moves its cursor behind them.
 * @returns false, without adding jobs, if the cursor is not at `before` any more: another process has read these calls
 */
export function recordPass(
  { postgres, jobs }: { postgres: Postgres; jobs: Pick<Jobs, 'add'> },
  project: Project,
  { before, last, hour, passes }: { before: WatchCursor | null; last: WatchCursor; hour: Date; passes: Pass[] },
): Promise<boolean> {
  return postgres.db.transaction().execute(async (transaction) => {
    if (!(await moveCursor(transaction, project.id, before, last))) return false;
    for (const { monitor, callIds, counts } of passes) {
      await addCounts(transaction, { projectId: project.id, objectId: monitor.objectId, hour }, counts);
      for (let start = 0; start < callIds.length; start += callsPerJob) {
        const input = {
          project: project.name,
          userId: monitor.userId,
          callIds: callIds.slice(start, start + callsPerJob),
          scorers: monitor.scorers,
          trigger: monitor.ref,
          isTraced: monitor.isTraced,
        };
        await jobs.add(scoreCalls, { id: uuidv7(), project: project.id, input, transaction });
      }
    }
    return true;
  });
}
