import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { testServer } from './testing/server.ts';

const server = await testServer();
let project: string;
beforeAll(async () => {
  project = await server.newProject();
  const obj = { project_id: project, object_id: 'thing', val: { a: 1 } };
  expect((await server.post('/obj/create', { obj })).status).toBe(200);
});

type Body = Record<string, unknown>;
const internalRef = 'weave-trace-internal:///\0/call/y';
const feedback = { weave_ref: internalRef, feedback_type: 'custom', payload: {} };

/** Each text below ends up in PostgreSQL, which knows no U+0000, or in a look-up there. */
const textsWithNul: [path: string, body: Body, method?: string][] = [
  ['/obj/create', { obj: { object_id: 'a\0', val: {} } }],
  ['/obj/create', { obj: { object_id: 'thing', val: { _class_name: 'A\0', _bases: ['B\0', 'Object', 'BaseModel'] } } }],
  ['/obj/create', { obj: { object_id: 'thing', val: {}, builtin_object_class: 'A\0' } }],
  ['/obj/read', { object_id: 'a\0', digest: 'latest' }],
  ['/obj/read', { object_id: 'thing', digest: '\0' }],
  ['/obj/delete', { object_id: 'a\0' }],
  ['/obj/delete', { object_id: 'thing', digests: ['\0'] }],
  ['/objs/query', { filter: { object_ids: ['\0'] } }],
  ['/objs/query', { filter: { tags: ['\0'] } }],
  ['/objs/query', { filter: { exclude_base_object_classes: ['\0'] } }],
  ['/objs/thing/aliases', { digest: 'latest', aliases: ['\0'] }, 'PUT'],
  ['/objs/thing/aliases/remove', { aliases: ['\0'] }],
  ['/objs/%00/aliases/remove', { aliases: ['a'] }],
  ['/objs/thing/versions/%00/tags/remove', { tags: ['a'] }],
  ['/cost/create', { costs: { 'm\0': { prompt_token_cost: 1, completion_token_cost: 1 } } }],
  ['/cost/create', { costs: { m: { prompt_token_cost: 1, completion_token_cost: 1, provider_id: '\0' } } }],
  ['/file/content', { digest: '\0' }],
  ['/feedback/create', feedback],
  ['/feedback/batch/create', { batch: [feedback] }],
  ['/feedback/replace', { ...feedback, feedback_id: '\0' }],
  ['/feedback/create', { ...feedback, weave_ref: 'weave:///ent/p0/call/x', queue_id: '\0' }],
  ['/annotation_queues', { name: '\0', scorer_refs: [] }],
  ['/annotation_queues/%00/items', { call_ids: ['a'], display_fields: [] }],
  ['/refs/read_batch', { refs: ['weave:///ent/p0/object/a%00b:v'] }],
];

describe('a text with U+0000 is answered with 4xx', () => {
  test.each(textsWithNul)('%s %j', async (path, body, method = 'POST') => {
    const inProject = { ...body, project_id: project };
    for (const inner of [inProject as Body, body.obj as Body, ...((body.batch as Body[]) ?? [])]) {
      if (inner) inner.project_id = project;
    }
    const answer = await server.post(path, inProject, { method });
    expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
    expect(answer.status, answer.text).toBeLessThan(500);
  });

  test.each([
    '/v1/models/%00',
    '/v1/models/heddle/%00',
    '/annotation_queues/%00?project_id=ent/p0',
    '/tags?project_id=%00',
  ])('GET %s', async (path) => {
    const answer = await server.get(path);
    expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
    expect(answer.status, answer.text).toBeLessThan(500);
  });

  test('the name of an uploaded file', async () => {
    const part = (more: string, value: string) =>
      `--limit\r\ncontent-disposition: form-data; ${more}\r\n\r\n${value}\r\n`;
    const body = `${part('name="project_id"', project)}${part('name="file"; filename="a\0b"', 'x')}--limit--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=limit' };
    const answer = await server.post('/file/create', body, { headers });
    expect(answer.status, answer.text).toBe(422);
  });
});

test('a ref in a payload that names an impossible project or object costs no call of its batch, and no list', async () => {
  const refs = [
    internalRef,
    'weave:///ent/p0/object/a%00b:v',
    'weave:///ent/\0/object/a:b',
    'weave-trace-internal:///é/x/y',
  ];
  const own = await server.newProject();
  const times = { started_at: '2024-01-01T00:00:00Z', ended_at: '2024-01-01T00:00:01Z' };
  const batch = refs.map((ref) => ({
    ...{ project_id: own, id: randomUUID(), trace_id: randomUUID(), op_name: 'op', ...times },
    ...{ attributes: {}, inputs: { ref }, output: null, summary: {} },
  }));
  const written = await server.post(`/v2/${own}/calls/complete`, { batch });
  expect(written.text).toBe('{}');
  const read = await server.post('/calls/stream_query', { project_id: own, expand_columns: ['inputs.ref'] });
  expect(read.status, read.text).toBe(200);
  expect(read.lines).toHaveLength(refs.length);
});

describe('a whole number beyond what stores count', () => {
  const paths = [
    ...['/calls/stream_query', '/objs/query', '/feedback/query', '/cost/query', '/threads/stream_query'],
    ...['/annotation_queues/query', '/table/query', '/table/query_stream'],
  ];
  test.each(paths)('as the limit or offset of %s is as good as the largest', async (path) => {
    for (const page of ['"limit":9007199254740993', '"limit":9223372036854775807,"offset":1e30']) {
      const answer = await server.post(path, `{"project_id":"${project}","digest":"none",${page}}`);
      expect(answer.status, answer.text).toBe(200);
    }
  });
});

describe('a whole number that is not read exactly, or no time at all, is refused', () => {
  test.each([
    ['/feedback/aggregate', '"after_ms":0,"before_ms":9223372036854775808'],
    ['/feedback/aggregate', '"after_ms":9007199254740993,"before_ms":1'],
    ['/feedback/aggregate', '"after_ms":0,"before_ms":1,"time_bucket_seconds":9223372036854775807'],
    ['/calls/stats', '"start":"2024-01-01T00:00:00Z","granularity":9223372036854775807'],
    ['/feedback/stats', '"start":"2024-01-01T00:00:00Z","granularity":1e300'],
    ['/feedback/payload_schema', '"start":"2024-01-01T00:00:00Z","sample_limit":18446744073709551616'],
    ['/table/update', '"base_digest":"x","updates":[{"pop":{"index":9223372036854775807}}]'],
  ])('%s %s', async (path, fields) => {
    const answer = await server.post(path, `{"project_id":"${project}",${fields}}`);
    expect(answer.status, answer.text).toBe(422);
  });

  test('times that are read exactly and lie beyond all feedback are answered', async () => {
    const body = { project_id: project, after_ms: 0, before_ms: Number.MAX_SAFE_INTEGER };
    const answer = await server.post('/feedback/aggregate', body);
    expect(answer.status, answer.text).toBe(200);
  });
});

describe('names that plain objects have', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];

  test.each(names)('%s is a type of feedback like others', async (name) => {
    const about = { project_id: project, weave_ref: 'weave:///ent/p0/call/x', payload: { a: 1 } };
    const made = await server.post('/feedback/create', { ...about, feedback_type: name });
    expect(made.status, made.text).toBe(200);
    const sent = {
      project_id: project,
      query: { $expr: { $eq: [{ $getField: 'feedback_type' }, { $literal: name }] } },
    };
    expect((await server.post('/feedback/query', sent)).json.result).toHaveLength(1);
  });

  test.each(names)('%s is not a field by which objects are sorted', async (name) => {
    const answer = await server.post('/objs/query', {
      project_id: project,
      sort_by: [{ field: name, direction: 'asc' }],
    });
    expect(answer.status, answer.text).toBe(200);
  });
});
