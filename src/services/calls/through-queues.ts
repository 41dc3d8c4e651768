import { askedQueues, withCallsOfQueues } from '../../domain/calls/queue-membership.ts';
import type { CallsSelection } from '../../store/clickhouse/calls/sql/calls-query.ts';
import { callsInQueues } from '../../store/postgres/annotation-queues/calls-in-queues.ts';
import type { Deps } from '../deps.ts';

/** The selection with the ids of the calls of the annotation queues in its query: queues are the smaller side. */
export async function throughQueues(
  { postgres }: Pick<Deps, 'postgres'>,
  selection: CallsSelection,
): Promise<CallsSelection> {
  const { projectId, query } = selection;
  const queueIds = query === null ? [] : askedQueues(query);
  if (query === null || queueIds.length === 0) return selection;
  const possible = queueIds.filter((id) => !id.includes('\0')); // PostgreSQL rejects other strings
  return { ...selection, query: withCallsOfQueues(query, await callsInQueues(postgres, projectId, possible)) };
}
