import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestAnswer, type TestServer } from '../testing/server.ts';

let server: TestServer;
let project: string;
/** Two versions of `cfg`. */
let digests: [string, string];
beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  project = await server.newProject();
  digests = [await publish({ n: 0 }), await publish({ n: 1 })];
});
afterAll(() => server.close());

async function publish(val: unknown, objectId = 'cfg'): Promise<string> {
  const { json, text } = await server.post('/obj/create', { obj: { project_id: project, object_id: objectId, val } });
  if (!json?.digest) throw new Error(text);
  return json.digest;
}

function read(digest: string, objectId = 'cfg'): Promise<TestAnswer> {
  const body = { project_id: project, object_id: objectId, digest, include_tags_and_aliases: true };
  return server.post('/obj/read', body);
}

async function indicesOf(filter: object): Promise<number[]> {
  const { json } = await server.post('/objs/query', { project_id: project, filter });
  return json.objs.map((obj: { version_index: number }) => obj.version_index);
}

const setAliases = (digest: string, aliases: string[], objectId = 'cfg') =>
  server.post(`/objs/${objectId}/aliases`, { project_id: project, digest, aliases }, { method: 'PUT' });

const removeAliases = (aliases: string[], objectId = 'cfg') =>
  server.post(`/objs/${objectId}/aliases/remove`, { project_id: project, aliases });

const addTags = (digest: string, tags: string[], objectId = 'cfg') =>
  server.post(`/objs/${objectId}/versions/${digest}/tags`, { project_id: project, tags }, { method: 'PUT' });

const removeTags = (digest: string, tags: string[], objectId = 'cfg') =>
  server.post(`/objs/${objectId}/versions/${digest}/tags/remove`, { project_id: project, tags });

const deleteVersion = (digests: string[]) =>
  server.post('/obj/delete', { project_id: project, object_id: 'cfg', digests });

const list = async (what: 'aliases' | 'tags') =>
  (await server.get(`/${what}?project_id=${encodeURIComponent(project)}`)).json[what];

describe('aliases', () => {
  test('row 74: an alias stands at its version', async () => {
    expect(await setAliases(digests[0], ['prod'])).toMatchObject({ status: 200, json: {} });
    expect((await read('prod')).json.obj).toMatchObject({ version_index: 0, digest: digests[0], aliases: ['prod'] });
    expect((await read('latest')).json.obj).toMatchObject({ version_index: 1, aliases: ['latest'] });
  });

  test('row 75: set again it moves, and the first version no longer has it', async () => {
    await setAliases(digests[0], ['prod', 'best']);
    await setAliases(digests[1], ['prod', 'prod']);
    expect((await read('prod')).json.obj.version_index).toBe(1);
    expect((await read('v0')).json.obj.aliases).toEqual(['best']);
    expect((await read('v1')).json.obj.aliases).toEqual(['latest', 'prod']);
  });

  test('row 76: only a digest names the version', async () => {
    await setAliases(digests[0], ['prod']);
    for (const word of ['v1', 'latest', 'prod', 'none']) {
      const { status, json } = await setAliases(word, ['other']);
      expect([status, json]).toEqual([404, { reason: `Object version cfg:${word} not found` }]);
    }
    expect((await setAliases(digests[0], ['other'], 'another')).status).toBe(404);
    expect(await list('aliases')).toEqual(['latest', 'prod']);
  });

  test.each([['latest'], ['v3'], ['v03'], ['a/b'], ['a:b'], [''], [' '], ['a\0'], ['a'.repeat(129)]])(
    'row 77: %j is refused',
    async (alias) => {
      const { status, json } = await setAliases(digests[0], [alias]);
      expect([status, json]).toEqual([400, { reason: expect.stringMatching(/^alias name must/) }]);
    },
  );

  test.each([['V3'], ['v3a'], ['Latest'], ['best one'], ['é'], ['a'.repeat(128)], ['😀'.repeat(128)]])(
    'row 78: %j is taken',
    async (alias) => {
      expect((await setAliases(digests[0], [alias])).status).toBe(200);
      expect((await read(alias)).json.obj.version_index).toBe(0);
    },
  );

  test('row 79: where one is wrong, none is set', async () => {
    expect((await setAliases(digests[0], ['good', 'a:b'])).status).toBe(400);
    expect(await list('aliases')).toEqual(['latest']);
  });

  test('row 80: removing what is not there', async () => {
    expect(await removeAliases(['none'], 'unknown')).toMatchObject({ status: 200, json: {} });
    expect((await removeAliases([])).status).toBe(200);
  });

  test('row 81: latest cannot be removed, nor moved', async () => {
    expect((await removeAliases(['latest'])).status).toBe(400);
    expect((await removeAliases(['v3'])).status).toBe(400);
    expect((await setAliases(digests[0], ['latest'])).status).toBe(400);
    expect((await read('latest')).json.obj.version_index).toBe(1);
  });

  test('row 82: all of a project, sorted, each once', async () => {
    await publish({ other: 1 }, 'other');
    await setAliases(digests[0], ['prod', 'Best']);
    await setAliases(await publish({ other: 1 }, 'other'), ['prod']);
    expect(await list('aliases')).toEqual(['Best', 'latest', 'prod']);
    await removeAliases(['prod'], 'other');
    expect(await list('aliases')).toEqual(['Best', 'latest', 'prod']);
    await removeAliases(['prod']);
    expect(await list('aliases')).toEqual(['Best', 'latest']);
    expect((await read('prod')).status).toBe(404);
  });

  test('row 89: a filter by aliases finds the union', async () => {
    await setAliases(digests[0], ['prod']);
    await publish({ n: 2 });
    expect(await indicesOf({ aliases: ['latest', 'prod'] })).toEqual([0, 2]);
    expect(await indicesOf({ aliases: ['prod'] })).toEqual([0]);
  });

  test('row 91: an alias like a digest can be set, but is taken for a digest', async () => {
    expect((await setAliases(digests[0], ['a'.repeat(43)])).status).toBe(200);
    expect((await read('a'.repeat(43))).status).toBe(404);
  });

  test('row 69: no version is deleted by an alias of the user', async () => {
    await setAliases(digests[0], ['prod']);
    expect((await deleteVersion(['prod'])).status).toBe(404);
    expect((await read('prod')).status).toBe(200);
  });

  test('set to two versions by many at once, it stands at one of them', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => setAliases(digests[i % 2]!, i % 3 ? ['x', 'y'] : ['y', 'x'])),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const objs = [await read('v0'), await read('v1')].flatMap(({ json }) => json.obj.aliases);
    expect(objs.sort()).toEqual(['latest', 'x', 'y']);
  });

  test('the name of the object comes percent-encoded', async () => {
    const digest = await publish(1, 'é.b-c');
    expect((await setAliases(digest, ['prod'], encodeURIComponent('é.b-c'))).status).toBe(200);
    expect((await read('prod', 'é.b-c')).json.obj.digest).toBe(digest);
    expect((await setAliases(digest, ['prod'], '%00')).status).toBe(400);
  });

  test('what is missing or of another type', async () => {
    expect((await server.get('/aliases')).json.detail).toMatchObject([
      { type: 'missing', loc: ['query', 'project_id'] },
    ]);
    expect((await server.get('/aliases?project_id=ent%2Fnone')).status).toBe(404);
    const bare = await server.post('/objs/cfg/aliases', { project_id: project, aliases: 'prod' }, { method: 'PUT' });
    expect(bare.json.detail).toMatchObject([
      { type: 'missing', loc: ['body', 'digest'] },
      { type: 'list_type', loc: ['body', 'aliases'] },
    ]);
  });
});

describe('tags', () => {
  test.each([['a b'], ['é-ok'], ['_'], ['日本 2'], ['a'.repeat(256)]])('row 83: %j is taken', async (tag) => {
    expect(await addTags(digests[0], [tag])).toMatchObject({ status: 200, json: {} });
    expect((await read('v0')).json.obj.tags).toEqual([tag]);
  });

  test.each([['a  b'], [' a'], ['a '], ['a.b'], ['a\n'], [''], ['a'.repeat(257)]])(
    'row 84: %j is refused',
    async (tag) => {
      const { status, json } = await addTags(digests[0], ['good', tag]);
      expect([status, json]).toEqual([400, { reason: expect.stringMatching(/^tag name must/) }]);
      expect(await list('tags')).toEqual([]);
    },
  );

  test('row 85: an unknown version', async () => {
    for (const word of ['a'.repeat(43), 'v0', 'latest']) {
      const { status, json } = await addTags(word, ['x']);
      expect([status, json]).toEqual([404, { reason: `Object version cfg:${word} not found` }]);
    }
  });

  test('row 86: a tag is there once', async () => {
    await addTags(digests[0], ['b', 'a', 'b']);
    await addTags(digests[0], ['b']);
    expect((await read('v0')).json.obj.tags).toEqual(['a', 'b']);
    expect(await list('tags')).toEqual(['a', 'b']);
  });

  test('row 87: removing what is not there', async () => {
    await addTags(digests[0], ['a', 'b']);
    expect(await removeTags(digests[0], ['b', 'absent', 'not.valid'])).toMatchObject({ status: 200, json: {} });
    expect((await removeTags('unknown', ['a'], 'unknown')).status).toBe(200);
    expect((await read('v0')).json.obj.tags).toEqual(['a']);
  });

  test('row 88: a filter finds versions with any of the tags', async () => {
    await addTags(digests[0], ['x']);
    await addTags(digests[1], ['y']);
    await publish({ n: 2 });
    expect(await indicesOf({ tags: ['x', 'y'] })).toEqual([0, 1]);
    expect(await indicesOf({ tags: ['y', 'none'] })).toEqual([1]);
  });

  test('row 90: a deleted version takes its tags and aliases along', async () => {
    await addTags(digests[0], ['old']);
    await setAliases(digests[0], ['prod']);
    await deleteVersion([digests[0]]);
    expect([await list('tags'), await list('aliases')]).toEqual([[], ['latest']]);
    expect((await read('prod')).status).toBe(404);
    expect(await indicesOf({ tags: ['old'] })).toEqual([]);
    expect((await addTags(digests[0], ['new'])).status).toBe(404);
    expect((await setAliases(digests[0], ['new'])).status).toBe(404);
  });

  test('row 72: published again, the version has no tags from before', async () => {
    await addTags(digests[0], ['old']);
    await setAliases(digests[0], ['prod']);
    await deleteVersion([digests[0]]);
    await publish({ n: 0 });
    expect((await read('v0')).json.obj).toMatchObject({ tags: [], aliases: ['latest'] });
  });
});
