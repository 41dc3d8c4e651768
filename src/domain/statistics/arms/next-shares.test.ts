import { expect, test } from 'vitest';
import { nextShares } from './next-shares.ts';

const plan = { evidenceAgainst: [1, 1, 1], floor: 0.05, winner: null, current: [0.8, 0.1, 0.1], compared: 5000 };

test('gives equal shares without evidence, and the floor to an arm that is shown to be worse', () => {
  for (const share of nextShares(plan)!) expect(share).toBeCloseTo(1 / 3, 12);
  const shares = nextShares({ ...plan, evidenceAgainst: [1, 1e6, 3] })!;
  expect(shares[1]).toBeCloseTo(0.05, 5);
  expect(shares[0]! - 0.05).toBeCloseTo(3 * (shares[2]! - 0.05), 6);
  expect(shares.reduce((sum, share) => sum + share)).toBeCloseTo(1, 12);
});

test('gives an arm that is shown to be best all above the floors of the others', () => {
  const shares = nextShares({ ...plan, evidenceAgainst: [1, 1e3, 1], winner: 2 })!;
  for (const [arm, share] of [0.05, 0.05, 0.9].entries()) expect(shares[arm]).toBeCloseTo(share, 12);
});

test('keeps every share at the floor or above, with any evidence', () => {
  for (const share of nextShares({ ...plan, evidenceAgainst: [1e300, 1e304, 1e304] })!)
    expect(share).toBeGreaterThanOrEqual(0.05);
});

test('keeps a version until enough answers were compared, and if shares would hardly change', () => {
  expect(nextShares({ ...plan, compared: 1499 })).toBeNull();
  expect(nextShares({ ...plan, current: [0.335, 0.335, 0.33] })).toBeNull();
});

test('rejects a floor that is 0, or too large for all arms', () => {
  expect(() => nextShares({ ...plan, floor: 0 })).toThrow('must be above 0');
  expect(() => nextShares({ ...plan, floor: 0.4 })).toThrow('at most 0.333');
});
