import { parseFeedbackField } from '../../../domain/feedback/feedback-field.ts';
import { feedbackJson } from '../../../domain/feedback/feedback-json.ts';
import type { SqlParams } from '../query/sql-params.ts';
import { selectedSql } from './feedback-field-sql.ts';

export type SelectedRow = Record<string, unknown>;

/**
 * The SQL that selects these fields of feedback, and the function that converts its rows to JSON text. Names are
 * numbered, so that they do not hide columns.
 */
export function selectFeedback(paths: string[], projectName: string, params: SqlParams) {
  const fields = paths.map((path) => ({ path, field: parseFeedbackField(path) }));
  return {
    sql: fields.map(({ field }, i) => `${selectedSql(field, projectName, params)} AS f${i}`).join(', '),
    toJson: (row: SelectedRow): string => feedbackJson(fields.map((found, i) => ({ ...found, value: row[`f${i}`] }))),
  };
}
