import { beforeEach, expect, test } from 'vitest';
import { askRunning } from '../../admin/client.ts';
import { readConfig } from '../../config.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();
let project: string;
let made = 0;
let target: { portfolio_name: string; entity_name: string; project_name: string };
beforeEach(async () => {
  project = await server.newProject();
  target = { portfolio_name: `prompts-${made++}`, entity_name: 'ent', project_name: 'wandb-registry-x' };
});

const ask = <Name extends 'registry.list' | 'users.create' | 'keys.create'>(name: Name, params: object) =>
  askRunning(readConfig({ data: server.data }, {}), name, params as never).then((asked) => asked!.answer);

async function publish(val: object): Promise<string> {
  const { json } = await server.post('/obj/create', { obj: { project_id: project, object_id: 'prompt', val } });
  return `weave:///${project}/object/prompt:${json.digest}`;
}

const link = (body: object, key = server.key) => server.post('/link_to_registry', { target, ...body }, { key });
const lines = async () =>
  (await ask('registry.list', {})).filter(({ collection }) => collection === target.portfolio_name);

test('versions are numbered in their collection, and the aliases move to the newest that names them [evaluations 153]', async () => {
  const [first, second] = [await publish({ a: 1 }), await publish({ a: 2 })];
  expect(await link({ ref: first, aliases: ['prod', 'old'] })).toMatchObject({
    status: 200,
    json: { version_index: 0 },
  });
  expect((await link({ ref: second, aliases: ['prod', 'prod'] })).json).toEqual({ version_index: 1 });
  expect((await link({ ref: first })).json).toEqual({ version_index: 0 });
  const place = { entity: 'ent', registry: 'wandb-registry-x', collection: target.portfolio_name };
  expect(await lines()).toEqual([
    { ...place, versionIndex: 1, aliases: ['prod'], ref: second, linkedAt: expect.any(String) },
    { ...place, versionIndex: 0, aliases: ['old'], ref: first, linkedAt: expect.any(String) },
  ]);
});

test('resolves latest and vN to the current version', async () => {
  const [first, second] = [await publish({ a: 1 }), await publish({ a: 2 })];
  await link({ ref: second.replace(/:\w+$/, ':latest') });
  await link({ ref: second.replace(/:\w+$/, ':v0') });
  expect((await lines()).map(({ ref }) => ref)).toEqual([first, second]);
});

test('links made at the same time get different indexes', async () => {
  const refs = [];
  for (let a = 0; a < 8; a++) refs.push(await publish({ a }));
  const answers = await Promise.all(refs.map((ref) => link({ ref })));
  expect(answers.map(({ json }) => json.version_index).sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test('rejects an empty ref [evaluations 152]', async () => {
  expect((await link({ ref: '' })).status).toBe(422);
  expect((await link({})).status).toBe(422);
});

test.each([
  ['no ref', { ref: 'prompt' }, 400],
  ['the ref of a call', { ref: 'weave:///ent/p0/call/x' }, 400],
  ['an alias with a slash', { aliases: ['a/b'] }, 400],
  ['the alias latest', { aliases: ['latest'] }, 400],
  ['too many aliases', { aliases: Array.from({ length: 101 }, (_, i) => `a${i}`) }, 400],
  ['a collection without a name', { target: { portfolio_name: '', entity_name: 'ent', project_name: 'r' } }, 400],
  ['an entity that does not exist', { target: { portfolio_name: 'p', entity_name: 'nobody', project_name: 'r' } }, 404],
])('rejects %s and links nothing', async (_what, body, status) => {
  const answer = await link({ ref: await publish({ a: 1 }), ...body });
  expect([answer.status, answer.json.reason]).toEqual([status, expect.any(String)]);
  expect(await lines()).toEqual([]);
});

test('rejects links to unknown or deleted versions', async () => {
  const ref = await publish({ a: 1 });
  expect((await link({ ref: ref.replace(/:\w+$/, ':v7') })).status).toBe(404);
  await server.post('/obj/delete', { project_id: project, object_id: 'prompt' });
  expect((await link({ ref })).status).toBe(404);
});

test("rejects links to another entity's registry or objects", async () => {
  const ref = await publish({ a: 1 });
  await ask('users.create', { name: 'outsider' });
  const { key } = await ask('keys.create', { user: 'outsider' });
  expect((await link({ ref }, key)).status).toBe(403);
  expect((await link({ ref, target: { ...target, entity_name: 'outsider' } }, key)).status).toBe(403);
  expect(await lines()).toEqual([]);
});
