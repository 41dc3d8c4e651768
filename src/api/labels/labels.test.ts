import { beforeEach, describe, expect, test } from 'vitest';
import { type TestAnswer, testServer } from '../testing/server.ts';

const server = await testServer();
let project: string;
/** Two versions of `cfg`. */
let digests: [string, string];
beforeEach(async () => {
  project = await server.newProject();
  digests = [await publish({ n: 0 }), await publish({ n: 1 })];
});

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
  test('an alias names its version [objects 74]', async () => {
    expect(await setAliases(digests[0], ['prod'])).toMatchObject({ status: 200, json: {} });
    expect((await read('prod')).json.obj).toMatchObject({ version_index: 0, digest: digests[0], aliases: ['prod'] });
    expect((await read('latest')).json.obj).toMatchObject({ version_index: 1, aliases: ['latest'] });
  });

  test('an alias set again moves to the other version [objects 75]', async () => {
    await setAliases(digests[0], ['prod', 'best']);
    await setAliases(digests[1], ['prod', 'prod']);
    expect((await read('prod')).json.obj.version_index).toBe(1);
    expect((await read('v0')).json.obj.aliases).toEqual(['best']);
    expect((await read('v1')).json.obj.aliases).toEqual(['latest', 'prod']);
  });

  test('aliases that differ in one character name different versions', async () => {
    const pairs = [
      ['a b', 'a-b'],
      ['prod', 'Prod'],
      ['caf\u00e9', 'cafe\u0301'],
      ['a%20b', 'a+b'],
      ['a.b', 'a?b#c'],
      ['日本語', '名前'],
    ];
    for (const [one, other] of pairs as [string, string][]) {
      expect(await setAliases(digests[0], [one])).toMatchObject({ status: 200 });
      expect(await setAliases(digests[1], [other])).toMatchObject({ status: 200 });
      expect([await read(one), await read(other)].map(({ json }) => json.obj.version_index)).toEqual([0, 1]);
    }
    expect(await list('aliases')).toEqual(expect.arrayContaining(pairs.flat()));
  });

  test('only a digest names the version that gets an alias [objects 76]', async () => {
    await setAliases(digests[0], ['prod']);
    for (const word of ['v1', 'latest', 'prod', 'none']) {
      const { status, json } = await setAliases(word, ['other']);
      expect([status, json]).toEqual([404, { reason: `Object version cfg:${word} not found` }]);
    }
    expect((await setAliases(digests[0], ['other'], 'another')).status).toBe(404);
    expect(await list('aliases')).toEqual(['latest', 'prod']);
  });

  test.each([['latest'], ['v3'], ['v03'], ['a/b'], ['a:b'], [''], [' '], ['a\0'], ['a'.repeat(129)]])(
    'rejects the alias %j [objects 77]',
    async (alias) => {
      const { status, json } = await setAliases(digests[0], [alias]);
      expect([status, json]).toEqual([400, { reason: expect.stringMatching(/^alias name must/) }]);
    },
  );

  test.each([['V3'], ['v3a'], ['Latest'], ['best one'], ['é'], ['a'.repeat(128)], ['😀'.repeat(128)]])(
    'accepts the alias %j [objects 78]',
    async (alias) => {
      expect((await setAliases(digests[0], [alias])).status).toBe(200);
      expect((await read(alias)).json.obj.version_index).toBe(0);
    },
  );

  test('sets no alias if one is invalid [objects 79]', async () => {
    expect((await setAliases(digests[0], ['good', 'a:b'])).status).toBe(400);
    expect(await list('aliases')).toEqual(['latest']);
  });

  test('accepts the removal of an unknown alias [objects 80]', async () => {
    expect(await removeAliases(['none'], 'unknown')).toMatchObject({ status: 200, json: {} });
    expect((await removeAliases([])).status).toBe(200);
  });

  test('latest cannot be removed or moved [objects 81]', async () => {
    expect((await removeAliases(['latest'])).status).toBe(400);
    expect((await removeAliases(['v3'])).status).toBe(400);
    expect((await setAliases(digests[0], ['latest'])).status).toBe(400);
    expect((await read('latest')).json.obj.version_index).toBe(1);
  });

  test('lists the aliases of a project sorted, each once [objects 82]', async () => {
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

  test('a filter finds versions with any of the aliases [objects 89]', async () => {
    await setAliases(digests[0], ['prod']);
    await publish({ n: 2 });
    expect(await indicesOf({ aliases: ['latest', 'prod'] })).toEqual([0, 2]);
    expect(await indicesOf({ aliases: ['prod'] })).toEqual([0]);
  });

  test('an alias of 43 letters can be set but is read as a digest [objects 91]', async () => {
    expect((await setAliases(digests[0], ['a'.repeat(43)])).status).toBe(200);
    expect((await read('a'.repeat(43))).status).toBe(404);
  });

  test('a version cannot be deleted by an alias [objects 69]', async () => {
    await setAliases(digests[0], ['prod']);
    expect((await deleteVersion(['prod'])).status).toBe(404);
    expect((await read('prod')).status).toBe(200);
  });

  test('an alias set concurrently on two versions names one of them', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => setAliases(digests[i % 2]!, i % 3 ? ['x', 'y'] : ['y', 'x'])),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const objs = [await read('v0'), await read('v1')].flatMap(({ json }) => json.obj.aliases);
    expect(objs.sort()).toEqual(['latest', 'x', 'y']);
  });

  test('decodes the name of the object in the path', async () => {
    const digest = await publish(1, 'é.b-c');
    expect((await setAliases(digest, ['prod'], encodeURIComponent('é.b-c'))).status).toBe(200);
    expect((await read('prod', 'é.b-c')).json.obj.digest).toBe(digest);
    expect((await setAliases(digest, ['prod'], '%00')).status).toBe(400);
  });

  test('rejects missing fields and fields of another type', async () => {
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
  test.each([['a b'], ['é-ok'], ['_'], ['日本 2'], ['a'.repeat(256)]])(
    'accepts the tag %j [objects 83]',
    async (tag) => {
      expect(await addTags(digests[0], [tag])).toMatchObject({ status: 200, json: {} });
      expect((await read('v0')).json.obj.tags).toEqual([tag]);
    },
  );

  test.each([['a  b'], [' a'], ['a '], ['a.b'], ['a\n'], [''], ['a'.repeat(257)]])(
    'rejects the tag %j [objects 84]',
    async (tag) => {
      const { status, json } = await addTags(digests[0], ['good', tag]);
      expect([status, json]).toEqual([400, { reason: expect.stringMatching(/^tag name must/) }]);
      expect(await list('tags')).toEqual([]);
    },
  );

  test('rejects a tag on an unknown version, v0 or latest [objects 85]', async () => {
    for (const word of ['a'.repeat(43), 'v0', 'latest']) {
      const { status, json } = await addTags(word, ['x']);
      expect([status, json]).toEqual([404, { reason: `Object version cfg:${word} not found` }]);
    }
  });

  test('stores a tag once [objects 86]', async () => {
    await addTags(digests[0], ['b', 'a', 'b']);
    await addTags(digests[0], ['b']);
    expect((await read('v0')).json.obj.tags).toEqual(['a', 'b']);
    expect(await list('tags')).toEqual(['a', 'b']);
  });

  test('accepts the removal of a tag that is not set [objects 87]', async () => {
    await addTags(digests[0], ['a', 'b']);
    expect(await removeTags(digests[0], ['b', 'absent', 'not.valid'])).toMatchObject({ status: 200, json: {} });
    expect((await removeTags('unknown', ['a'], 'unknown')).status).toBe(200);
    expect((await read('v0')).json.obj.tags).toEqual(['a']);
  });

  test('a filter finds versions with any of the tags [objects 88]', async () => {
    await addTags(digests[0], ['x']);
    await addTags(digests[1], ['y']);
    await publish({ n: 2 });
    expect(await indicesOf({ tags: ['x', 'y'] })).toEqual([0, 1]);
    expect(await indicesOf({ tags: ['y', 'none'] })).toEqual([1]);
  });

  test('a deleted version loses its tags and aliases [objects 90]', async () => {
    await addTags(digests[0], ['old']);
    await setAliases(digests[0], ['prod']);
    await deleteVersion([digests[0]]);
    expect([await list('tags'), await list('aliases')]).toEqual([[], ['latest']]);
    expect((await read('prod')).status).toBe(404);
    expect(await indicesOf({ tags: ['old'] })).toEqual([]);
    expect((await addTags(digests[0], ['new'])).status).toBe(404);
    expect((await setAliases(digests[0], ['new'])).status).toBe(404);
  });

  test('a version published again has none of its old tags and aliases [objects 72]', async () => {
    await addTags(digests[0], ['old']);
    await setAliases(digests[0], ['prod']);
    await deleteVersion([digests[0]]);
    await publish({ n: 0 });
    expect((await read('v0')).json.obj).toMatchObject({ tags: [], aliases: ['latest'] });
  });
});
