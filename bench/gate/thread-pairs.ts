/** How two models answer the threads of a simulated suite. */
export type Pairing = {
  /** The share of rows that each passes in truth. */
  incumbent: number;
  candidate: number;
  rowsPerThread: number;
  /** The correlation of the rows of a thread, for each model: the shares of threads have a beta distribution. */
  correlation: number;
  /** The share of answers that the judge takes for the opposite. */
  flips: number;
};

/**
 * The distribution of (wins, losses) of a thread: the rows that only the candidate, or only the incumbent, passes. Exact, so
 * that a simulated thread costs one random number.
 */
export type ThreadPairs = {
  wins: Int32Array;
  losses: Int32Array;
  /** (wins − losses) / rows, for each outcome. */
  differences: Float64Array;
  probabilities: Float64Array;
  /** A random outcome, an index of the arrays (alias method, Walker 1977). */
  draw(fraction: () => number): number;
};

export function threadPairs({ incumbent, candidate, rowsPerThread, correlation, flips }: Pairing): ThreadPairs {
  const n = rowsPerThread;
  const passes = [incumbent, candidate].map((rate) => observedPasses(n, rate, correlation, flips));
  const found: { wins: number; losses: number; probability: number }[] = [];
  for (let wins = 0; wins <= n; wins++) {
    for (let losses = 0; wins + losses <= n; losses++) {
      let probability = 0;
      for (let both = 0; wins + losses + both <= n; both++) {
        const ways = Math.exp(
          logFactorial(n) -
            [wins, losses, both, n - wins - losses - both].reduce((sum, count) => sum + logFactorial(count), 0) -
            logChoose(n, wins + both) -
            logChoose(n, losses + both),
        );
        probability += passes[1]![wins + both]! * passes[0]![losses + both]! * ways;
      }
      if (probability > 0) found.push({ wins, losses, probability });
    }
  }
  const probabilities = Float64Array.from(found, (each) => each.probability);
  return {
    wins: Int32Array.from(found, (each) => each.wins),
    losses: Int32Array.from(found, (each) => each.losses),
    differences: Float64Array.from(found, (each) => (each.wins - each.losses) / n),
    probabilities,
    draw: aliasOf(probabilities),
  };
}

/** Of the difference of a thread. */
export function momentsOf({ probabilities, differences }: ThreadPairs): { mean: number; variance: number } {
  const mean = probabilities.reduce((sum, share, i) => sum + share * differences[i]!, 0);
  const square = probabilities.reduce((sum, share, i) => sum + share * differences[i]! ** 2, 0);
  return { mean, variance: square - mean ** 2 };
}

/** The distribution of the rows of a thread that pass as the judge sees them: true passes and failures, some of them flipped. */
function observedPasses(n: number, rate: number, correlation: number, flips: number): number[] {
  const observed = new Array<number>(n + 1).fill(0);
  for (let passed = 0; passed <= n; passed++) {
    const probability = betaBinomial(n, passed, rate, correlation);
    for (let kept = 0; kept <= passed; kept++) {
      for (let gained = 0; gained <= n - passed; gained++) {
        const share = binomial(passed, kept, 1 - flips) * binomial(n - passed, gained, flips);
        observed[kept + gained]! += probability * share;
      }
    }
  }
  return observed;
}

function betaBinomial(n: number, k: number, rate: number, correlation: number): number {
  if (correlation === 0) return binomial(n, k, rate);
  const size = (1 - correlation) / correlation;
  const rising = (start: number, count: number) => {
    let product = 1;
    for (let i = 0; i < count; i++) product *= start + i;
    return product;
  };
  const ways = Math.exp(logChoose(n, k));
  return (ways * rising(size * rate, k) * rising(size * (1 - rate), n - k)) / rising(size, n);
}

function binomial(n: number, k: number, rate: number): number {
  return Math.exp(logChoose(n, k)) * rate ** k * (1 - rate) ** (n - k);
}

function logChoose(n: number, k: number): number {
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}

function logFactorial(n: number): number {
  let sum = 0;
  for (let i = 2; i <= n; i++) sum += Math.log(i);
  return sum;
}

function aliasOf(probabilities: Float64Array): (fraction: () => number) => number {
  const count = probabilities.length;
  const total = probabilities.reduce((sum, each) => sum + each, 0);
  const height = probabilities.map((each) => (each / total) * count);
  const other = new Int32Array(count).map((_, i) => i);
  const low = [...height.keys()].filter((i) => height[i]! < 1);
  const high = [...height.keys()].filter((i) => height[i]! >= 1);
  while (low.length > 0 && high.length > 0) {
    const from = low.pop()!;
    const to = high.at(-1)!;
    other[from] = to;
    height[to]! -= 1 - height[from]!;
    if (height[to]! < 1) low.push(high.pop()!);
  }
  for (const i of [...low, ...high]) height[i] = 1;
  return (fraction) => {
    const place = fraction() * count;
    const column = Math.floor(place);
    return place - column < height[column]! ? column : other[column]!;
  };
}
