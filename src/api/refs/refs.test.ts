import { beforeAll, describe, expect, test } from 'vitest';
import { testServer } from '../testing/server.ts';

const server = await testServer();
let project: string;
let other: string;
/** Digests of what is published below. */
const digests: Record<string, string> = {};

async function publish(objectId: string, val: unknown, inProject = project): Promise<string> {
  const obj = { project_id: inProject, object_id: objectId, val };
  const { status, json, text } = await server.post('/obj/create', { obj });
  if (status !== 200) throw new Error(text);
  digests[objectId] = json.digest;
  return json.digest;
}

/** A ref to an object published below, with a tail. */
const ref = (objectId: string, tail = '') => `weave:///${project}/object/${objectId}:${digests[objectId]}${tail}`;
const read = (...refs: string[]) => server.post('/refs/read_batch', { refs });

beforeAll(async () => {
  project = await server.newProject();
  other = await server.newProject();
  await publish('far', { k: 'far away' }, other);
  await publish('sub', { k: [10, 20, { x: 'y' }], 'a b/c': 1 });
  await publish('par', { child: ref('sub'), away: `weave:///${other}/object/far:${digests.far}` });
  await publish('broken', { child: `weave:///${project}/object/sub:${'x'.repeat(43)}` });
  await publish('op', { _type: 'CustomWeaveType', weave_type: { type: 'Op' } });
  const rows = [{ a: 7 }, { a: 8, child: ref('sub') }];
  const table = (await server.post('/table/create', { table: { project_id: project, rows } })).json;
  [digests.row1, digests.row2] = table.row_digests;
  digests.table = table.digest;
  await publish('ds', { rows: `weave:///${project}/table/${table.digest}` });
  await publish('gone', { k: 1 });
  await publish('holder', { child: ref('gone') });
  await server.post('/obj/delete', { project_id: project, object_id: 'gone', digests: null });
});

describe('values', () => {
  test.each<[string, () => string, () => unknown]>([
    ['returns the whole value', () => ref('sub'), () => ({ k: [10, 20, { x: 'y' }], 'a b/c': 1 })],
    ['follows attributes, indices and keys [objects 92]', () => ref('sub', '/attr/k/index/2/key/x'), () => 'y'],
    ['decodes a percent-encoded key [objects 93]', () => ref('sub', '/key/a%20b%2Fc'), () => 1],
    ['returns null below a missing attribute [objects 94]', () => ref('sub', '/attr/none/attr/none'), () => null],
    ['returns null for an index that is too large [objects 95]', () => ref('sub', '/attr/k/index/3'), () => null],
    ['counts a negative index from the end [objects 95]', () => ref('sub', '/attr/k/index/-1'), () => ({ x: 'y' })],
    [
      'returns the table of a dataset as an external ref [objects 101]',
      () => ref('ds', '/attr/rows'),
      () => `weave:///${project}/table/${digests.table}`,
    ],
    ['returns the value of a cell [objects 102]', () => ref('ds', `/attr/rows/id/${digests.row1}/key/a`), () => 7],
    ['returns a whole row', () => ref('ds', `/attr/rows/id/${digests.row2}`), () => ({ a: 8, child: ref('sub') })],
    ['follows a ref in a row', () => ref('ds', `/attr/rows/id/${digests.row2}/key/child/attr/k/index/0`), () => 10],
    ['returns the ref in a field [objects 105]', () => ref('par', '/attr/child'), () => ref('sub')],
    ['follows the ref in a field [objects 106]', () => ref('par', '/attr/child/attr/k/index/1'), () => 20],
    ['returns null below a ref into another project [objects 107]', () => ref('par', '/attr/away/attr/k'), () => null],
    ['returns null for a deleted object [objects 108]', () => ref('gone'), () => null],
    ['returns null below a deleted object [objects 108]', () => ref('gone', '/attr/k'), () => null],
    ['returns null below a nested object that is deleted', () => ref('holder', '/attr/child/attr/k'), () => null],
    [
      'returns an op by an object ref [objects 109]',
      () => ref('op'),
      () => ({ _type: 'CustomWeaveType', weave_type: { type: 'Op' } }),
    ],
    ['returns an object of another project', () => `weave:///${other}/op/far:${digests.far}/attr/k`, () => 'far away'],
  ])('%s', async (_, uri, value) => {
    const { status, json } = await read(uri());
    expect([status, json]).toEqual([200, { vals: [value()] }]);
  });

  test('reads 1,000 refs, repeated or not, or none, and rejects 1,001 [objects 110 111 112]', async () => {
    const thousand = Array.from({ length: 1000 }, (_, i) => ref('sub', `/attr/k/index/${i % 2}`));
    const { json } = await read(...thousand);
    expect(json.vals).toHaveLength(1000);
    expect(json.vals.slice(0, 4)).toEqual([10, 20, 10, 20]);
    expect(await read(...thousand, ref('sub'))).toMatchObject({ status: 400, json: { reason: 'Too many refs' } });
    expect((await read()).json).toEqual({ vals: [] });
  });
});

describe('refusals', () => {
  test.each<[string, () => string, number, string]>([
    ['rejects an unknown kind of step [objects 96]', () => ref('sub', '/foo/k'), 400, 'Invalid URI'],
    ['rejects an attribute without a name [objects 96]', () => ref('sub', '/attr'), 400, 'Invalid URI'],
    ['rejects an index that is not a number [objects 96]', () => ref('sub', '/index/x'), 400, 'Invalid URI'],
    ['rejects a string that is not a ref', () => 'foo', 400, 'Invalid URI'],
    [
      'rejects a ref to latest [objects 97]',
      () => `weave:///${project}/object/sub:latest`,
      400,
      'Reading refs with `latest` is not supported',
    ],
    [
      'rejects the ref of a table [objects 100]',
      () => `weave:///${project}/table/${digests.table}`,
      400,
      'Table refs not supported',
    ],
    [
      'rejects the ref of a call [objects 100]',
      () => `weave:///${project}/call/1`,
      400,
      'Call refs not supported in batch read, use calls_query_stream',
    ],
    [
      'rejects an unknown row digest [objects 103]',
      () => ref('ds', '/attr/rows/id/none'),
      404,
      'Row digest none not found',
    ],
    [
      'rejects an index of a table [objects 104]',
      () => ref('ds', '/attr/rows/index/0'),
      400,
      'Table refs must have id extra',
    ],
    ['rejects an unknown project', () => 'weave:///ent/nothing/object/a:b', 404, 'Project ent/nothing not found'],
  ])('%s', async (_, uri, status, reason) => {
    const answer = await read(uri());
    expect(answer.status).toBe(status);
    expect(answer.json.reason).toContain(reason);
    expect(answer.json).not.toHaveProperty('missing_object_digests');
  });

  test('an unknown version fails the batch and is listed [objects 98 99]', async () => {
    const { status, json } = await read(ref('sub'), `weave:///${project}/object/sub:v0`);
    expect([status, json]).toEqual([
      404,
      {
        reason: 'Ref read contains 2 digests, but found 1 objects. Diff digests: ["v0"]',
        missing_object_digests: ['v0'],
      },
    ]);
    const nested = await read(ref('sub'), ref('broken', '/attr/child/attr/k'));
    expect([nested.status, nested.json.missing_object_digests]).toEqual([404, ['x'.repeat(43)]]);
  });

  test('a digest under another name is a 404', async () => {
    const { status } = await read(`weave:///${project}/object/par:${digests.sub}`);
    expect(status).toBe(404);
  });
});
