import type { Context } from '../../context.ts';
import { callsMax } from '../../contract/training-from-calls/calls-sought.ts';
import type { CallsFilter } from '../../domain/calls/calls-filter.ts';
import { parseOptionalQuery } from '../../domain/query/parse-query.ts';
import type { Overlaps } from '../../domain/suites/overlap.ts';
import type { Caller } from '../../identity/identity.ts';
import { invalidField } from '../../util/failures.ts';
import type { JsonText } from '../../util/json/json-text.ts';
import { currentScope } from '../../util/request-scope.ts';
import { matchAnswer } from '../suites/suite-answer.ts';

type Wanted = { project_id: string; model: string; base_model: string | null };

/** The model that a request trains, on behalf of its caller. @throws Failure if they may not */
export async function wantedModel({ identity }: Pick<Context, 'identity'>, caller: Caller, body: Wanted) {
  const project = { id: await identity.projectForRead(caller, body.project_id), name: body.project_id };
  return { project, caller, model: body.model, base: body.base_model };
}

export function callsSought(body: { filter: CallsFilter | null; query: JsonText | null; limit: number }) {
  const { filter, query, limit } = body;
  if (limit < 1 || limit > callsMax) throw invalidField('limit', `Input should be from 1 to ${callsMax}`);
  return { filter, query: parseOptionalQuery(query), limit };
}

/** @throws Failure if a job would be made of nothing, or of too much */
export function checkChosen(calls: number): void {
  if (calls < 1 || calls > callsMax) throw invalidField('chosen', `A job is made of 1 to ${callsMax} calls`);
}

const matchesShown = 20;

/** The rows of suites that the data of a preview matches. */
export function suitesAnswer({ rows, overlaps }: Overlaps) {
  const first = overlaps.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)).slice(0, matchesShown);
  return {
    suite_rows_found: rows,
    suite_matches: first.map(({ suiteName: suite, ...match }) => ({ suite, ...matchAnswer(match) })),
  };
}

/** Aborts when the client no longer waits. */
export function requestSignal(): AbortSignal {
  return currentScope()?.signal ?? new AbortController().signal;
}
