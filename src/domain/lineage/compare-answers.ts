/** The tokens of one choice of an answer. */
export type DrawnChoice = {
  ids: readonly number[];
  /** One for each id: those of the model, before any adjustment. */
  logprobs: readonly (number | null)[];
};

export type RecordedChoice = DrawnChoice & {
  /** Whether it ended before the model or a limit ended it, such as when the client hung up: more tokens would have followed. */
  isCut: boolean;
};

export type TokenPlace = { choice: number; token: number };

export type Comparison = {
  /** The first token that differs, or that only one of them has; null if there is none. */
  firstDifference: TokenPlace | null;
  /** The largest difference of the logprobs of tokens that both have before any differs. */
  logprobDifference: number;
};

/** How far the logprobs of one token may be apart in two computations with the same weights. */
export const logprobTolerance = 1e-3;

/** Compares what an answer was with what it is when it is computed again. */
export function compareAnswers(recorded: readonly RecordedChoice[], again: readonly DrawnChoice[]): Comparison {
  const found = recorded.map((choice, index) => {
    const other = again[index] ?? { ids: [], logprobs: [] };
    const token = firstDifferentToken(choice, other);
    return {
      place: token === null ? null : { choice: index, token },
      logprobDifference: largestDifference(choice.logprobs, other.logprobs, token ?? choice.ids.length),
    };
  });
  const extra = again.length > recorded.length ? { choice: recorded.length, token: 0 } : null;
  return {
    firstDifference: found.find(({ place }) => place !== null)?.place ?? extra,
    logprobDifference: Math.max(0, ...found.map((each) => each.logprobDifference)),
  };
}

/** The first token whose logprobs are further apart than two computations with the same weights may be. */
export function firstBeyondTolerance(
  recorded: readonly DrawnChoice[],
  again: readonly (readonly (number | null)[])[],
): TokenPlace | null {
  for (const [choice, { logprobs }] of recorded.entries()) {
    const token = logprobs.findIndex((each, index) => distance(each, again[choice]?.[index]) > logprobTolerance);
    if (token >= 0) return { choice, token };
  }
  return null;
}

/** The largest difference of the first `count` logprobs. */
export function largestDifference(
  a: readonly (number | null)[],
  b: readonly (number | null)[],
  count = a.length,
): number {
  let largest = 0;
  for (let i = 0; i < count; i++) largest = Math.max(largest, distance(a[i], b[i]));
  return largest;
}

function firstDifferentToken({ ids, isCut }: RecordedChoice, other: DrawnChoice): number | null {
  const token = ids.findIndex((id, index) => id !== other.ids[index]);
  if (token >= 0) return token;
  return other.ids.length === ids.length || isCut ? null : ids.length;
}

/** JSON has no −∞: a logprob that is null is of a token that the model excludes, or it was not computed. */
function distance(a: number | null | undefined, b: number | null | undefined): number {
  return a == null || b == null ? 0 : Math.abs(a - b);
}
