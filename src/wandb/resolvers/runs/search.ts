import { connection, type GraphqlContext, type PageArguments, type ProjectNode, pageLimit, spend } from '../context.ts';
import { runNode } from './nodes.ts';

export type SearchArguments = PageArguments & { filters?: string | null; order?: string | null; sweepId?: string };

/** A page of the runs of a project, or of those of a sweep. */
export async function runsPage(context: GraphqlContext, projectId: ProjectNode['id'], args: SearchArguments) {
  const limit = pageLimit(context, args);
  const found = await searchRuns(context, projectId, args, limit + 1);
  const page = connection(found.runs, limit, {
    toEdge: (run) => ({ node: runNode(run), cursor: run.id }),
    cursorOf: (run) => run.id,
  });
  return { ...page, totalCount: found.count };
}

export function searchRuns(
  context: GraphqlContext,
  projectId: ProjectNode['id'],
  args: SearchArguments,
  limit: number,
) {
  const { runs, identity } = context;
  spend(context, rowsOfSearch);
  return runs.search(projectId, {
    filter: args.filters || null,
    order: args.order || '-created_at',
    sweepId: args.sweepId ?? null,
    afterId: args.after || null,
    limit,
    usernames: (ids) => identity.usernames(ids),
  });
}

/** What a search counts, since it reads all runs of a project. */
const rowsOfSearch = 1000;
