import { badRequest } from '../../../contract/errors.ts';
import { parseHistoryRow, stepOf } from '../../../domain/runs/history.ts';
import type { Run } from '../../../services/runs/runs.ts';
import { type GraphqlContext, spend } from '../context.ts';
import type { RunNode } from './nodes.ts';

type HistoryArguments = { minStep?: number | null; maxStep?: number | null; samples?: number | null };
type SampleSpec = { keys?: string[]; samples?: number; minStep?: number; maxStep?: number };

const historyRowsMax = 10_000;
/** What reading a history counts, however long it is. */
const rowsOfHistory = 1000;
const rowsOfLine = 10;

/** How the rows that a run logged are read. */
export const runHistory = {
  Run: {
    historyTail: ({ run }: RunNode, _args: unknown, context: GraphqlContext) => tail(context, run, 'history'),
    eventsTail: ({ run }: RunNode, _args: unknown, context: GraphqlContext) => tail(context, run, 'events'),
    systemMetrics: async ({ run }: RunNode, _args: unknown, context: GraphqlContext) =>
      (await lastLine(context, run, 'events')) ?? '{}',
    historyKeys: ({ run }: RunNode, _args: unknown, context: GraphqlContext) => historyKeys(context, run),

    async history({ run }: RunNode, args: HistoryArguments, context: GraphqlContext) {
      const { runs } = context;
      spend(context, rowsOfHistory);
      const rows = await firstRows(
        runs.history(run, { minStep: args.minStep, maxStep: args.maxStep }),
        Math.min(args.samples ?? 500, historyRowsMax),
      );
      return rows.map((row) => JSON.stringify(row));
    },

    async parquetHistory({ run }: RunNode, { liveKeys }: { liveKeys: string[] }, context: GraphqlContext) {
      const { runs } = context;
      spend(context, rowsOfHistory);
      return {
        parquetUrls: [],
        liveData: await firstRows(runs.history(run, { columns: liveKeys }), historyRowsMax),
      };
    },

    sampledHistory: ({ run }: RunNode, { specs }: { specs: string[] }, context: GraphqlContext) =>
      Promise.all(
        specs.map((text) => {
          spend(context, rowsOfHistory);
          const spec = parseHistoryRow(text) as SampleSpec | null;
          if (spec === null) throw badRequest('A specification of a sampled history must be a JSON object.');
          return context.runs.sample(
            run,
            { columns: spec.keys ?? null, minStep: spec.minStep ?? null, maxStep: spec.maxStep ?? null },
            Math.max(1, Math.min(spec.samples ?? 500, historyRowsMax)),
          );
        }),
      ),
  },
};

async function firstRows<Row>(rows: AsyncIterable<Row>, count: number): Promise<Row[]> {
  const found: Row[] = [];
  if (count <= 0) return found;
  for await (const row of rows) {
    found.push(row);
    if (found.length === count) break;
  }
  return found;
}

async function lastLine(context: GraphqlContext, run: Run, stream: 'history' | 'events'): Promise<string | null> {
  spend(context, rowsOfLine);
  let last: string | null = null;
  for await (const line of context.runs.lines(run, stream, { last: 1 })) last = line;
  return last;
}

async function tail(context: GraphqlContext, run: Run, stream: 'history' | 'events'): Promise<string> {
  const last = await lastLine(context, run, stream);
  return JSON.stringify(last === null ? [] : [last]);
}

/** From the last row and the summary, which has all columns. */
async function historyKeys(context: GraphqlContext, run: Run) {
  const last = await lastLine(context, run, 'history');
  const row = last === null ? null : parseHistoryRow(last);
  if (row === null) return null;
  const columns = Object.entries({ ...parseHistoryRow(run.summary), ...row });
  const typeOf = (value: unknown) => (typeof value === 'object' ? 'map' : typeof value);
  const keys = columns.map(([name, value]) => [name, { typeCounts: [{ type: typeOf(value), count: 1 }] }]);
  return { keys: Object.fromEntries(keys), sets: [], lastStep: stepOf(row) };
}
