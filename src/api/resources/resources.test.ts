import { beforeEach, describe, expect, test } from 'vitest';
import { testServer } from '../testing/server.ts';

const server = await testServer();
let project: string;
beforeEach(async () => {
  project = await server.newProject();
});

const create = (kind: string, body: unknown) => server.post(`/v2/${project}/${kind}`, body);
const list = (kind: string, query = '') => server.get(`/v2/${project}/${kind}${query}`);
const read = (kind: string, id: string, digest: string) =>
  server.get(`/v2/${project}/${kind}/${id}/versions/${digest}`);
const remove = (kind: string, id: string, query = '') =>
  server.get(`/v2/${project}/${kind}/${id}${query}`, { method: 'DELETE' });
const readObject = async (id: string, digest = 'latest') =>
  (await server.post('/obj/read', { project_id: project, object_id: id, digest })).json.obj;
const publish = (id: string, val: unknown) =>
  server.post('/obj/create', { obj: { project_id: project, object_id: id, val } });

describe('ops', () => {
  const source = (code: string, name = 'My Op/x') => create('ops', { name, source_code: code });

  test('are versions of their code [evaluations 32 33 34 36 37]', async () => {
    const first = await source('def f(): pass');
    expect(first.json).toEqual({ digest: expect.stringMatching(/^\w{43}$/), object_id: 'my_op_x', version_index: 0 });
    expect((await source('def f(): pass')).json).toEqual(first.json);
    const second = await source('def f(): return 1');
    expect(second.json).toMatchObject({ version_index: 1 });
    expect(second.json.digest).not.toBe(first.json.digest);
    expect((await read('ops', 'my_op_x', first.json.digest)).json).toEqual({
      ...first.json,
      created_at: expect.any(String),
      code: 'def f(): pass',
    });
    expect((await read('ops', 'my_op_x', 'latest')).json.version_index).toBe(1);
    expect((await read('ops', 'my_op_x', 'v0')).json.version_index).toBe(0);
  });

  test('without a name and a source get both [evaluations 35]', async () => {
    const { json } = await create('ops', {});
    expect(json.object_id).toBe('Op');
    expect((await read('ops', 'Op', json.digest)).json.code).toContain('def func');
  });

  test('can be read as objects and files [evaluations 39]', async () => {
    const { json } = await source('code');
    const { val, kind } = await readObject('my_op_x', json.digest);
    expect([kind, val.weave_type]).toEqual(['op', { type: 'Op' }]);
    const file = await server.post('/file/content', { project_id: project, digest: val.files['obj.py'] });
    expect(file.text).toBe('code');
  });

  test('whose file has not come yet show their code afterwards [evaluations 68]', async () => {
    const digest = 'Qq4c8ltEzkCzN9T7UcX2TlyrIGfJGLzLBrwHuLfN3MA';
    const val = { _type: 'CustomWeaveType', weave_type: { type: 'Op' }, files: { 'obj.py': digest } };
    expect((await publish('late', val)).status).toBe(200);
    expect((await read('ops', 'late', 'latest')).json.code).toBe('');
  });

  test('are listed in pages, the oldest first [evaluations 40 41 42 43]', async () => {
    const empty = await list('ops');
    expect([empty.status, empty.text]).toEqual([200, '']);
    expect(empty.headers.get('content-type')).toContain('application/jsonl');
    await source('a');
    await source('b');
    expect((await list('ops')).lines.map((line) => line.version_index)).toEqual([0, 1]);
    expect((await list('ops', '?limit=1')).lines.map((line) => line.code)).toEqual(['a']);
    expect((await list('ops', '?limit=1&offset=1')).lines.map((line) => line.code)).toEqual(['b']);
    expect((await list('ops', '?limit=abc')).status).toBe(422);
    expect((await list('ops', '?limit=-1')).status).toBe(400);
  });

  test('are deleted with all their versions, and only they [evaluations 38 44 45 46 47]', async () => {
    await source('a');
    await source('b');
    expect((await remove('ops', 'my_op_x')).json).toEqual({ num_deleted: 2 });
    const gone = await read('ops', 'my_op_x', 'v0');
    expect([gone.status, gone.json.deleted_at]).toEqual([404, expect.any(String)]);
    expect((await remove('ops', 'unknown')).status).toBe(404);
    await create('datasets', { name: 'ds', rows: [] });
    expect((await remove('ops', 'ds')).status).toBe(404);
    const unknown = await read('ops', 'nope', 'x');
    expect([unknown.status, unknown.json]).toEqual([404, { reason: 'Op nope:x not found' }]);
  });

  test('may share a name with an object [evaluations 67]', async () => {
    await create('datasets', { name: 'acc', rows: [] });
    await source('code', 'acc');
    expect((await read('datasets', 'acc', 'latest')).json.name).toBe('acc');
    expect((await read('ops', 'acc', 'latest')).json.code).toBe('code');
    expect((await remove('datasets', 'acc')).json).toEqual({ num_deleted: 1 });
    expect((await read('ops', 'acc', 'latest')).status).toBe(200);
  });
});

describe('datasets', () => {
  const rows = [{ q: 'a', n: 1.0 }, { q: 'b' }];

  test('hold the ref of a table with their rows [evaluations 48 49]', async () => {
    const { json } = await create('datasets', { name: 'My DS', description: 'about', rows });
    expect(json).toEqual({ digest: expect.any(String), object_id: 'my_ds', version_index: 0 });
    const dataset = (await read('datasets', 'my_ds', json.digest)).json;
    expect(dataset).toMatchObject({ name: 'My DS', description: 'about' });
    const [, digest] = /\/table\/([0-9a-f]{64})$/.exec(dataset.rows)!;
    const table = await server.post('/table/query', { project_id: project, digest });
    expect(table.json.rows.map((row: any) => row.val)).toEqual(rows);
  });

  test('have a default name, and rows that are objects [evaluations 50 51 52]', async () => {
    expect((await create('datasets', { rows: [] })).json.object_id).toBe('Dataset');
    expect((await read('datasets', 'Dataset', 'latest')).json.name).toBe('Dataset');
    expect((await create('datasets', {})).status).toBe(422);
    expect((await create('datasets', { rows: [1] })).status).toBe(422);
  });

  test('show all their versions, and are found by an alias [evaluations 53 57]', async () => {
    const first = await create('datasets', { name: 'ds', rows: [] });
    await create('datasets', { name: 'ds', rows });
    expect((await list('datasets')).lines.map((line) => line.version_index)).toEqual([0, 1]);
    const alias = { project_id: project, digest: first.json.digest, aliases: ['best'] };
    expect((await server.post('/objs/ds/aliases', alias, { method: 'PUT' })).status).toBe(200);
    expect((await read('datasets', 'ds', 'best')).json.version_index).toBe(0);
    expect((await read('datasets', 'ds', 'latest')).json.version_index).toBe(1);
  });

  test('are deleted by digest, all or none [evaluations 54 55 56]', async () => {
    const { digest } = (await create('datasets', { name: 'ds', rows })).json;
    await create('datasets', { name: 'ds', rows: [] });
    expect((await remove('datasets', 'ds', `?digests=${digest}&digests=zzz`)).status).toBe(404);
    expect((await list('datasets')).lines).toHaveLength(2);
    expect((await remove('datasets', 'ds', `?digests=${digest}`)).json).toEqual({ num_deleted: 1 });
    const many = Array.from({ length: 101 }, (_, i) => `digests=d${i}`).join('&');
    expect((await remove('datasets', 'ds', `?${many}`)).status).toBe(400);
  });

  test('keep their name from other classes [evaluations 58]', async () => {
    await create('datasets', { name: 'x', rows });
    const { status, json } = await create('models', { name: 'x', source_code: '' });
    expect([status, json.reason]).toEqual([400, expect.stringContaining("'x'")]);
    expect((await read('models', 'x', 'latest')).status).toBe(404);
  });
});

describe('scorers', () => {
  test('are made with their ops [evaluations 59 60]', async () => {
    const { json } = await create('scorers', { name: 'Exact', op_source_code: 'def score(): ...' });
    expect(json.scorer).toBe(`weave:///${project}/object/exact:${json.digest}`);
    const score = (await read('ops', 'exact_score', 'latest')).json;
    expect(score.code).toBe('def score(): ...');
    expect((await read('ops', 'exact_summarize', 'latest')).status).toBe(200);
    expect((await read('scorers', 'exact', json.digest)).json).toMatchObject({ name: 'Exact', score_op: score.digest });
    expect((await create('scorers', { op_source_code: '' })).status).toBe(422);
  });

  test('of the SDK are listed too, without a name by their id [evaluations 64 66]', async () => {
    const bases = ['Scorer', 'Object', 'BaseModel'];
    const val = {
      _type: 'LenScorer',
      _class_name: 'LenScorer',
      _bases: bases,
      name: null,
      score: 'weave:///e/p/op/s:d',
    };
    await publish('LenScorer', val);
    expect((await list('scorers')).lines).toMatchObject([{ name: 'LenScorer', score_op: 'weave:///e/p/op/s:d' }]);
  });
});

describe('models', () => {
  test('have their code and attributes, digit for digit [evaluations 61 62 63]', async () => {
    const body = '{"name":"M1","source_code":"class M1: ...","attributes":{"temp":0.10,"big":12345678901234567890}}';
    const { json } = await create('models', body);
    expect(json.model_ref).toBe(`weave:///${project}/object/m1:${json.digest}`);
    const found = await read('models', 'm1', 'latest');
    expect(found.json).toMatchObject({ name: 'M1', source_code: 'class M1: ...' });
    expect(found.text).toContain('"big":12345678901234567890');
    await create('models', { name: 'plain', source_code: 'x' });
    expect((await read('models', 'plain', 'v0')).json.attributes).toBeNull();
  });

  test('of the SDK have no code of their own: listed without, not read [evaluations 65]', async () => {
    await publish('sdk', {
      _type: 'My',
      _class_name: 'My',
      _bases: ['Model', 'Object', 'BaseModel'],
      name: null,
      k: 1,
    });
    expect((await list('models')).lines).toMatchObject([{ name: 'sdk', source_code: '', attributes: { k: 1 } }]);
    const { status, json } = await read('models', 'sdk', 'latest');
    expect([status, json.reason]).toEqual([400, expect.stringContaining('has no source file')]);
  });
});

describe('evaluations', () => {
  test('name their dataset and scorers [evaluations 69 70 71]', async () => {
    const dataset = `weave:///${project}/object/ds:v0`;
    const scorer = `weave:///${project}/object/exact:v0`;
    const { json } = await create('evaluations', { name: 'E1', dataset, scorers: [scorer], eval_attributes: { z: 1 } });
    expect(json.evaluation_ref).toBe(`weave:///${project}/object/e1:${json.digest}`);
    expect((await readObject('e1')).val).toMatchObject({ z: 1, scorers: [scorer], trials: 1, dataset, metadata: null });
    expect((await read('evaluations', 'e1', 'latest')).json).toMatchObject({
      name: 'E1',
      dataset,
      scorers: [scorer],
      trials: 1,
      evaluation_name: null,
      evaluate_op: (await read('ops', 'e1.evaluate', 'latest')).json.digest,
    });
    expect((await create('evaluations', { name: 'E1' })).status).toBe(422);
    await create('evaluations', { name: 'bare', dataset });
    expect((await read('evaluations', 'bare', 'latest')).json.scorers).toEqual([]);
  });
});

test('names without a letter that an id may have are refused', async () => {
  expect((await create('ops', { name: '!!!' })).status).toBe(422);
});
