import { beforeEach, describe, expect, test } from 'vitest';
import { type TestAnswer, testServer } from '../testing/server.ts';

const server = await testServer();
let project: string;
beforeEach(async () => {
  project = await server.newProject();
});

const r1 = 'XdhgKMbg1k4iUYb5astpM4ssWXZN95FiEH9cS7NNExA';
const r2 = '5anVsDAOD1DTcuWp3fokIIqsmpQM6aNvJHOHIhriBf4';
const digest12 = '1c95cdc46a75d6e7e971986a80adfcd676dd22f2222a3405c7743f3db8df6785';
const emptyDigest = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

function create(rows: unknown[], more: object = {}): Promise<TestAnswer> {
  return server.post('/table/create', { table: { project_id: project, rows, ...more } });
}

async function store(rows: unknown[]): Promise<string> {
  const { status, json, text } = await create(rows);
  if (status !== 200) throw new Error(text);
  return json.digest;
}

function fromDigests(rowDigests: string[], more: object = {}): Promise<TestAnswer> {
  return server.post('/table/create_from_digests', { project_id: project, row_digests: rowDigests, ...more });
}

function update(base: string, updates: unknown[]): Promise<TestAnswer> {
  return server.post('/table/update', { project_id: project, base_digest: base, updates });
}

async function query(digest: string, more: object = {}): Promise<TestAnswer['json'][]> {
  const { status, json, text } = await server.post('/table/query', { project_id: project, digest, ...more });
  if (status !== 200) throw new Error(text);
  return json.rows;
}

const indices = async (digest: string, more: object = {}) =>
  (await query(digest, more)).map((row) => row.original_index);
const values = async (digest: string, more: object = {}) => (await query(digest, more)).map((row) => row.val);

async function count(digest: string): Promise<number> {
  return (await server.post('/table/query_stats', { project_id: project, digest })).json.count;
}

async function stats(digests: string[] | null, more: object = {}): Promise<TestAnswer['json'][]> {
  return (await server.post('/table/query_stats_batch', { project_id: project, digests, ...more })).json.tables;
}

describe('digests', () => {
  test('a digest covers the rows and their order [objects 9]', async () => {
    expect((await create([{ a: 1 }, { a: 2 }])).json).toEqual({ digest: digest12, row_digests: [r1, r2] });
    expect((await create([{ a: 2 }, { a: 1 }])).json.digest).toBe(
      '780a35eaf84bb979bb60180e6f4eeea7fa00862666eea0707a18e9e82e7bbfa6',
    );
  });

  test('rejects another expected digest and stores nothing [objects 10]', async () => {
    const { status, json } = await create([{ a: 1 }, { a: 2 }], { expected_digest: 'abc' });
    expect([status, json.reason]).toEqual([409, `Client table (2 rows) digest abc != server digest ${digest12}`]);
    expect(await query(digest12)).toEqual([]);
    expect((await create([{ a: 1 }, { a: 2 }], { expected_digest: digest12 })).status).toBe(200);
  });

  test('an empty list of digests is the empty table [objects 11]', async () => {
    expect((await fromDigests([], { expected_digest: null })).json).toEqual({ digest: emptyDigest });
    expect((await create([])).json).toEqual({ digest: emptyDigest, row_digests: [] });
    expect(await query(emptyDigest)).toEqual([]);
    expect((await fromDigests([r1], { expected_digest: 'abc' })).status).toBe(409);
  });

  test('hashes a row with its keys sorted and returns it as sent [objects 19]', async () => {
    const text = '{"b":1.50,"a":[2,1e3],"ref":"weave:///ent/none/object/x:y"}';
    const body = (row: string) => `{"table":{"project_id":"${project}","rows":[${row}]}}`;
    const { json } = await server.post('/table/create', body(text));
    const sorted = '{"a":[2,1000.0],"ref":"weave:///ent/none/object/x:y","b":1.5}';
    expect((await server.post('/table/create', body(sorted))).json).toEqual(json);
    const answer = await server.post('/table/query', { project_id: project, digest: json.digest });
    expect(answer.text).toContain(`"val":${text}`);
  });

  test('rejects a row that is not an object', async () => {
    expect((await create([1])).status).toBe(422);
  });

  test('returns an internal ref in a row as an external one', async () => {
    const [info] = (await server.post('/service/projects_info', { project_ids: [project] })).json;
    const internal = await store([{ a: `weave-trace-internal:///${info.internal_project_id}/object/x:y` }]);
    expect(await values(internal)).toEqual([{ a: `weave:///${project}/object/x:y` }]);
    expect(await store([{ a: `weave:///${project}/object/x:y` }])).toBe(internal);
    expect((await create([{ a: 'weave-trace-internal:///bm9uZQ==/object/x:y' }])).status).toBe(400);
  });
});

describe('queries', () => {
  test('returns all rows with their indices, by page and by row digest [objects 113 114 115 116]', async () => {
    const five = await create([{ a: 1 }, { a: 2 }, { a: 1 }, { a: 3 }, { a: 4 }]);
    expect(five.json.row_digests).toHaveLength(5);
    const { digest } = five.json;
    expect(await query(digest)).toEqual(
      [1, 2, 1, 3, 4].map((a, i) => ({ digest: five.json.row_digests[i], val: { a }, original_index: i })),
    );
    expect(await indices(digest, { limit: 2, offset: 1 })).toEqual([1, 2]);
    expect(await indices(digest, { offset: 4 })).toEqual([4]);
    expect(await indices(digest, { limit: 0 })).toEqual([]);
    expect(await indices(digest, { filter: { row_digests: [r1] } })).toEqual([0, 2]);
    expect(await indices(digest, { filter: { row_digests: [r1, r2] }, limit: 2, offset: 1 })).toEqual([1, 2]);
    expect(await indices(digest, { filter: { row_digests: [] } })).toEqual([0, 1, 2, 3, 4]);
    expect(await indices(digest, { filter: { row_digests: null }, sort_by: null })).toEqual([0, 1, 2, 3, 4]);
    expect((await server.post('/table/query', { project_id: project, digest, limit: -1 })).status).toBe(400);
  });

  test.each([
    ['sorts descending: numbers, text, then missing values [objects 117]', 'desc', [3, 1, 'x', null]],
    ['sorts ascending: numbers, text, then missing values [objects 118]', 'asc', [1, 3, 'x', null]],
  ])('%s', async (_, direction, expected) => {
    const digest = await store([{ b: 0 }, { a: 'x' }, { a: 1 }, { a: 3 }]);
    const sorted = await values(digest, { sort_by: [{ field: 'a', direction }] });
    expect(sorted.map((val) => val.a ?? null)).toEqual(expected);
  });

  test('sorts by a nested value, rows without it last [objects 119]', async () => {
    const digest = await store([
      { b: 1 },
      { b: { c: 2 } },
      { b: { c: [1, 10] } },
      { b: { c: 1.5 } },
      { b: { c: null } },
    ]);
    expect(await indices(digest, { sort_by: [{ field: 'b.c', direction: 'asc' }] })).toEqual([3, 1, 2, 0, 4]);
    expect(await indices(digest, { sort_by: [{ field: 'b.c.1', direction: 'asc' }], limit: 2 })).toEqual([2, 0]);
  });

  test('sorts by several keys, and keeps ties in list order', async () => {
    const digest = await store([
      { a: 2, b: 'x' },
      { a: 1, b: 'y' },
      { a: 2, b: 'w' },
      { a: 1, b: 'y' },
      { 1: 0, a: 3 },
    ]);
    const by = (...fields: [string, string][]) => ({
      sort_by: fields.map(([field, direction]) => ({ field, direction })),
    });
    expect(await indices(digest, by(['a', 'asc'], ['b', 'desc']))).toEqual([1, 3, 0, 2, 4]);
    expect(await indices(digest, { ...by(['a', 'desc']), limit: 2, offset: 1 })).toEqual([0, 2]);
    expect(await indices(digest, { ...by(['1', 'desc']), limit: 1 })).toEqual([4]);
  });

  test.each([
    ['', 'Sort field cannot be empty'],
    ['.a', "Invalid sort field '.a': field names cannot start/end with dots or contain consecutive dots"],
    ['a..b', "Invalid sort field 'a..b': field names cannot start/end with dots or contain consecutive dots"],
    ['a. ', "Invalid sort field 'a. ': field path components cannot be empty"],
  ])('rejects the sort field %j [objects 120]', async (field, reason) => {
    const body = { project_id: project, digest: digest12, sort_by: [{ field, direction: 'asc' }] };
    expect(await server.post('/table/query', body)).toMatchObject({ status: 400, json: { reason } });
  });

  test('an unknown table, or one of another project, has no rows [objects 121 128]', async () => {
    const digest = await store([{ a: 1 }, { a: 2 }]);
    project = await server.newProject();
    expect(await query(digest)).toEqual([]);
    expect(await query(digest, { sort_by: [{ field: 'a', direction: 'asc' }] })).toEqual([]);
    expect(await count(digest)).toBe(0);
    expect(await stats([digest])).toEqual([]);
    expect(await stats(null)).toEqual([]);
    await fromDigests([r1, r2]);
    expect(await query(digest)).toEqual([]); // its rows are not ours either
    expect(await count(digest)).toBe(2);
  });

  test('streams one row per line', async () => {
    const digest = await store([{ a: 1 }, { a: 2 }, { a: 3 }]);
    const answer = await server.post('/table/query_stream', { project_id: project, digest, limit: 2 });
    expect(answer.headers.get('content-type')).toContain('application/jsonl');
    expect(answer.lines).toEqual([
      { digest: r1, val: { a: 1 }, original_index: 0 },
      { digest: r2, val: { a: 2 }, original_index: 1 },
    ]);
    const unknown = await server.post('/table/query_stream', { project_id: project, digest: 'none' });
    expect([unknown.status, unknown.text]).toEqual([200, '']);
  });
});

describe('updates', () => {
  test('makes a new table and leaves the base table unchanged [objects 122]', async () => {
    const base = await store([{ a: 1 }, { a: 2 }]);
    const { json } = await update(base, [
      { append: { row: { a: 3 } } },
      { pop: { index: 0 } },
      { insert: { index: 1, row: { a: 4 } } },
    ]);
    expect(json.updated_row_digests).toHaveLength(3);
    expect(json.updated_row_digests[1]).toBe(r1);
    expect(await values(json.digest)).toEqual([{ a: 2 }, { a: 4 }, { a: 3 }]);
    expect(await values(base)).toEqual([{ a: 1 }, { a: 2 }]);
  });

  test('rejects an index out of range [objects 123]', async () => {
    const base = await store([{ a: 1 }, { a: 2 }]);
    for (const change of [{ pop: { index: -1 } }, { pop: { index: 2 } }, { insert: { index: 3, row: {} } }]) {
      expect(await update(base, [change])).toMatchObject({ status: 400, json: { reason: 'Index out of range' } });
    }
    expect((await update(base, [{ insert: { index: 2, row: { a: 3 } } }])).status).toBe(200);
    expect((await update(base, [{ put: 1 }])).status).toBe(422);
  });

  test('no updates give the same digest; an unknown table is a 404 [objects 124 125]', async () => {
    const base = await store([{ a: 1 }]);
    expect((await update(base, [])).json).toEqual({ digest: base, updated_row_digests: [] });
    const unknown = await update('none', [{ pop: { index: 0 } }]);
    expect([unknown.status, unknown.json.reason]).toEqual([404, expect.stringMatching(/^Table .+:none not found$/)]);
  });
});

describe('statistics', () => {
  test('rows that are not stored count but are not returned [objects 126]', async () => {
    await store([{ a: 1 }, { a: 2 }]);
    const { digest } = (await fromDigests(['unknown', r2, 'later', r1])).json;
    expect(await count(digest)).toBe(4);
    expect(await indices(digest)).toEqual([1, 3]);
    expect(await indices(digest, { limit: 1, offset: 1 })).toEqual([3]); // no page is short before the last
    await update(digest, [{ append: { row: { a: 5 } } }]);
    expect(await indices(digest)).toEqual([1, 3]);
    const odd = ['', 'ü"\\\n', '\u{1f600}'.repeat(100), r2]; // lengths of one byte and of two in the store's answer
    const changed = (await update((await fromDigests(odd)).json.digest, [{ pop: { index: 0 } }])).json;
    expect(changed.updated_row_digests).toEqual(['']);
    expect(changed).toMatchObject((await fromDigests(odd.slice(1))).json);
  });

  test('the storage size counts repeated rows [objects 127]', async () => {
    const twice = await store([{ a: 1 }, { a: 1 }, { b: 'é' }]);
    const empty = await store([]);
    const sized = await stats([twice, empty, 'none', twice], { include_storage_size: true });
    expect(sized.toSorted((a, b) => a.count - b.count)).toEqual([
      { digest: empty, count: 0, storage_size_bytes: 0 },
      { digest: twice, count: 3, storage_size_bytes: 8 + 8 + '{"b": "\\u00e9"}'.length },
    ]);
    expect(await stats([twice])).toEqual([{ digest: twice, count: 3, storage_size_bytes: null }]);
  });
});

test('a large table sent in chunks has all rows in order, before and after an update [objects 129]', {
  timeout: 120_000,
}, async () => {
  const rows = Array.from({ length: 30_000 }, (_, i) => ({ i, text: 'x'.repeat(100) }));
  const chunks = [rows.slice(0, 20_000), rows.slice(20_000)];
  const parts = await Promise.all(chunks.map((chunk) => create(chunk)));
  const list = parts.flatMap(({ json }) => json.row_digests as string[]);
  const { digest } = (await fromDigests(list)).json;
  expect(await count(digest)).toBe(30_000);
  expect(await indices(digest)).toEqual(rows.map((row) => row.i));
  expect(await values(digest, { limit: 100, offset: 29_950 })).toEqual(rows.slice(29_950));
  const filtered = await query(digest, { filter: { row_digests: list.slice(10_000, 22_000) } });
  expect(filtered.map((row) => row.val.i)).toEqual(rows.slice(10_000, 22_000).map((row) => row.i));
  const newest = await values(digest, { sort_by: [{ field: 'i', direction: 'desc' }], limit: 2, offset: 1 });
  expect(newest).toEqual([rows[29_998], rows[29_997]]);
  const streamed = await server.post('/table/query_stream', { project_id: project, digest });
  expect(streamed.lines.map((row) => row.original_index)).toEqual(rows.map((row) => row.i));
  const change = [{ append: { row: { i: 30_000 } } }];
  const { json } = await update(digest, change);
  const grown = json.digest;
  expect(await values(grown, { offset: 30_000 })).toEqual([{ i: 30_000 }]);
  const kept = await query(grown, { offset: 24_000, limit: 6000 });
  expect(kept.map((row) => row.digest)).toEqual(list.slice(24_000));
  expect((await update(digest, change)).json).toEqual(json);
});
