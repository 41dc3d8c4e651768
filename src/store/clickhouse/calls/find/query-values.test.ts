import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCallStore, testProject } from '../testing/call-store.ts';

/** The thirteen values of the conformance checklist, under `inputs.x`; `undefined` is a call without it. */
const values: Record<string, string | undefined> = {
  '5': '5',
  '"5"': '"5"',
  '5.0': '5.0',
  '5.5': '5.5',
  true: 'true',
  null: 'null',
  '{}': '{}',
  '[1,2]': '[1,2]',
  '"Hello World"': '"Hello World"',
  '-1': '-1',
  '""': '""',
  '"10"': '"10"',
  missing: undefined,
};
const all = Object.keys(values);

const store = await openCallStore();
const project = testProject(store.clickhouse);
afterAll(() => store.close());

beforeAll(async () => {
  await project.write(...all.map((id) => ({ id, inputs: values[id] === undefined ? '{}' : `{"x":${values[id]}}` })));
});

const x = '{"$getField":"inputs.x"}';
const as = (to: string) => `{"$convert":{"input":${x},"to":"${to}"}}`;

test.each<[row: string, expr: string, expected: string[]]>([
  ['74', `{"$eq":[${x},{"$literal":5}]}`, ['5', '"5"', '5.0']],
  ['74', `{"$eq":[${x},{"$literal":5.0}]}`, ['5', '"5"', '5.0']],
  ['75', `{"$eq":[${x},{"$literal":"5"}]}`, ['5', '"5"', '5.0']],
  ['76', `{"$eq":[${x},{"$literal":true}]}`, ['true']],
  ['77', `{"$eq":[${x},{"$literal":null}]}`, []],
  ['77', `{"$not":[{"$eq":[${x},{"$literal":null}]}]}`, []],
  ['78', `{"$eq":[${x},{"$literal":""}]}`, ['null', '""', 'missing']],
  ['79, with 5.5 by the rulings', `{"$not":[{"$eq":[${x},{"$literal":5}]}]}`, ['5.5', '-1', '"10"']],
  ['80, with 5.5 by the rulings', `{"$gt":[${x},{"$literal":1}]}`, ['5', '"5"', '5.0', '5.5', '"10"']],
  ['80', `{"$gt":[${as('double')},{"$literal":1}]}`, ['5', '"5"', '5.0', '5.5', '"10"']],
  ['80', `{"$gt":[${as('int')},{"$literal":1}]}`, ['5', '"5"', '5.0', '"10"']],
  ['81', `{"$gt":[${x},{"$literal":"1"}]}`, ['5', '"5"', '5.0', '5.5', 'true', '{}', '[1,2]', '"Hello World"', '"10"']],
  [
    '81, really tested by the rulings',
    `{"$eq":[${as('exists')},{"$literal":true}]}`,
    all.filter((id) => id !== 'null' && id !== 'missing'),
  ],
  ['81, really tested by the rulings', `{"$eq":[${as('exists')},{"$literal":false}]}`, ['null', 'missing']],
  ['82', `{"$contains":{"input":${x},"substr":{"$literal":"hello"}}}`, []],
  ['82', `{"$contains":{"input":${x},"substr":{"$literal":"hello"},"case_insensitive":true}}`, ['"Hello World"']],
  ['82', `{"$contains":{"input":${x},"substr":{"$literal":""}}}`, all],
  ['82', `{"$in":[${x},[{"$literal":5}]]}`, ['5', '"5"', '5.0']],
  ['82', `{"$in":[${x},[]]}`, []],
  ['82', `{"$in":[${x},[{"$literal":5},{"$literal":"Hello World"}]]}`, ['"Hello World"']],
  ['82', `{"$in":[${x},[{"$literal":true}]]}`, ['true']],
  ['83', '{"$eq":[{"$getField":"inputs.x.0"},{"$literal":1}]}', ['[1,2]']],
  ['84', `{"$gt":[{"$size":${x}},{"$literal":3}]}`, ['true', '[1,2]', '"Hello World"']],
  ['79', `{"$not":[{"$in":[${x},[{"$literal":5}]]}]}`, ['5.5', '-1', '"10"']],
  ['80', `{"$lt":[{"$literal":1},${x}]}`, ['5', '"5"', '5.0', '5.5', '"10"']],
  ['76', `{"$eq":[${as('bool')},{"$literal":true}]}`, ['true']],
  ['75', `{"$eq":[${as('string')},{"$literal":"5"}]}`, ['5', '"5"', '5.0']],
])('row %s: %s', async (_row, expr, expected) => {
  expect(await project.ids({ expr })).toEqual(expected);
  expect((await project.count({ expr })).count).toBe(expected.length);
});

test('row 67: ascending, numbers come first, then other text, then what has no value', async () => {
  const ids = await project.ids({ sortBy: [{ field: 'inputs.x', direction: 'asc' }] });
  expect(ids[0]).toBe('-1');
  expect(new Set(ids.slice(1, 4))).toEqual(new Set(['5', '"5"', '5.0']));
  expect(ids.slice(4, 11)).toEqual(['5.5', '"10"', '""', '"Hello World"', '[1,2]', 'true', '{}']);
  expect(new Set(ids.slice(11))).toEqual(new Set(['null', 'missing']));
});

test('row 67: descending, what has no value still comes last', async () => {
  const ids = await project.ids({ sortBy: [{ field: 'inputs.x', direction: 'desc' }] });
  expect(ids.slice(0, 2)).toEqual(['"10"', '5.5']);
  expect(new Set(ids.slice(2, 5))).toEqual(new Set(['5', '"5"', '5.0']));
  expect(ids.slice(5, 11)).toEqual(['-1', '{}', 'true', '[1,2]', '"Hello World"', '""']);
  expect(new Set(ids.slice(11))).toEqual(new Set(['null', 'missing']));
});

test('ties of a JSON sort fall to the id, descending', async () => {
  const ids = await project.ids({ sortBy: [{ field: 'inputs.nowhere', direction: 'asc' }] });
  expect(ids).toEqual([...all].sort().reverse());
});
