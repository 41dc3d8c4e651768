import { typesWithManyEntries } from '../../../domain/feedback/feedback-kind.ts';
import type { FeedbackOnCall } from '../../../domain/feedback/field-on-call.ts';
import { callRefPrefix } from '../feedback/feedback-of-calls.ts';
import type { FieldExpression, JsonIndex } from '../query/expression.ts';
import { jsonIsSetSql, jsonTextSql } from '../query/json-path-sql.ts';
import type { SqlParams } from '../query/sql-params.ts';

/** Values of the feedback on calls, for one statement over the `calls` table. */
export type FeedbackOnCalls = {
  resolve(place: FeedbackOnCall): FieldExpression;
  /** What is joined to `calls` so that these pieces of SQL find the values they name. */
  joins(...pieces: string[]): string;
};

type Scope = {
  projectId: string;
  projectName: string;
  /** The calls in question, where they are known: other feedback is not read. */
  callIds: string[] | null;
};

/**
 * A condition on feedback is answered by the set of calls it holds for, read from the feedback of its type. Only where
 * the value itself is needed, to sort or to compare what is not there, it is joined to the calls.
 */
export function openFeedbackOnCalls(scope: Scope, params: SqlParams): FeedbackOnCalls {
  const sources = new Map<string, string>();
  const resolved = new Map<string, FieldExpression>();

  function resolve(place: FeedbackOnCall): FieldExpression {
    const name = `feedback${sources.size}`;
    const source = sourceSql(place, scope, params);
    const forEachCall = oneForEachCall(source, place.type === null);
    sources.set(name, forEachCall);
    const value: FieldExpression = { kind: 'json', sql: `${name}.value`, isSet: `${name}.is_set` };
    const hasMany = place.type !== null && typesWithManyEntries.has(place.type);
    return hasMany
      ? { ...value, entries: entriesOf(source, params) }
      : { ...value, index: feedbackIndex(name, forEachCall) };
  }

  return {
    resolve(place) {
      const key = JSON.stringify(place);
      const expression = resolved.get(key) ?? resolve(place);
      resolved.set(key, expression);
      return expression;
    },
    joins(...pieces) {
      const used = [...sources].filter(([name]) => pieces.some((piece) => piece.includes(`${name}.`)));
      return used.map(([name, sql]) => `LEFT ANY JOIN (${sql}) AS ${name} ON ${name}.call_id = id`).join(' ');
    },
  };
}

/** Each entry with the call it is about. The type is part of the sorting key, so FINAL leaves the filter by it be. */
function sourceSql({ type, column, path }: FeedbackOnCall, scope: Scope, params: SqlParams): string {
  const prefix = params.string(callRefPrefix(scope.projectName));
  const value = column === 'payload' ? jsonTextSql('payload', path, params) : column;
  const isSet = column === 'payload' ? jsonIsSetSql('payload', path, value, params) : `${column} != ''`;
  const refs = scope.callIds?.map((id) => callRefPrefix(scope.projectName) + id);
  return `SELECT substring(weave_ref, length(${prefix}) + 1) AS call_id, ${value} AS value, ${isSet} AS is_set,
      (created_at, id) AS place
    FROM feedback FINAL
    ${type === null ? '' : `PREWHERE feedback_type = ${params.string(type)}`}
    WHERE project_id = ${params.string(scope.projectId)}
      AND ${refs ? `weave_ref IN ${params.strings(refs)}` : `startsWith(weave_ref, ${prefix})`}`;
}

/** The latest entry; of every type together, the first that is not empty. */
function oneForEachCall(source: string, areAllTypes: boolean): string {
  const choose = (column: string) =>
    areAllTypes ? `argMinIf(entry.${column}, entry.place, entry.value != '')` : `argMax(entry.${column}, entry.place)`;
  return `SELECT entry.call_id AS call_id, ${choose('value')} AS value, ${choose('is_set')} AS is_set
    FROM (${source}) AS entry GROUP BY entry.call_id`;
}

/** Calls without feedback read as the empty text, which no number equals and which holds no text but itself. */
function feedbackIndex(name: string, source: string): JsonIndex {
  const holdsFor = (exactly: string) =>
    `id IN (SELECT call_id FROM (${source}) AS own WHERE ${exactly.replaceAll(`${name}.`, 'own.')})`;
  return {
    equals: (literals, exactly) =>
      literals.some((literal) => literal.type === 'string' && literal.value === '') ? exactly : holdsFor(exactly),
    contains: (text, exactly) => (text === '' ? exactly : holdsFor(exactly)),
    compares: (_operator, _value, exactly) => holdsFor(exactly),
    number: null,
  };
}

function entriesOf(source: string, params: SqlParams) {
  const pass = (test: (entry: string) => string) =>
    `id IN (SELECT entry.call_id FROM (${source}) AS entry WHERE ${test('entry.value')})`;
  return {
    pass,
    equal: (texts: string[]) => pass((entry) => `${entry} IN ${params.strings(texts)}`),
    none: `id NOT IN (SELECT entry.call_id FROM (${source}) AS entry)`,
  };
}
