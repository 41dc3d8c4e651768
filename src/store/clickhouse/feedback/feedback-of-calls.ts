import { fieldsInCalls } from '../../../domain/feedback/feedback-field.ts';
import { formatRef } from '../../../domain/refs.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { SqlParams } from '../query/sql-params.ts';
import { type SelectedRow, selectFeedback } from './select-feedback.ts';

/** The feedback on each of these calls that has any, oldest first, as JSON lists. */
export async function feedbackOfCalls(
  clickhouse: ClickHouse,
  { projectId, projectName, ids }: { projectId: string; projectName: string; ids: string[] },
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const params = new SqlParams();
  const { sql, toJson } = selectFeedback(fieldsInCalls, projectName, params);
  const prefix = callRefPrefix(projectName);
  const rows = await clickhouse.query<SelectedRow & { ref: string }>(
    `SELECT ${sql}, weave_ref AS ref
     FROM feedback FINAL
     WHERE project_id = ${params.string(projectId)} AND weave_ref IN ${params.strings(ids.map((id) => prefix + id))}
     ORDER BY created_at, id`,
    params.values,
  );
  const byCall = Map.groupBy(rows, ({ ref }) => ref.slice(prefix.length));
  return new Map([...byCall].map(([id, ofCall]) => [id, `[${ofCall.map(toJson).join(',')}]`]));
}

/** The prefix of refs of a project's calls; the id follows. */
export function callRefPrefix(projectName: string): string {
  const [entity, project] = projectName.split('/') as [string, string];
  return formatRef({ entity, project, kind: 'call', id: '', steps: [] });
}
