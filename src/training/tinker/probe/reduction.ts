import { type Reduction, undoneBy } from '../losses/reduction.ts';
import { type Bench, lengths } from './bench.ts';

const { short, long } = lengths;
const kinds: Reduction['kind'][] = ['sum', 'meanOfMeans', 'meanOfSums', 'meanOfTokens'];

/**
 * Finds out how a server reduces its losses. Only the short sequence, or the beginning of the long one, has advantages, so all
 * steps have the same gradient but for the division.
 */
export async function measureReduction({ move }: Bench): Promise<Reduction> {
  const alone = await move((turn) => [{ data: [turn.long(1)] }]);
  const together = await move((turn) => [{ data: [turn.short(1), turn.long(0)] }]);
  const apart = await move((turn) => [{ data: [turn.short(1)] }, { data: [turn.long(0)] }]);
  const kind = nearest(kinds, (each) => [
    [alone, movedBy({ kind: each, over: 'step' }, long, [long])],
    [together, movedBy({ kind: each, over: 'step' }, short, [short, long])],
  ]);
  if (kind === 'sum') return { kind, over: 'step' };
  const overs: Reduction['over'][] = ['step', 'request'];
  return {
    kind,
    over: nearest(overs, (over) => [
      [apart, movedBy({ kind, over: 'step' }, short, over === 'step' ? [short, long] : [short])],
    ]),
  };
}

/** Whether the second arrival of a request counts. */
export async function measureRepeats({ move }: Bench, reduction: Reduction): Promise<boolean> {
  const moved = await move((turn) => [{ data: [turn.short(1)], isRepeated: true }, { data: [turn.long(0)] }]);
  const isOverStep = reduction.over === 'step';
  const once = movedBy(reduction, short, isOverStep ? [short, long] : [short]);
  const twice = 2 * movedBy(reduction, short, isOverStep ? [short, short, long] : [short]);
  return nearest([true, false], (isOnce) => [[moved, isOnce ? once : twice]]);
}

/** How far a sequence is moved beside others, in units of how far the short one is moved alone. */
function movedBy(reduction: Reduction, tokens: number, all: number[]): number {
  const divisor = (own: number, among: number[]) =>
    undoneBy(reduction, { tokens: own }, { tokens: among.reduce((a, b) => a + b), sequences: among.length });
  return divisor(short, [short]) / divisor(tokens, all);
}

/** The choice whose expectations are nearest to what was measured, as ratios. */
function nearest<Choice>(
  choices: Choice[],
  expected: (choice: Choice) => [measured: number, expected: number][],
): Choice {
  const distance = (choice: Choice) =>
    expected(choice).reduce(
      (total, [measured, value]) => total + Math.abs(Math.log(Math.max(measured, 1e-3) / value)),
      0,
    );
  return choices.reduce((best, choice) => (distance(choice) < distance(best) ? choice : best));
}
