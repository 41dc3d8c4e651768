import { typesWithManyEntries } from '../../../../domain/feedback/feedback-kind.ts';
import type { FeedbackOnCall } from '../../../../domain/feedback/field-on-call.ts';
import { callRefPrefix } from '../../feedback/feedback-of-calls.ts';
import type { Entries, FieldExpression, JsonIndex } from '../../query/expression.ts';
import { jsonIsSetSql, jsonTextSql } from '../../query/json-path-sql.ts';
import type { SqlParams } from '../../query/sql-params.ts';

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
    const { entries, forEachCall } = sourceOf(place, scope, params);
    sources.set(name, forEachCall);
    const value: FieldExpression = { kind: 'json', sql: `${name}.value`, isSet: `${name}.is_set` };
    const hasMany = place.type !== null && typesWithManyEntries.has(place.type);
    return hasMany
      ? { ...value, entries: entriesOf(entries, params) }
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

type Source = { entries: string; forEachCall: string };

/** Each entry with the call it is about, and the one entry that stands for all on its call. */
function sourceOf({ type, column, path }: FeedbackOnCall, scope: Scope, params: SqlParams): Source {
  const prefix = callRefPrefix(scope.projectName);
  const value = column === 'payload' ? jsonTextSql('payload', path, params) : column;
  const isSet = column === 'payload' ? jsonIsSetSql('payload', path, value, params) : `${column} != ''`;
  const refs = scope.callIds?.map((id) => prefix + id);
  // The type is part of the sorting key, so that it can be looked at before FINAL.
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

/** Conditions on all entries of a call, which may be several. */
function entriesOf(source: string, params: SqlParams): Entries {
  const pass = (test: (entry: string) => string) =>
    `id IN (SELECT entry.call_id FROM (${source}) AS entry WHERE ${test('entry.value')})`;
  return {
    pass,
    equal: (texts: string[]) => pass((entry) => `${entry} IN ${params.strings(texts)}`),
    none: `id NOT IN (SELECT entry.call_id FROM (${source}) AS entry)`,
  };
}
