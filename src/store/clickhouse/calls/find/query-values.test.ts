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

test.each<[name: string, expr: string, expected: string[]]>([
  ['$eq 5 finds 5, "5" and 5.0 [calls 74]', `{"$eq":[${x},{"$literal":5}]}`, ['5', '"5"', '5.0']],
  ['$eq 5.0 finds 5, "5" and 5.0 [calls 74]', `{"$eq":[${x},{"$literal":5.0}]}`, ['5', '"5"', '5.0']],
  ['$eq "5" finds 5, "5" and 5.0 [calls 75]', `{"$eq":[${x},{"$literal":"5"}]}`, ['5', '"5"', '5.0']],
  ['$eq true finds true [calls 76]', `{"$eq":[${x},{"$literal":true}]}`, ['true']],
  ['$eq null finds nothing [calls 77]', `{"$eq":[${x},{"$literal":null}]}`, []],
  ['$not $eq null finds nothing [calls 77]', `{"$not":[{"$eq":[${x},{"$literal":null}]}]}`, []],
  ['$eq "" finds null, "" and missing values [calls 78]', `{"$eq":[${x},{"$literal":""}]}`, ['null', '""', 'missing']],
  ['$not $eq 5 finds other numbers only [calls 79]', `{"$not":[{"$eq":[${x},{"$literal":5}]}]}`, ['5.5', '-1', '"10"']],
  ['$gt 1 finds larger numbers [calls 80]', `{"$gt":[${x},{"$literal":1}]}`, ['5', '"5"', '5.0', '5.5', '"10"']],
  [
    '$gt 1 finds larger numbers after $convert to double [calls 80]',
    `{"$gt":[${as('double')},{"$literal":1}]}`,
    ['5', '"5"', '5.0', '5.5', '"10"'],
  ],
  [
    '$gt 1 finds larger integers after $convert to int [calls 80]',
    `{"$gt":[${as('int')},{"$literal":1}]}`,
    ['5', '"5"', '5.0', '"10"'],
  ],
  [
    '$gt "1" compares as text [calls 81]',
    `{"$gt":[${x},{"$literal":"1"}]}`,
    ['5', '"5"', '5.0', '5.5', 'true', '{}', '[1,2]', '"Hello World"', '"10"'],
  ],
  [
    '$convert to exists is true for present values [calls 81]',
    `{"$eq":[${as('exists')},{"$literal":true}]}`,
    all.filter((id) => id !== 'null' && id !== 'missing'),
  ],
  [
    '$convert to exists is false for null and missing values [calls 81]',
    `{"$eq":[${as('exists')},{"$literal":false}]}`,
    ['null', 'missing'],
  ],
  ['$contains is case-sensitive [calls 82]', `{"$contains":{"input":${x},"substr":{"$literal":"hello"}}}`, []],
  [
    '$contains ignores case if asked [calls 82]',
    `{"$contains":{"input":${x},"substr":{"$literal":"hello"},"case_insensitive":true}}`,
    ['"Hello World"'],
  ],
  ['$contains "" finds every call [calls 82]', `{"$contains":{"input":${x},"substr":{"$literal":""}}}`, all],
  ['$in [5] finds 5, "5" and 5.0 [calls 82]', `{"$in":[${x},[{"$literal":5}]]}`, ['5', '"5"', '5.0']],
  ['$in [] finds nothing [calls 82]', `{"$in":[${x},[]]}`, []],
  [
    '$in with a number and text compares as text [calls 82]',
    `{"$in":[${x},[{"$literal":5},{"$literal":"Hello World"}]]}`,
    ['"Hello World"'],
  ],
  ['$in [true] finds true [calls 82]', `{"$in":[${x},[{"$literal":true}]]}`, ['true']],
  [
    'a number in a path is an index of a list [calls 83]',
    '{"$eq":[{"$getField":"inputs.x.0"},{"$literal":1}]}',
    ['[1,2]'],
  ],
  [
    '$size is the length of the stored text [calls 84]',
    `{"$gt":[{"$size":${x}},{"$literal":3}]}`,
    ['true', '[1,2]', '"Hello World"'],
  ],
  [
    '$not $in [5] finds other numbers only [calls 79]',
    `{"$not":[{"$in":[${x},[{"$literal":5}]]}]}`,
    ['5.5', '-1', '"10"'],
  ],
  [
    '$lt with the literal first finds larger numbers [calls 80]',
    `{"$lt":[{"$literal":1},${x}]}`,
    ['5', '"5"', '5.0', '5.5', '"10"'],
  ],
  ['$eq true finds true after $convert to bool [calls 76]', `{"$eq":[${as('bool')},{"$literal":true}]}`, ['true']],
  [
    '$eq "5" finds 5, "5" and 5.0 after $convert to string [calls 75]',
    `{"$eq":[${as('string')},{"$literal":"5"}]}`,
    ['5', '"5"', '5.0'],
  ],
])('%s', async (_name, expr, expected) => {
  expect(await project.ids({ expr })).toEqual(expected);
  expect((await project.count({ expr })).count).toBe(expected.length);
});

test('sorts numbers ascending, then other text, then null and missing values [calls 67]', async () => {
  const ids = await project.ids({ sortBy: [{ field: 'inputs.x', direction: 'asc' }] });
  expect(ids[0]).toBe('-1');
  expect(new Set(ids.slice(1, 4))).toEqual(new Set(['5', '"5"', '5.0']));
  expect(ids.slice(4, 11)).toEqual(['5.5', '"10"', '""', '"Hello World"', '[1,2]', 'true', '{}']);
  expect(new Set(ids.slice(11))).toEqual(new Set(['null', 'missing']));
});

test('sorts null and missing values last in descending order too [calls 67]', async () => {
  const ids = await project.ids({ sortBy: [{ field: 'inputs.x', direction: 'desc' }] });
  expect(ids.slice(0, 2)).toEqual(['"10"', '5.5']);
  expect(new Set(ids.slice(2, 5))).toEqual(new Set(['5', '"5"', '5.0']));
  expect(ids.slice(5, 11)).toEqual(['-1', '{}', 'true', '[1,2]', '"Hello World"', '""']);
  expect(new Set(ids.slice(11))).toEqual(new Set(['null', 'missing']));
});

test('breaks the ties of a JSON sort by id descending', async () => {
  const ids = await project.ids({ sortBy: [{ field: 'inputs.nowhere', direction: 'asc' }] });
  expect(ids).toEqual([...all].sort().reverse());
});
