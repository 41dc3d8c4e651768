import { beforeEach, describe, expect, test } from 'vitest';
import { type TestAnswer, testServer } from '../testing/server.ts';

const server = await testServer();
let project: string;
beforeEach(async () => {
  project = await server.newProject();
});

const op = { _type: 'CustomWeaveType', weave_type: { type: 'Op' }, files: { 'obj.py': 'x' } };
const typed = (...bases: string[]) => ({ _bases: bases, _class_name: bases[0] === 'Foo' ? 'Sub' : 'Foo' });
const foo = typed('Object', 'BaseModel');

function create(objectId: string, val: unknown, more: object = {}): Promise<TestAnswer> {
  return server.post('/obj/create', { obj: { project_id: project, object_id: objectId, val, ...more } });
}

async function publish(objectId: string, val: unknown): Promise<string> {
  const { status, json, text } = await create(objectId, val);
  if (status !== 200) throw new Error(text);
  return json.digest;
}

function read(objectId: string, digest: string, more: object = {}): Promise<TestAnswer> {
  return server.post('/obj/read', { project_id: project, object_id: objectId, digest, ...more });
}

async function query(more: object = {}): Promise<TestAnswer['json'][]> {
  const { status, json, text } = await server.post('/objs/query', { project_id: project, ...more });
  if (status !== 200) throw new Error(text);
  return json.objs;
}

function remove(objectId: string, digests: string[] | null): Promise<TestAnswer> {
  return server.post('/obj/delete', { project_id: project, object_id: objectId, digests });
}

describe('versions', () => {
  test('each new content is a version, and the last one is latest [objects 21]', async () => {
    await publish('cfg', { lr: 0.1 });
    await publish('cfg', { lr: 0.2 });
    const objs = await query();
    expect(objs.map((obj) => [obj.version_index, obj.is_latest, obj.val])).toEqual([
      [0, 0, { lr: 0.1 }],
      [1, 1, { lr: 0.2 }],
    ]);
    expect((await read('cfg', 'latest')).json.obj.version_index).toBe(1);
  });

  test('the same content again is not a new version, but becomes latest [objects 22]', async () => {
    const first = await publish('cfg', { lr: 0.1 });
    await publish('cfg', { lr: 0.2 });
    expect(await publish('cfg', { lr: 0.1 })).toBe(first);
    const objs = await query({ filter: { object_ids: ['cfg'] } });
    expect(objs).toHaveLength(2);
    expect((await read('cfg', 'latest')).json.obj).toMatchObject({ version_index: 0, digest: first, is_latest: 1 });
  });

  test('reads versions by their index, and answers unknown words with 404 [objects 23 24 25]', async () => {
    await publish('cfg', 1);
    await publish('cfg', 2);
    for (const [word, index] of [
      ['v0', 0],
      ['v1', 1],
      ['v01', 1],
      ['v 1', 1],
    ] as const) {
      expect((await read('cfg', word)).json.obj.version_index).toBe(index);
    }
    for (const word of ['v2', 'v-1', 'v99999999999999999999', 'prod', 'a'.repeat(43)]) {
      const { status, json } = await read('cfg', word);
      expect([status, json]).toEqual([404, { reason: `Obj cfg:${word} not found` }]);
    }
  });

  test('returns the value, tags and aliases only as asked [objects 26 27 28]', async () => {
    const digest = await publish('cfg', { a: 1 });
    const plain = (await read('cfg', 'latest', { metadata_only: true })).json.obj;
    expect(plain).toMatchObject({ project_id: project, object_id: 'cfg', digest, val: {}, tags: null, aliases: null });
    expect(plain.wb_user_id).toEqual(expect.any(String));
    expect(plain.created_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(plain).toMatchObject({ deleted_at: null, size_bytes: null });
    const labelled = (await read('cfg', 'latest', { include_tags_and_aliases: true })).json.obj;
    expect(labelled).toMatchObject({ tags: [], aliases: ['latest'] });
  });

  test('fifty concurrent publications get fifty consecutive indices, and all can be read', async () => {
    const digests = await Promise.all(Array.from({ length: 50 }, (_, i) => publish('busy', { i })));
    const objs = await query({ filter: { object_ids: ['busy'] } });
    expect(objs.map((obj) => obj.version_index).sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i));
    expect(new Set(objs.map((obj) => obj.digest))).toEqual(new Set(digests));
    expect(objs.filter((obj) => obj.is_latest === 1)).toHaveLength(1);
  });

  test('of concurrent publications that expect one latest version, one is published', async () => {
    const latest = await publish('edited', { by: 'all' });
    const answers = await Promise.all([1, 2, 3].map((by) => create('edited', { by }, { expected_latest: latest })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(answers.find(({ status }) => status === 409)!.json.reason).toMatch(
      /The latest version of 'edited' is \S{43}/,
    );
    expect(await query({ filter: { object_ids: ['edited'] } })).toHaveLength(2);
    expect((await create('new', 1, { expected_latest: latest })).status).toBe(409);
  });

  test('the same content published concurrently is one version', async () => {
    await Promise.all(Array.from({ length: 10 }, () => publish('same', { a: 1 })));
    expect(await query()).toHaveLength(1);
  });
});

describe('names', () => {
  test.each([['a b'], ['a/b'], ['a:b']])('rejects the name %j [objects 29]', async (name) => {
    const { status, json } = await create(name, 1);
    expect(status).toBe(422);
    expect(json.reason).toContain(`Invalid object name: ${name}. Contains invalid characters`);
  });

  test('accepts 1 to 128 characters, also beyond ASCII [objects 30 31 32]', async () => {
    expect(await create('', 1)).toMatchObject({ status: 422, json: { reason: 'Object name cannot be empty' } });
    expect((await create('a'.repeat(128), 1)).status).toBe(200);
    const long = await create('a'.repeat(129), 1);
    expect([long.status, long.json.reason]).toEqual([400, expect.stringContaining('Max length is 128')]);
    expect((await create('é', 1)).status).toBe(200);
  });

  test('rejects a version of another class [objects 33]', async () => {
    await publish('cfg', { a: 1 });
    const { status, json } = await create('cfg', foo);
    expect(status).toBe(400);
    expect(json.reason).toBe(
      "Cannot publish 'cfg' as a Foo: that name is already used by a generic (untyped) object in this project. " +
        'Object versions cannot share types, publish this object under a different name.',
    );
    const long = 'n'.repeat(128);
    await publish(long, 1);
    expect((await create(long, { ...foo, name: `${long}x` })).json.reason).toContain(`The object is named '${long}x'.`);
  });

  test('an op with the name of an object is numbered apart and becomes latest [objects 34 35]', async () => {
    await publish('cfg', { a: 1 });
    const digest = await publish('cfg', op);
    expect((await read('cfg', 'latest')).json.obj).toMatchObject({ kind: 'op', version_index: 0, digest });
    expect(await query({ filter: { is_op: false, latest_only: true } })).toEqual([]);
    expect((await read('cfg', 'v0')).json.obj.kind).toBe('object');
  });
});

describe('classes', () => {
  test.each([
    [
      'the first known base is the base class [objects 36]',
      { _bases: ['Model', 'Object', 'BaseModel'], _class_name: 'Bar' },
      'Model',
      'Bar',
    ],
    [
      'a known base after another one is the base class [objects 37]',
      typed('Foo', 'Model', 'Object', 'BaseModel'),
      'Model',
      'Sub',
    ],
    ['a direct subclass of Object is its own base class [objects 38]', foo, 'Foo', 'Foo'],
    ['a value that is not an Object has no class [objects 39]', typed('BaseModel'), null, null],
  ])('%s', async (_, val, base, leaf) => {
    await publish('x', val);
    const { obj } = (await read('x', 'latest')).json;
    expect([obj.base_object_class, obj.leaf_object_class]).toEqual([base, leaf]);
  });

  test.each([
    ['rejects an unknown builtin class [objects 40]', { a: 1 }, 'Nope', 400, 'Unknown object class: Nope'],
    [
      'rejects a property of Object as a builtin class [objects 40]',
      { a: 1 },
      'constructor',
      400,
      'Unknown object class: constructor',
    ],
    [
      'rejects a builtin class for a string [objects 41]',
      'text',
      'Leaderboard',
      400,
      'object_class cannot be provided for non-dict objects',
    ],
    [
      'rejects a builtin class that is not the class of the value [objects 42]',
      foo,
      'Bar',
      400,
      "object_class must match val's defined object class: Foo != Bar",
    ],
    [
      'rejects a provider with a private base_url [objects 46]',
      { base_url: 'http://127.0.0.1/', api_key_name: 'K' },
      'Provider',
      400,
      'base_url is not a valid provider URL',
    ],
  ])('%s', async (_, val, builtin, status, reason) => {
    const answer = await create('x', val, { builtin_object_class: builtin });
    expect([answer.status, answer.json]).toEqual([status, { reason }]);
    expect(await query()).toEqual([]);
  });

  test.each([
    [
      'rejects an unknown key of LLMStructuredCompletionModel [objects 44]',
      { llm_model_id: 'gpt-4o', extra: 1 },
      'LLMStructuredCompletionModel',
      ['body', 'obj', 'val', 'extra'],
    ],
    [
      'rejects an AnnotationSpec with an invalid JSON Schema [objects 47]',
      { field_schema: { type: 'no such type' } },
      'AnnotationSpec',
      ['body', 'obj', 'val', 'field_schema'],
    ],
  ])('%s', async (_, val, builtin, loc) => {
    const answer = await create('x', val, { builtin_object_class: builtin });
    expect(answer.status).toBe(422);
    expect(answer.json.detail[0].loc).toEqual(loc);
    expect(await query()).toEqual([]);
  });

  test('a builtin class adds its defaults and drops unknown keys [objects 43 45 48]', async () => {
    const board = await create('b', { columns: [] }, { set_base_object_class: 'Leaderboard' });
    expect(board.json.digest).toBe('khZGp0XTiejKtPu9L94JwC34r8MrVp4zo230eqacQp8');
    const model = await create(
      'm',
      { llm_model_id: 'gpt-4o' },
      { builtin_object_class: 'LLMStructuredCompletionModel' },
    );
    expect(model.json.digest).toBe('2xqwmfWtqCL7VPjZ5eCWqjnRXvqIXsj17UXGMLNql68');
    expect((await read('m', 'latest')).json.obj.base_object_class).toBe('Model');
    await create('a', { later: 1 }, { builtin_object_class: 'AnnotationSpec' });
    expect((await read('a', 'latest')).json.obj.val).not.toHaveProperty('later');
  });

  test('rejects a monitor whose query names an unknown field [objects 49]', async () => {
    const monitor = (path: string) => ({
      _bases: ['Object', 'BaseModel'],
      _class_name: 'Monitor',
      query: { $expr: { $eq: [{ $getField: path }, { $literal: 'x' }] } },
    });
    expect((await create('bad', monitor('bogus_field'))).status).toBe(422);
    expect((await create('good', monitor('op_name'))).status).toBe(200);
    expect((await create('odd', { ...monitor('op_name'), query: 'not a query' })).status).toBe(200);
    const fromPython = (path: string) => ({ ...monitor(path).query, _type: 'Query', _bases: ['BaseModel'] });
    expect((await create('bad', { ...monitor('x'), query: fromPython('bogus_field') })).status).toBe(422);
    expect((await create('good', { ...monitor('x'), query: fromPython('op_name') })).status).toBe(200);
  });

  test('ignores unknown keys beside obj [objects 50]', async () => {
    const obj = { project_id: project, object_id: 'x', val: 1 };
    expect((await server.post('/obj/create', { obj, later: true })).status).toBe(200);
  });
});

describe('queries', () => {
  const model = { _bases: ['Model', 'Object', 'BaseModel'], _class_name: 'Bar' };
  beforeEach(async () => {
    await publish('b', { n: 1 });
    await publish('a', { n: 2 });
    await publish('b', { n: 3 });
    await publish('m', model);
    await publish('f', op);
  });
  const names = async (more: object) => (await query(more)).map((obj) => `${obj.object_id}${obj.version_index}`);

  test.each<[string, object, string[]]>([
    ['returns all versions without a filter [objects 51]', {}, ['b0', 'a0', 'b1', 'm0', 'f0']],
    [
      'latest_only returns one version for each name and kind [objects 52]',
      { filter: { latest_only: true } },
      ['a0', 'b1', 'm0', 'f0'],
    ],
    ['empty object_ids do not filter [objects 53]', { filter: { object_ids: [] } }, ['b0', 'a0', 'b1', 'm0', 'f0']],
    [
      'base_object_classes excludes objects without a class [objects 54]',
      { filter: { base_object_classes: ['Model'] } },
      ['m0'],
    ],
    [
      'exclude_base_object_classes includes objects without a class [objects 55]',
      { filter: { exclude_base_object_classes: ['Model'] } },
      ['b0', 'a0', 'b1', 'f0'],
    ],
    [
      'sorts by digest in the default order [objects 56]',
      { sort_by: [{ field: 'digest', direction: 'asc' }] },
      ['b0', 'a0', 'b1', 'm0', 'f0'],
    ],
    [
      'pages through a sorted list [objects 57]',
      { sort_by: [{ field: 'object_id', direction: 'desc' }], limit: 1, offset: 1 },
      ['f0'],
    ],
    ['returns nothing for limit 0 [objects 59]', { limit: 0 }, []],
    ['finds versions by name', { filter: { object_ids: ['a', 'm', 'none'] } }, ['a0', 'm0']],
    ['finds versions by leaf class', { filter: { leaf_object_classes: ['Bar'] } }, ['m0']],
    ['finds ops', { filter: { is_op: true } }, ['f0']],
    [
      'excludes ops, with nulls as the SDK sends them',
      { filter: { is_op: false, object_ids: null, tags: null } },
      ['b0', 'a0', 'b1', 'm0'],
    ],
    [
      'finds versions with any of the aliases [objects 89]',
      { filter: { aliases: ['latest', 'prod'] } },
      ['a0', 'b1', 'm0', 'f0'],
    ],
    ['finds nothing by an unknown tag [objects 88]', { filter: { tags: ['x'] } }, []],
    ['sorts newest first', { sort_by: [{ field: 'created_at', direction: 'desc' }], limit: 2 }, ['f0', 'm0']],
  ])('%s', async (_, more, expected) => {
    const found = await names(more);
    const isSorted = 'sort_by' in more;
    expect(isSorted ? found : found.sort()).toEqual(isSorted ? expected : expected.toSorted());
  });

  test('rejects an unknown sort direction and negative pages [objects 58 59]', async () => {
    const bad = (more: object) => server.post('/objs/query', { project_id: project, ...more });
    expect((await bad({ sort_by: [{ field: 'object_id', direction: 'up' }] })).status).toBe(422);
    expect(await bad({ limit: -1 })).toMatchObject({
      status: 400,
      json: { reason: 'Limit must be a positive integer' },
    });
    expect((await bad({ offset: -1 })).status).toBe(400);
  });

  test('the storage size is the length of the canonical text [objects 60]', async () => {
    const [obj] = await query({ filter: { object_ids: ['a'] }, include_storage_size: true, metadata_only: true });
    expect(obj).toMatchObject({ size_bytes: 8, val: {} });
    const [labelled] = await query({ filter: { object_ids: ['a'] }, include_tags_and_aliases: true });
    expect(labelled).toMatchObject({ size_bytes: null, tags: [], aliases: ['latest'] });
  });

  test('another project has none of them', async () => {
    project = await server.newProject();
    expect(await query()).toEqual([]);
    expect((await read('a', 'latest')).status).toBe(404);
  });
});

describe('deletions', () => {
  let digests: string[];
  beforeEach(async () => {
    digests = [await publish('cfg', { n: 0 }), await publish('cfg', { n: 1 }), await publish('cfg', { n: 2 })];
  });
  const lives = async () => (await query()).map((obj) => obj.version_index);

  test('a deleted version is a 404 with its time of deletion, and cannot be deleted again [objects 61 62 63 65]', async () => {
    const { status, json } = await remove('cfg', [digests[0]!]);
    const entry = { digest: digests[0], base_object_class: null, leaf_object_class: null };
    expect([status, json]).toEqual([200, { num_deleted: 1, deleted_versions: [entry] }]);
    for (const word of [digests[0]!, 'v0']) {
      const answer = await read('cfg', word);
      expect(answer.status).toBe(404);
      expect(answer.json.deleted_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      expect(answer.json.reason).toContain('cfg:v0 was deleted at ');
    }
    expect((await remove('cfg', [digests[0]!])).status).toBe(404);
    expect(await lives()).toEqual([1, 2]);
  });

  test('latest falls back to the newest version that is left [objects 64]', async () => {
    await remove('cfg', [digests[2]!]);
    expect((await read('cfg', 'latest')).json.obj).toMatchObject({ version_index: 1, is_latest: 1 });
    await remove('cfg', null);
    const { status, json } = await read('cfg', 'latest');
    expect([status, json.reason]).toEqual([404, expect.stringContaining('cfg:v2 was deleted')]);
    expect(json).toHaveProperty('deleted_at');
  });

  test('deletes versions by index and by latest [objects 66]', async () => {
    expect((await remove('cfg', ['v1'])).json.deleted_versions[0].digest).toBe(digests[1]);
    expect((await remove('cfg', ['latest'])).json.deleted_versions[0].digest).toBe(digests[2]);
    expect(await lives()).toEqual([0]);
  });

  test('deletes nothing if one entry is invalid or there are too many [objects 67 68 70]', async () => {
    for (const words of [['v1', 'zzz'], ['v0', digests[0]!], ['prod'], ['v7']]) {
      expect((await remove('cfg', words)).status).toBe(404);
    }
    const many = Array.from({ length: 101 }, (_, i) => `v${i}`);
    expect(await remove('cfg', many)).toMatchObject({
      status: 400,
      json: { reason: 'Object delete request contains 101 objects. Please delete 100 or fewer objects at a time.' },
    });
    expect((await remove('none', null)).status).toBe(404);
    expect(await lives()).toEqual([0, 1, 2]);
  });

  test('an empty list deletes all versions, ops included [objects 71]', async () => {
    await publish('cfg', op);
    expect((await remove('cfg', [])).json.num_deleted).toBe(4);
    expect(await query()).toEqual([]);
  });

  test('deleted content published again keeps its index and is latest [objects 72]', async () => {
    await remove('cfg', [digests[0]!]);
    await publish('cfg', { n: 0 });
    expect((await read('cfg', 'latest')).json.obj).toMatchObject({
      version_index: 0,
      digest: digests[0],
      val: { n: 0 },
    });
    await publish('cfg', { n: 3 });
    expect((await read('cfg', 'latest')).json.obj.version_index).toBe(3);
  });

  test('a name without versions accepts another class and numbering goes on [objects 73]', async () => {
    await remove('cfg', null);
    expect((await create('cfg', foo)).status).toBe(200);
    expect((await read('cfg', 'latest')).json.obj).toMatchObject({ version_index: 3, base_object_class: 'Foo' });
    expect((await create('cfg', { n: 0 })).status).toBe(400);
  });
});
