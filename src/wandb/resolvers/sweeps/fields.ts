import { columnOf, parseHistoryRow } from '../../../domain/runs/history.ts';
import type { Sweep } from '../../../services/sweeps.ts';
import {
  afterCursor,
  connection,
  type GraphqlContext,
  type PageArguments,
  type ProjectNode,
  pageLimit,
  projectOf,
} from '../context.ts';
import { runsPage, searchRuns } from '../runs/search.ts';
import { type SweepNode, sweepNode } from './nodes.ts';

/** How sweeps are read. */
export const sweepFields = {
  Project: {
    async sweep({ id }: ProjectNode, { sweepName }: { sweepName?: string | null }, { sweeps }: GraphqlContext) {
      const sweep = sweepName ? await sweeps.find(sweepName) : null;
      return sweep?.projectId === id ? sweepNode(sweep) : null;
    },
    async sweeps({ id }: ProjectNode, page: PageArguments, context: GraphqlContext) {
      const limit = pageLimit(context, page);
      const all = await context.sweeps.list(id);
      return connection(
        afterCursor(all, page, (sweep) => sweep.id),
        limit,
        { toEdge: (sweep) => ({ node: sweepNode(sweep), cursor: sweep.id }), cursorOf: (sweep) => sweep.id },
      );
    },
    totalSweeps: async ({ id }: ProjectNode, _args: unknown, { sweeps }: GraphqlContext) =>
      (await sweeps.list(id)).length,
  },

  Sweep: {
    project: ({ sweep }: SweepNode, _args: unknown, context: GraphqlContext) => projectOf(context, sweep.projectId),
    runCount: ({ sweep }: SweepNode, _args: unknown, { runs }: GraphqlContext) =>
      runs.count(sweep.projectId, { sweepId: sweep.id }),
    bestLoss: ({ sweep }: SweepNode, _args: unknown, context: GraphqlContext) => bestOf(context, sweep),
    runs: ({ sweep }: SweepNode, page: PageArguments, context: GraphqlContext) =>
      runsPage(context, sweep.projectId, { ...page, sweepId: sweep.id }),
  },
};

async function bestOf(context: GraphqlContext, { id: sweepId, projectId, plan: { metric } }: Sweep) {
  if (metric === null) return null;
  const order = `${metric.goal === 'minimize' ? '+' : '-'}summary_metrics.${metric.name}`;
  const { runs } = await searchRuns(context, projectId, { sweepId, order }, 1);
  const best = columnOf(parseHistoryRow(runs[0]?.summary ?? '{}') ?? {}, metric.name);
  return Number.isFinite(best) ? best : null;
}
