import type { TrainingRow } from '../row.ts';

/** The tokens of one history, and which of them have a loss. */
export type TokenizedResult = {
  tokens: Int32Array;
  /** 1 for tokens with a loss. The first token has none. */
  mask: Uint8Array;
  /** The logprobs of the sampler; NaN if unknown. */
  logprobs: Float32Array;
  advantage: number;
  /** The weight of each token. */
  weight: number;
};

export type PackedRows = {
  rows: TrainingRow[];
  /** The number of results that are longer than a row. */
  tooLong: number;
  /** The number of results in each row. */
  resultsOfRow: number[];
};

type Placed = { result: TokenizedResult; prompt: number; promptTokens: number };

/**
 * Packs the results of groups into rows, each of which is one optimizer step. A row stores the shared start of a group's
 * results once.
 * @param random from 0 to 1, for the order of results and rows
 */
export function packGroups(groups: TokenizedResult[][], tokensMax: number, random: () => number): PackedRows {
  const results = groups.flatMap((group, prompt) => {
    const promptTokens = sharedTokens(group);
    return shuffled(group, random).map((result): Placed => ({ result, prompt, promptTokens }));
  });
  const learned = results.filter(({ result }) => result.mask.includes(1));
  const fitting = learned.filter(({ result }) => result.tokens.length <= tokensMax);
  const packed: Placed[][] = [];
  let free = 0;
  for (const placed of fitting) {
    const own = placed.result.tokens.length - placed.promptTokens;
    const isShared = packed.at(-1)?.some(({ prompt }) => prompt === placed.prompt) ?? false;
    const needed = isShared ? own : placed.result.tokens.length;
    if (packed.length > 0 && needed <= free) {
      packed.at(-1)!.push(placed);
      free -= needed;
    } else {
      packed.push([placed]);
      free = tokensMax - placed.result.tokens.length;
    }
  }
  const order = shuffled(packed, random);
  return {
    rows: order.map(toRow),
    tooLong: learned.length - fitting.length,
    resultsOfRow: order.map(({ length }) => length),
  };
}

/**
 * The number of tokens that all results start with. Each result keeps the token before its first learned one, which predicts
 * it.
 */
function sharedTokens(group: TokenizedResult[]): number {
  const [first] = group;
  if (first === undefined) return 0;
  let shared = 0;
  while (shared < first.tokens.length && group.every(({ tokens }) => tokens[shared] === first.tokens[shared])) shared++;
  const firstLearned = group.map(({ mask }) => mask.indexOf(1)).filter((index) => index !== -1);
  return Math.max(0, Math.min(shared, Math.min(...firstLearned) - 1));
}

function toRow(placed: Placed[]): TrainingRow {
  const row = { tokens: [] as number[], positions: [] as number[], groups: [] as number[], parents: [] as number[] };
  const targets = { places: [] as number[], tokens: [] as number[], results: [] as number[] };
  const values = { weights: [] as number[], advantages: [] as number[], oldLogprobs: [] as number[] };
  const prompts = new Map<number, number>();
  let groups = 0;
  const add = (tokens: Int32Array, from: number, to: number, group: number, parent: number) => {
    for (let i = from; i < to; i++) {
      row.tokens.push(tokens[i]!);
      row.positions.push(i);
      row.groups.push(group);
      row.parents.push(parent);
    }
  };
  for (const { result, prompt, promptTokens } of placed) {
    if (!prompts.has(prompt)) {
      prompts.set(prompt, groups);
      add(result.tokens, 0, promptTokens, groups, groups++);
    }
    const group = groups++;
    const start = row.tokens.length - promptTokens;
    add(result.tokens, promptTokens, result.tokens.length, group, prompts.get(prompt)!);
    for (const [i, isLearned] of result.mask.entries()) {
      if (!isLearned || i <= promptTokens) continue;
      targets.places.push(start + i - 1);
      targets.tokens.push(result.tokens[i]!);
      targets.results.push(group);
      values.weights.push(result.weight);
      values.advantages.push(result.advantage);
      values.oldLogprobs.push(result.logprobs[i]!);
    }
  }
  return {
    tokens: Int32Array.from(row.tokens),
    positions: Int32Array.from(row.positions),
    groups: Int32Array.from(row.groups),
    parents: Int32Array.from(row.parents),
    targets: {
      places: Int32Array.from(targets.places),
      tokens: Int32Array.from(targets.tokens),
      results: Int32Array.from(targets.results),
      weights: Float32Array.from(values.weights),
      advantages: Float32Array.from(values.advantages),
      oldLogprobs: Float32Array.from(values.oldLogprobs),
    },
  };
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const order = [...items];
  for (let i = order.length - 1; i > 0; i--) {
    const other = Math.floor(random() * (i + 1));
    [order[i], order[other]] = [order[other]!, order[i]!];
  }
  return order;
}
