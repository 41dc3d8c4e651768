import type { Rating } from '../../../domain/policies/outcomes.ts';
import { parsePlain } from '../../../util/json/parse.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { callRefPrefix } from '../feedback/feedback-of-calls.ts';

/** The feedback on some calls, the oldest first. */
export async function ratingsOfCalls(
  clickhouse: ClickHouse,
  { projectId, projectName, ids }: { projectId: string; projectName: string; ids: string[] },
): Promise<Rating[]> {
  if (ids.length === 0) return [];
  const prefix = callRefPrefix(projectName);
  const rows = await clickhouse.query<{ ref: string; type: string; payload: string; createdAt: string }>(
    `SELECT weave_ref AS ref, feedback_type AS type, payload, toUnixTimestamp64Micro(created_at) AS createdAt
     FROM feedback FINAL
     WHERE project_id = {projectId:String} AND weave_ref IN {refs:Array(String)}
     ORDER BY created_at, id`,
    { projectId, refs: ids.map((id) => prefix + id) },
  );
  return rows.map(({ ref, type, payload, createdAt }) => ({
    ...{ callId: ref.slice(prefix.length), type, createdAt: Number(createdAt) },
    payload: parsePlain(payload || 'null'),
  }));
}
