import { afterAll, expect, test } from 'vitest';
import { openCallStore, testProject } from '../testing/call-store.ts';
import type { RefExpansion } from './resolve-expansions.ts';

const store = await openCallStore();
afterAll(() => store.close());

const ref = (name: string) => `weave:///e/p/object/${name}:1`;
const objects = new Map([
  [ref('gpt'), `{"name":"gpt","config":"${ref('hot')}","n":1.0}`],
  [ref('bert'), `{"name":"bert","config":"${ref('cold')}"}`],
  [ref('hot'), '{"temperature":1}'],
  [ref('cold'), '{"temperature":0,"_ref":"own"}'],
  [ref('text'), '"just text"'],
]);

function expand(paths: string[], returnsValues = true): { expansion: RefExpansion } {
  const resolveRefs = async (refs: string[]) =>
    new Map(refs.flatMap((each) => (objects.has(each) ? [[each, objects.get(each)!]] : [])));
  return { expansion: { paths, returnsValues, resolveRefs } };
}

const eq = (path: string, value: unknown) => `{"$eq":[{"$getField":"${path}"},{"$literal":${JSON.stringify(value)}}]}`;

async function modelCalls() {
  const project = testProject(store.clickhouse);
  await project.write(
    { id: 'gpt', inputs: `{"a":1.0,"m":"${ref('gpt')}"}`, output: `"${ref('text')}"` },
    { id: 'bert', inputs: `{"m":"${ref('bert')}"}` },
    { id: 'plain', inputs: '{"m":{"name":"gpt","config":{"temperature":1}}}' },
    { id: 'unknown', inputs: `{"m":"${ref('unknown')}"}` },
    { id: 'none' },
  );
  return project;
}

test('replaces refs with their values, and leaves the rest of the payload unchanged [calls 65]', async () => {
  const project = await modelCalls();
  const calls = await project.read(expand(['inputs.m', 'inputs.m.config', 'output']));
  expect(calls.map(({ inputs }) => inputs)).toEqual([
    `{"a":1.0,"m":{"name":"gpt","config":{"temperature":1,"_ref":"${ref('hot')}"},"n":1.0,"_ref":"${ref('gpt')}"}}`,
    `{"m":{"name":"bert","config":{"temperature":0,"_ref":"own"},"_ref":"${ref('bert')}"}}`,
    '{"m":{"name":"gpt","config":{"temperature":1}}}',
    `{"m":"${ref('unknown')}"}`,
    '{}',
  ]);
  expect(calls[0]!.output).toBe('"just text"');
});

test('returns refs as refs if only filters and sorts expand them [calls 65]', async () => {
  const project = await modelCalls();
  const [call] = await project.read({ ...expand(['inputs.m'], false), expr: eq('inputs.m.name', 'gpt') });
  expect(call!.inputs).toBe(`{"a":1.0,"m":"${ref('gpt')}"}`);
});

test('a query compares fields of objects behind refs and of inline objects [calls 66]', async () => {
  const project = await modelCalls();
  expect(await project.ids({ ...expand(['inputs.m']), expr: eq('inputs.m.name', 'gpt') })).toEqual(['gpt', 'plain']);
  expect((await project.count({ ...expand(['inputs.m']), expr: eq('inputs.m.name', 'gpt') })).count).toBe(2);
  expect(await project.ids({ expr: eq('inputs.m.name', 'gpt') })).toEqual(['plain']);
});

test('a query follows every ref on its path [calls 66]', async () => {
  const project = await modelCalls();
  const expr = eq('inputs.m.config.temperature', 1);
  expect(await project.ids({ ...expand(['inputs.m.config', 'inputs.m']), expr })).toEqual(['gpt', 'plain']);
  expect(await project.ids({ ...expand(['inputs.m']), expr })).toEqual(['plain']);
});

test('sorts calls by values behind refs', async () => {
  const project = await modelCalls();
  const request = expand(['inputs.m', 'inputs.m.config']);
  const ids = await project.ids({ ...request, sortBy: [{ field: 'inputs.m.config.temperature', direction: 'asc' }] });
  expect(ids).toEqual(['bert', 'plain', 'gpt', 'unknown', 'none']);
});

test('rejects a query that expands refs at more than ten paths', async () => {
  const project = await modelCalls();
  const paths = Array.from({ length: 11 }, (_, i) => `inputs.${Array.from({ length: i + 1 }, () => 'a').join('.')}`);
  const read = project.ids({ ...expand(paths), expr: eq(`${paths.at(-1)}.a`, 1) });
  await expect(read).rejects.toMatchObject({ kind: 'invalidInput' });
});

test('accepts ten nested paths with refs', async () => {
  const project = await modelCalls();
  const paths = Array.from({ length: 10 }, (_, i) => `inputs.${Array.from({ length: i + 1 }, () => 'a').join('.')}`);
  expect(await project.ids({ ...expand(paths), expr: eq(`${paths.at(-1)}.a`, 1) })).toEqual([]);
});
