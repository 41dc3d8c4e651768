import type { CallsFilter } from '../../domain/calls/calls-filter.ts';
import { parseOptionalQuery } from '../../domain/query/parse-query.ts';
import type { CallsSought } from '../../services/calls/query-calls.ts';
import type { Project } from '../../services/owner.ts';
import type { JsonText } from '../../util/json/json-text.ts';

/** Which calls the body of a request means. @throws ValidationError, ApiError for a query that cannot be. */
export function soughtOf(project: Project, body: { filter: CallsFilter | null; query: JsonText | null }): CallsSought {
  return { project, filter: body.filter, query: parseOptionalQuery(body.query) };
}
