import type { Measured } from '../support/processes/figures.ts';
import type { Costs } from './write-path.ts';

export type Fit = { costs: Costs; statementsPerBlock: number };

/** The costs that explain best what was measured at these numbers of processes. */
export function fitCosts({ calls, requests: sent, figures }: Measured, processes: number[]): Fit {
  const used = figures.filter((each) => processes.includes(each.processes));
  const blocksOf = (inserts: number) => inserts / 2;
  const requests = (1000 * sent) / calls;
  const [request, block] = leastSquares(
    used.map(({ inserts, cpuOfHeddle }) => ({ x: requests, y: blocksOf(inserts), sum: cpuOfHeddle * 1000 })),
  );
  const [call, statement] = leastSquares(
    used.map(({ statements, cpuOfStores }) => ({ x: 1000, y: statements, sum: cpuOfStores * 1000 })),
  );
  const client = mean(used.map(({ cpuOfClient }) => (cpuOfClient * 1000) / requests));
  const statementsPerBlock = mean(used.map(({ statements, inserts }) => statements / blocksOf(inserts)));
  return { costs: { client, request, block, statement, call }, statementsPerBlock };
}

/** The a and b, not below 0, for which a·x + b·y is nearest to the sum. */
function leastSquares(points: { x: number; y: number; sum: number }[]): [a: number, b: number] {
  const of = (value: (point: { x: number; y: number; sum: number }) => number) =>
    points.reduce((total, point) => total + value(point), 0);
  const [xx, xy, yy] = [of(({ x }) => x * x), of(({ x, y }) => x * y), of(({ y }) => y * y)];
  const [xs, ys] = [of(({ x, sum }) => x * sum), of(({ y, sum }) => y * sum)];
  const determinant = xx * yy - xy * xy;
  const [a, b] = [(xs * yy - ys * xy) / determinant, (ys * xx - xs * xy) / determinant];
  if (a >= 0 && b >= 0) return [a, b];
  return a < 0 ? [0, ys / yy] : [xs / xx, 0];
}

function mean(values: number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}
