import { type FeedbackField, parseFeedbackField } from '../../../domain/feedback/feedback-field.ts';
import type { FieldExpression, ResolveField } from '../query/expression.ts';
import { jsonIsSetSql, jsonTextSql } from '../query/json-path-sql.ts';
import type { SqlParams } from '../query/sql-params.ts';

/** Compiles the fields of feedback to SQL over its table, for conditions and orders. */
export function feedbackFields(projectName: string, params: SqlParams): ResolveField {
  return (path) => fieldSql(parseFeedbackField(path), projectName, params);
}

function fieldSql(field: FeedbackField, projectName: string, params: SqlParams): FieldExpression {
  switch (field.kind) {
    case 'text':
      if (field.name === 'project_id') return { kind: 'text', sql: params.string(projectName), isSet: '1' };
      if (!field.isNullable) return { kind: 'text', sql: field.name, isSet: '1' };
      return { kind: 'text', sql: `nullIf(${field.name}, '')`, isSet: `${field.name} != ''` };
    case 'time':
      return { kind: 'time', sql: 'created_at', isSet: '1' };
    case 'tags':
      return { kind: 'list', sql: 'scorer_tags', isSet: 'notEmpty(scorer_tags)' };
    case 'payload': {
      const sql = jsonTextSql('payload', field.path, params);
      return { kind: 'json', sql, isSet: jsonIsSetSql('payload', field.path, sql, params) };
    }
    case 'texts':
    case 'numbers': {
      if (field.key === null)
        return { kind: 'text', sql: `toJSONString(${field.name})`, isSet: `notEmpty(${field.name})` };
      const sql = entrySql(field.name, field.key, params);
      return { kind: field.kind === 'texts' ? 'text' : 'number', sql, isSet: `isNotNull(${sql})` };
    }
    default:
      return field satisfies never;
  }
}

/** The SQL that selects a field, for `feedbackJson`. */
export function selectedSql(field: FeedbackField, projectName: string, params: SqlParams): string {
  switch (field.kind) {
    case 'text':
      return field.name === 'project_id' ? params.string(projectName) : field.name;
    case 'time':
      return 'toUnixTimestamp64Micro(created_at)';
    case 'tags':
      return 'scorer_tags';
    case 'payload':
      return field.path.length === 0 ? 'payload' : jsonTextSql('payload', field.path, params);
    case 'texts':
    case 'numbers':
      return field.key === null ? field.name : entrySql(field.name, field.key, params);
    default:
      return field satisfies never;
  }
}

function entrySql(map: string, key: string, params: SqlParams): string {
  const entry = params.string(key);
  return `if(mapContains(${map}, ${entry}), ${map}[${entry}], NULL)`;
}
