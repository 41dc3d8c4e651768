import { expect, test } from 'vitest';
import type { GroupKey } from './group-keys.ts';
import { connectedGroups, splitGroups } from './split-groups.ts';

const inOrder = (group: number) => group;

test('rows that share a trace, a thread or a user are one group, also over other rows', () => {
  const rows: GroupKey[][] = [
    ['trace:1', 'thread:a'],
    ['trace:2', 'user:u'],
    ['trace:3'],
    ['trace:4', 'thread:a', 'user:u'],
    [],
    [],
  ];
  expect(connectedGroups(rows)).toEqual([[0, 1, 3], [2], [4], [5]]);
});

test('no trace, thread or user is on both sides of a split', () => {
  const rows: GroupKey[][] = Array.from({ length: 500 }, (_, row) => [
    `trace:${row}`,
    `thread:${(row * 31) % 200}`,
    `user:${(row * 17) % 90}`,
  ]);
  const spread: GroupKey[][] = rows.map(([trace, thread], row) => [
    trace!,
    thread!,
    `user:${row % 7 === 0 ? row : row % 150}`,
  ]);
  const { isHeldOut, heldOut, training } = splitGroups(spread, 0.2, (group) => (group * 7919) % 1009);
  const sides = (held: boolean) => new Set(spread.filter((_, row) => isHeldOut[row] === held).flat());
  expect(sides(true).intersection(sides(false))).toEqual(new Set());
  expect(heldOut.rows + training.rows).toBe(500);
  expect(heldOut.groups).toBeGreaterThan(0);
});

test('rows without keys are held out one by one, as many as the share says', () => {
  const { isHeldOut, heldOut, training } = splitGroups(Array(10).fill([]), 0.25, (group) => 10 - group);
  expect([heldOut, training]).toEqual([
    { groups: 3, rows: 3 },
    { groups: 7, rows: 7 },
  ]);
  expect(isHeldOut.lastIndexOf(false)).toBe(6);
});

test('a group that is larger than the share is passed over, and at least one row is left to train on', () => {
  const rows: GroupKey[][] = [...Array<GroupKey[]>(8).fill(['thread:a']), ['thread:b'], []];
  expect(splitGroups(rows, 0.1, inOrder)).toMatchObject({ heldOut: { groups: 1, rows: 1 } });
  expect(splitGroups(Array<GroupKey[]>(5).fill(['thread:a']), 0.5, inOrder)).toMatchObject({
    heldOut: { groups: 0, rows: 0 },
    training: { groups: 1, rows: 5 },
  });
  expect(splitGroups([['user:u']], 0.5, inOrder).heldOut.rows).toBe(0);
});

test('a user with more than a fifth of many rows connects nothing', () => {
  const rows: GroupKey[][] = Array.from({ length: 40 }, (_, row) => [row % 4 === 0 ? 'user:service' : `user:${row}`]);
  expect(connectedGroups(rows)).toHaveLength(40);
  expect(connectedGroups(rows.slice(0, 8))).toHaveLength(7);
});
