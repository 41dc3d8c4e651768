import type { RowTargets, TrainingRow } from '../row.ts';

/** A part of a row as a separate row: a prompt with results. */
export type RowPart = {
  row: TrainingRow;
  /** The index of its row, and of its targets among those of the row. */
  from: number;
  targets: number[];
};

/**
 * Sequences of a row do not attend to each other, so they can be computed separately. Results that share a prompt are computed
 * together as long as they fit; others get a copy of the prompt.
 * @param tokensMax the maximum of a part, unless a single result with its prompt is longer
 */
export function splitRows(rows: readonly TrainingRow[], tokensMax: number): RowPart[] {
  return rows.flatMap((row, from) => {
    const tokensOfGroup = Map.groupBy(row.groups.keys(), (token) => row.groups[token]!);
    const targetsOfToken = Map.groupBy(row.targets.places.keys(), (target) => row.targets.places[target]!);
    return prompts(row, tokensOfGroup).flatMap((prompt) =>
      fill(prompt, tokensMax)
        .map((tokens) => partOf(row, from, tokens, targetsOfToken))
        .filter(({ targets }) => targets.length > 0),
    );
  });
}

/** The largest number of tokens that a token attends to, including itself. No part can be shorter. */
export function longestSequence(rows: readonly TrainingRow[]): number {
  return rows.reduce((most, row) => {
    const tokensOfGroup = Map.groupBy(row.groups.keys(), (token) => row.groups[token]!);
    const lengths = prompts(row, tokensOfGroup).flatMap(({ shared, results }) =>
      [[], ...results].map((result) => shared.length + result.length),
    );
    return Math.max(most, ...lengths);
  }, 0);
}

/** Indices of tokens: those that several results share, and those of each result. */
type Prompt = { shared: number[]; results: number[][] };

/** A parent may have no tokens of its own. A result that is also a parent is part of both. */
function prompts({ groups, parents }: TrainingRow, tokensOfGroup: Map<number, number[]>): Prompt[] {
  const parentOf = new Map(groups.entries().map(([token, group]) => [group, parents[token]!]));
  const children = Map.groupBy(parentOf.keys(), (group) => parentOf.get(group)!);
  return [...children].map(([parent, members]) => ({
    shared: tokensOfGroup.get(parent) ?? [],
    results: members.filter((group) => group !== parent).map((group) => tokensOfGroup.get(group)!),
  }));
}

/** @returns the tokens of each part. Only the first has the targets of the prompt. */
function fill({ shared, results }: Prompt, tokensMax: number): { shared: number[]; own: number[]; isFirst: boolean }[] {
  const parts = [{ shared, own: [] as number[], isFirst: true }];
  for (const result of results) {
    const last = parts.at(-1)!;
    const isFull = last.own.length > 0 && shared.length + last.own.length + result.length > tokensMax;
    if (isFull) parts.push({ shared, own: [...result], isFirst: false });
    else last.own.push(...result);
  }
  return parts;
}

function partOf(
  row: TrainingRow,
  from: number,
  { shared, own, isFirst }: { shared: number[]; own: number[]; isFirst: boolean },
  targetsOfToken: Map<number, number[]>,
): RowPart {
  const tokens = [...shared, ...own];
  const pick = (values: Int32Array) => Int32Array.from(tokens, (token) => values[token]!);
  const placed = tokens.flatMap((token, place) =>
    isFirst || place >= shared.length ? (targetsOfToken.get(token) ?? []).map((target) => ({ target, place })) : [],
  );
  const targets = placed.map(({ target }) => target);
  return {
    from,
    targets,
    row: {
      tokens: pick(row.tokens),
      positions: pick(row.positions),
      groups: pick(row.groups),
      parents: pick(row.parents),
      targets: { ...pickTargets(row.targets, targets), places: Int32Array.from(placed, ({ place }) => place) },
    },
  };
}

function pickTargets(all: RowTargets, targets: number[]): RowTargets {
  const picked = Object.entries(all).map(([name, values]) => {
    const array = values as Int32Array | Float32Array | undefined;
    const own = targets.map((target) => array?.[target] ?? 0);
    return [name, array && (array instanceof Int32Array ? Int32Array.from(own) : Float32Array.from(own))];
  });
  return Object.fromEntries(picked) as RowTargets;
}
