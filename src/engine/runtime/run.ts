import { type InferenceSession, Tensor } from 'onnxruntime-node';
import type { AdapterId } from '../adapter-id.ts';
import type { ModelConfig, RotaryConfig } from '../models/config.ts';
import type { Embedding } from './embedding.ts';
import type { CacheEntry, KvCache, Pool } from './kv-cache.ts';
import type { LoadedAdapters } from './loaded-adapters.ts';
import { attentionMask } from './mask.ts';
import { type RotaryTable, rotaryTable } from './rotary-table.ts';

/** One run of the graph: the same number of new tokens for neighbouring slots of a pool. */
export type GraphRun = {
  pool: Pool;
  firstSlot: number;
  /** One for each slot; null for a slot in between that does not take part. */
  entries: (CacheEntry | null)[];
  /** The adapter of each slot's sequence. */
  adapters: (AdapterId | null)[];
  /** `[B, N]` */
  tokens: Int32Array;
  /** Rows of `[B · N]` that need logits. */
  wanted: number[];
  /** Rows of `wanted` with reduced logits. */
  reduced: number[];
  top: number;
  /** One token for each reduced row. */
  targets: number[];
  wantsLogits: boolean;
  /** Rows of `[B · N]` that return their states after the last norm. */
  described: number[];
};

/** Outputs in the order of the requested rows. */
export type RunOutputs = {
  logits: Float32Array;
  topTokens: BigInt64Array;
  topLogits: Float32Array;
  logSumExp: Float32Array;
  targetLogits: Float32Array;
  /** `[described, hidden]` */
  states: Float32Array;
};

/** What all runs of a model share. */
export type RunContext = {
  config: ModelConfig;
  session: InferenceSession;
  embedding: Embedding;
  cache: KvCache;
  adapters: LoadedAdapters;
  /** Tables grow with the longest sequence. */
  rotary: Record<'global' | 'local', RotaryTable | null>;
  batchInvariant: boolean;
};

const nothing = new Float32Array(0);

/** Runs the graph and appends the new keys and values to the caches. */
export async function runGraph(context: RunContext, run: GraphRun): Promise<RunOutputs> {
  const newTokens = run.tokens.length / run.entries.length;
  const fetches = ['newRows'];
  if (run.wantsLogits) fetches.push('logits');
  if (run.reduced.length > 0) fetches.push('topTokens', 'topLogits', 'expSum', 'targetLogits');
  if (run.described.length > 0) fetches.push('states');
  const fetched = await context.session.run(feedsOf(context, run, newTokens), fetches);
  context.cache.append(fetched.newRows!.data as Float32Array, run.entries, newTokens);
  const topLogits = (fetched.topLogits?.data as Float32Array | undefined) ?? nothing;
  const floats = (name: string) => (fetched[name]?.data as Float32Array | undefined) ?? nothing;
  return {
    logits: floats('logits'),
    topTokens: (fetched.topTokens?.data as BigInt64Array | undefined) ?? new BigInt64Array(0),
    topLogits,
    logSumExp: floats('expSum').map((sum, row) => Math.log(sum) + topLogits[row * run.top]!),
    targetLogits: floats('targetLogits'),
    states: floats('states'),
  };
}

function feedsOf(context: RunContext, run: GraphRun, newTokens: number): InferenceSession.FeedsType {
  const { config } = context;
  const batch = run.entries.length;
  const lengths = run.entries.map((entry) => entry?.length ?? 0);
  // An empty cache is left out.
  const rows = lengths.some((length) => length > 0) ? run.pool.rows : 0;
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
    ...angleFeeds(context, Math.max(...lengths) + newTokens),
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

function cacheFeeds({ config, cache }: RunContext, run: GraphRun, rows: number): InferenceSession.FeedsType {
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

function angleFeeds({ config, rotary }: RunContext, positions: number): InferenceSession.FeedsType {
  rotary.global = longEnough(rotary.global, config.rotary, positions);
  const global = tensorsOf(rotary.global, '');
  if (config.localRotary === null) return global;
  rotary.local = longEnough(rotary.local, config.localRotary, positions);
  return { ...global, ...tensorsOf(rotary.local, 'local.') };
}

function longEnough(table: RotaryTable | null, config: RotaryConfig, positions: number): RotaryTable {
  const known = table?.positions ?? 0;
  return table !== null && positions <= known ? table : rotaryTable(config, Math.max(positions, 2 * known, 1024));
}

function tensorsOf({ positions, cosines, sines }: RotaryTable, prefix: string): InferenceSession.FeedsType {
  const shape = [positions, cosines.length / positions];
  return {
    [`${prefix}cosines`]: new Tensor('float32', cosines, shape),
    [`${prefix}sines`]: new Tensor('float32', sines, shape),
  };
}

function integers(values: number[], shape: number[]): Tensor {
  return new Tensor('int64', BigInt64Array.from(values, BigInt), shape);
}

function range(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => first + i);
}
