import { typesWithManyEntries } from '../../../../domain/feedback/feedback-kind.ts';
import type { FeedbackOnCall } from '../../../../domain/feedback/field-on-call.ts';
import { callRefPrefix } from '../../feedback/feedback-of-calls.ts';
import type { Entries, Exactly, FieldExpression, JsonIndex } from '../../query/expression.ts';
import { jsonIsSetSql, jsonTextSql } from '../../query/json-path-sql.ts';
import type { Source, Sql } from '../../query/sql.ts';
import type { SqlParams } from '../../query/sql-params.ts';

/** Compiles values of the feedback on calls, for one statement over the `calls` table. */
export type FeedbackOnCalls = (place: FeedbackOnCall) => FieldExpression;

type Scope = {
  projectId: string;
  projectName: string;
  /** The selected calls, if known: other feedback is not read. */
  callIds: string[] | null;
};

/**
 * A condition on feedback becomes the set of calls that match it, read from the feedback of its type. Only if the value
 * itself is needed, to sort or to compare with missing values, is it joined to the calls.
 */
export function openFeedbackOnCalls(scope: Scope, params: SqlParams): FeedbackOnCalls {
  const resolved = new Map<string, FieldExpression>();

  function resolve(place: FeedbackOnCall): FieldExpression {
    const name = `feedback${resolved.size}`;
    const { entries, forEachCall } = rowsOf(place, scope, params);
    const join = `LEFT ANY JOIN (${forEachCall}) AS ${name} ON ${name}.call_id = id`;
    const value: FieldExpression = { ...valueIn(name), sources: [{ kind: 'join', name, sql: join }] };
    const hasMany = place.type !== null && typesWithManyEntries.has(place.type);
    if (hasMany) return { ...value, entries: entriesOf(entries, params) };
    return { ...value, index: feedbackIndex(forEachCall) };
  }

  return (place) => {
    const key = JSON.stringify(place);
    const expression = resolved.get(key) ?? resolve(place);
    resolved.set(key, expression);
    return expression;
  };
}

function valueIn(name: string) {
  return { kind: 'json', sql: `${name}.value`, isSet: `${name}.is_set` } as const;
}

/** The ids of calls, read from feedback. */
const fromFeedback: readonly Source[] = [{ kind: 'set' }];

type Rows = { entries: string; forEachCall: string };

/** Each entry with its call, and the one entry that represents all entries of its call. */
function rowsOf({ type, column, path }: FeedbackOnCall, scope: Scope, params: SqlParams): Rows {
  const prefix = callRefPrefix(scope.projectName);
  const value = column === 'payload' ? jsonTextSql('payload', path, params) : column;
  const isSet = column === 'payload' ? jsonIsSetSql('payload', path, value, params) : `${column} != ''`;
  const refs = scope.callIds?.map((id) => prefix + id);
  // The type is part of the sorting key, so it can be filtered before FINAL.
  const rows = `FROM feedback FINAL
    ${type === null ? '' : `PREWHERE feedback_type = ${params.string(type)}`}
    WHERE project_id = ${params.string(scope.projectId)}
      AND ${refs ? `weave_ref IN ${params.strings(refs)}` : `startsWith(weave_ref, ${params.string(prefix)})`}`;
  const select = `SELECT substring(weave_ref, ${Buffer.byteLength(prefix) + 1}) AS call_id, ${value} AS value, ${isSet} AS is_set`;
  const entries = `${select} ${rows}`;
  const first = `SELECT call_id, value, is_set
    FROM (${select}, created_at, id ${rows}) WHERE value != '' ORDER BY call_id, created_at, id LIMIT 1 BY call_id`;
  const latest = `${select}
    FROM (
      SELECT weave_ref, ${column} ${rows} ORDER BY weave_ref, created_at DESC, id DESC LIMIT 1 BY weave_ref
    )`;
  return { entries, forEachCall: type === null ? first : latest };
}

/** Calls without feedback have the empty string, which equals no number and contains only itself. */
function feedbackIndex(rows: string): JsonIndex {
  const holdsFor = (exactly: Exactly): Sql => {
    const { sql } = exactly(valueIn('own'));
    return { sql: `id IN (SELECT call_id FROM (${rows}) AS own WHERE ${sql})`, sources: fromFeedback };
  };
  return {
    equals: (literals, exactly) =>
      literals.some((literal) => literal.type === 'string' && literal.value === '') ? exactly() : holdsFor(exactly),
    contains: (text, exactly) => (text === '' ? exactly() : holdsFor(exactly)),
    compares: (_operator, _value, exactly) => holdsFor(exactly),
    number: null,
  };
}

/** Conditions on all entries of a call. There may be several. */
function entriesOf(rows: string, params: SqlParams): Entries {
  const pass = (test: (entry: string) => string): Sql => ({
    sql: `id IN (SELECT entry.call_id FROM (${rows}) AS entry WHERE ${test('entry.value')})`,
    sources: fromFeedback,
  });
  return {
    pass,
    equal: (texts: string[]) => pass((entry) => `${entry} IN ${params.strings(texts)}`),
    none: { sql: `id NOT IN (SELECT entry.call_id FROM (${rows}) AS entry)`, sources: fromFeedback },
  };
}
