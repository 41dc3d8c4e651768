import type { ProjectId } from '../../contract/ids.ts';
import { findTablesWithText, findValuesOfTables } from '../../store/clickhouse/tables/find-tables-with-text.ts';
import { type QueueOfCall, queuesOfCall } from '../../store/postgres/annotation-queues/queues-of-call.ts';
import { findVersionsOfValues, type VersionOfValue } from '../../store/postgres/objects/find-versions-of-values.ts';
import { type JobOfCall, jobsOfCall } from '../../store/postgres/training/jobs-of-call.ts';
import type { Deps } from '../deps.ts';

type UsesOfCall = { datasets: (VersionOfValue & { rows: number })[]; queues: QueueOfCall[]; jobs: JobOfCall[] };

export type FindUses = {
  /** The dataset versions whose rows contain the ref of a call, its queues, and the jobs made from it. */
  findUses(projectId: ProjectId, callId: string): Promise<UsesOfCall>;
};

export function openFindUses({ clickhouse, postgres }: Pick<Deps, 'clickhouse' | 'postgres'>): FindUses {
  return {
    async findUses(projectId, callId) {
      const [datasets, queues, jobs] = await Promise.all([
        datasetsWith(projectId, `/call/${callId}"`),
        queuesOfCall(postgres, projectId, callId),
        jobsOfCall(postgres, projectId, callId),
      ]);
      return { datasets, queues, jobs };
    },
  };

  async function datasetsWith(projectId: ProjectId, refEnd: string) {
    const tables = await findTablesWithText(clickhouse, projectId, refEnd);
    const values = await findValuesOfTables(clickhouse, projectId, [...tables.keys()]);
    const versions = await findVersionsOfValues(postgres, projectId, [...values.keys()]);
    return versions.map((version) => ({ ...version, rows: tables.get(values.get(version.digest)!)! }));
  }
}
