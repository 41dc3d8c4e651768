import { z } from 'zod';
import { badRequest } from '../../../contract/errors.ts';
import {
  type HistoryRow,
  parseHistoryRow,
  RowSample,
  withTextForNonFinite,
  writeHistoryRow,
} from '../../../domain/runs/history.ts';
import type { Run } from '../../../services/runs/runs.ts';
import { type GraphqlContext, spend } from '../context.ts';
import type { RunNode } from './nodes.ts';

type HistoryArguments = { minStep?: number | null; maxStep?: number | null; samples?: number | null };

/** How many rows a client gets at most at once. */
const rowsAtOnceMax = 20_000;
const samplesDefault = 500;
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
    historyKeys: async ({ run }: RunNode, _args: unknown, context: GraphqlContext) => {
      spend(context, rowsOfHistory);
      return withTextForNonFinite(await context.runs.historyKeys(run));
    },

    async history({ run }: RunNode, { minStep, maxStep, samples }: HistoryArguments, context: GraphqlContext) {
      spend(context, rowsOfHistory);
      return (await readRows(context, run, { minStep, maxStep, samples })).map(writeHistoryRow);
    },

    async events({ run }: RunNode, { samples }: { samples?: number | null }, context: GraphqlContext) {
      spend(context, rowsOfHistory);
      const sample = new RowSample<string>(sampleSize(samples));
      for await (const line of context.runs.lines(run, 'events')) sample.add(line);
      return sample.rows();
    },

    async parquetHistory({ run }: RunNode, { liveKeys }: { liveKeys: string[] }, context: GraphqlContext) {
      spend(context, rowsOfHistory);
      const rows = await firstRows(context.runs.history(run, { columns: liveKeys }), rowsAtOnceMax);
      return { parquetUrls: [], liveData: rows.map(withTextForNonFinite) };
    },

    async sampledHistory({ run }: RunNode, { specs }: { specs: string[] }, context: GraphqlContext) {
      const sampled = [];
      for (const text of specs) {
        spend(context, rowsOfHistory);
        sampled.push((await readRows(context, run, readSpec(text))).map(withTextForNonFinite));
      }
      return sampled;
    },
  },
};

const specSchema = z.strictObject({
  keys: z.array(z.string()).optional(),
  samples: z.number().int().optional(),
  minStep: z.number().int().optional(),
  maxStep: z.number().int().optional(),
});

function readSpec(text: string): HistoryArguments & { columns?: string[] } {
  const spec = specSchema.safeParse(parseHistoryRow(text));
  if (!spec.success) {
    throw badRequest(`The specification of a sampled history is not valid: ${z.prettifyError(spec.error)}`);
  }
  const { keys, minStep, maxStep, samples } = spec.data;
  // Clients of today ask for the rows of a page up to and including a step, with a sample for each; earlier ones, up to before it.
  const isInclusive =
    minStep !== undefined && maxStep !== undefined && keys?.includes('_step') && samples === maxStep - minStep + 1;
  const columns = keys && { columns: [...new Set(keys)] };
  return { ...columns, minStep, maxStep: isInclusive ? maxStep + 1 : maxStep, samples };
}

/** A page of steps gets every row, even if steps have several; anything else gets samples. */
async function readRows(
  { runs }: GraphqlContext,
  run: Run,
  { samples, ...query }: HistoryArguments & { columns?: string[] },
): Promise<HistoryRow[]> {
  const steps = (query.maxStep ?? Number.POSITIVE_INFINITY) - (query.minStep ?? 0);
  if (steps > sampleSize(samples)) return runs.sample(run, query, sampleSize(samples));
  const rows = await firstRows(runs.history(run, query), rowsAtOnceMax + 1);
  if (rows.length <= rowsAtOnceMax) return rows;
  throw badRequest(`The ${steps} steps have more than ${rowsAtOnceMax} rows. Ask for fewer steps at once.`);
}

function sampleSize(samples: number | null | undefined): number {
  return Math.max(1, Math.min(samples ?? samplesDefault, rowsAtOnceMax));
}

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
