import { type PayloadColumn, resolveCallField } from '../../../../domain/calls/call-field.ts';
import { unindexedTerm } from '../../../../domain/calls/terms/terms.ts';
import type { ClickHouse } from '../../clickhouse.ts';
import type { CallsSelection } from '../sql/calls-query.ts';

/**
 * Adds which payloads of a selection need not be read, because all documents of the project have terms there. The check
 * costs some milliseconds, and avoids reading payloads of every match.
 */
export async function withIndexed<Selection extends CallsSelection>(
  clickhouse: ClickHouse,
  selection: Selection,
  fieldPaths: string[],
): Promise<Selection> {
  const columns = payloadsAsked(fieldPaths);
  if (columns.length === 0) return selection;
  const questions = columns.map(
    (column) =>
      `(SELECT count() FROM (
         SELECT 1 FROM calls WHERE project_id = {projectId:String} AND hasAny(terms, ['${unindexedTerm(column)}']) LIMIT 1
       )) AS ${column}`,
  );
  const [found] = await clickhouse.query<Record<PayloadColumn, number>>(`SELECT ${questions.join(', ')}`, {
    projectId: selection.projectId,
  });
  return { ...selection, indexed: new Set(columns.filter((column) => !found![column])) };
}

function payloadsAsked(paths: string[]): PayloadColumn[] {
  const fields = paths.map(resolveCallField).filter((field) => field.kind === 'json');
  return [...new Set(fields.map(({ column }) => column))];
}
