import { parseFeedbackField } from '../../../domain/feedback/feedback-field.ts';
import { feedbackJson } from '../../../domain/feedback/feedback-json.ts';
import type { SqlParams } from '../query/sql-params.ts';
import { selectedSql } from './feedback-field-sql.ts';

export type SelectedRow = Record<string, unknown>;

/**
 * What a statement selects to read these fields of feedback, and how its rows become JSON text. Names are numbered, so
 * that none hides a column.
 */
export function selectFeedback(paths: string[], projectName: string, params: SqlParams) {
  const fields = paths.map((path) => ({ path, field: parseFeedbackField(path) }));
  return {
    sql: fields.map(({ field }, i) => `${selectedSql(field, projectName, params)} AS f${i}`).join(', '),
    toJson: (row: SelectedRow): string => feedbackJson(fields.map((found, i) => ({ ...found, value: row[`f${i}`] }))),
  };
}
