import { type InferenceSession, Tensor } from 'onnxruntime-node';
import type { AdapterId } from '../adapter-id.ts';
import type { ModelConfig } from '../models/config.ts';
import type { Embedding } from './embedding.ts';
import type { CacheEntry, KvCache, Pool } from './kv-cache.ts';
import type { LoadedAdapters } from './loaded-adapters.ts';
import { attentionMask } from './mask.ts';
import { type RotaryTable, rotaryTable } from './rotary-table.ts';

/** One run of the graph: as many new tokens for each of some neighbouring slots of a pool. */
export type Run = {
  pool: Pool;
  firstSlot: number;
  /** One for each slot; null for a slot that is between others, but has no part in this run. */
  entries: (CacheEntry | null)[];
  /** The adapter of each slot's sequence. */
  adapters: (AdapterId | null)[];
  /** `[B, N]` */
  tokens: Int32Array;
  /** Rows of `[B · N]` whose logits are wanted. */
  wanted: number[];
  /** Rows of `wanted` that are reduced. */
  reduced: number[];
  top: number;
  /** One for each reduced row. */
  targets: number[];
  wantsLogits: boolean;
  /** Rows of `[B · N]` whose states after the last norm are wanted. */
  described: number[];
};

/** For the rows wanted and reduced, in their order. */
export type RunOutputs = {
  logits: Float32Array;
  topTokens: BigInt64Array;
  topLogits: Float32Array;
  logSumExp: Float32Array;
  targetLogits: Float32Array;
  /** `[described, hidden]` */
  states: Float32Array;
};

/** What stays the same from run to run. */
export type RunContext = {
  config: ModelConfig;
  session: InferenceSession;
  embedding: Embedding;
  cache: KvCache;
  adapters: LoadedAdapters;
  rotary: RotaryTable;
};

const nothing = new Float32Array(0);

/** Runs the graph and appends the new keys and values to the caches. */
export async function runGraph(context: RunContext, run: Run): Promise<RunOutputs> {
  const newTokens = run.tokens.length / run.entries.length;
  const fetches = ['newRows'];
  if (run.wantsLogits) fetches.push('logits');
  if (run.reduced.length > 0) fetches.push('topTokens', 'topLogits', 'logSumExp', 'targetLogits');
  if (run.described.length > 0) fetches.push('states');
  const fetched = await context.session.run(feedsOf(context, run, newTokens), fetches);
  context.cache.append(fetched.newRows!.data as Float32Array, run.entries, newTokens);
  const floats = (name: string) => (fetched[name]?.data as Float32Array | undefined) ?? nothing;
  return {
    logits: floats('logits'),
    topTokens: (fetched.topTokens?.data as BigInt64Array | undefined) ?? new BigInt64Array(0),
    topLogits: floats('topLogits'),
    logSumExp: floats('logSumExp'),
    targetLogits: floats('targetLogits'),
    states: floats('states'),
  };
}

function feedsOf(context: RunContext, run: Run, newTokens: number): InferenceSession.FeedsType {
  const { config } = context;
  const batch = run.entries.length;
  const lengths = run.entries.map((entry) => entry?.length ?? 0);
  // A cache without a row in use is left out as a whole.
  const rows = lengths.some((length) => length > 0) ? run.pool.rows : 0;
  const { positions, cosines, sines } = anglesFor(context, Math.max(...lengths) + newTokens);
  const angles = [positions, config.headDim / 2];
  const mask = (window: number | null) =>
    new Tensor('float32', attentionMask(lengths, newTokens, rows, window), [batch, 1, newTokens, rows + newTokens]);
  const window = config.layers.find((layer) => layer.window !== null)?.window;
  const reducedRows = run.reduced.length > 0 ? run.reduced : [0];
  return {
    embedded: new Tensor('float32', context.embedding.rows(run.tokens), [batch, newTokens, config.hiddenSize]),
    positions: integers(
      lengths.flatMap((length) => range(length, newTokens)),
      [batch, newTokens],
    ),
    cosines: new Tensor('float32', cosines, angles),
    sines: new Tensor('float32', sines, angles),
    mask: mask(null),
    ...(window == null ? {} : { windowMask: mask(window) }),
    prefills: new Tensor('bool', [batch === 1 && newTokens > 1], []),
    lastPlaces: new Tensor(
      'int32',
      lengths.map((length) => length + newTokens - 1),
      [batch],
    ),
    seenMax: new Tensor('int32', [Math.max(...lengths) + newTokens], []),
    wanted: integers(run.wanted, [run.wanted.length]),
    described: integers(run.described, [run.described.length]),
    reduces: new Tensor('bool', [run.reduced.length > 0], []),
    reduced: integers(reducedRows, [reducedRows.length]),
    top: integers([run.top], [1]),
    targets: integers(run.targets.length > 0 ? run.targets : reducedRows.map(() => 0), [reducedRows.length, 1]),
    ...context.adapters.feeds(run.adapters),
    ...cacheFeeds(context, run, rows),
  };
}

function cacheFeeds({ config, cache }: RunContext, run: Run, rows: number): InferenceSession.FeedsType {
  const batch = run.entries.length;
  const shape = [batch, config.kvHeads, rows, config.headDim];
  const feeds: Record<string, Tensor> = {};
  for (let layer = 0; layer < config.layers.length; layer++) {
    const { keys, values } = cache.view(run.pool, layer, run.firstSlot, rows === 0 ? 0 : batch);
    feeds[`keys.${layer}`] = new Tensor('float32', keys, shape);
    feeds[`values.${layer}`] = new Tensor('float32', values, shape);
  }
  return feeds;
}

/** The table grows with the longest sequence so far. */
function anglesFor(context: RunContext, positions: number): RotaryTable {
  if (positions > context.rotary.positions) {
    const doubled = Math.max(positions, 2 * context.rotary.positions, 1024);
    context.rotary = rotaryTable(context.config.rotary, doubled);
  }
  return context.rotary;
}

function integers(values: number[], shape: number[]): Tensor {
  return new Tensor('int64', BigInt64Array.from(values, BigInt), shape);
}

function range(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => first + i);
}
