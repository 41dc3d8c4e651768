import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestAnswer, type TestServer } from '../testing/server.ts';

let server: TestServer;
let project: string;
beforeAll(async () => {
  server = await startTestServer();
  project = await server.newProject();
});
afterAll(() => server.close());

let names = 0;

/** Publishes JSON as it is written, under a new name. */
async function publish(val: string, more = ''): Promise<TestAnswer & { name: string }> {
  const name = `object${names++}`;
  const body = `{"obj":{"project_id":${JSON.stringify(project)},"object_id":"${name}","val":${val}${more}}}`;
  return { ...(await server.post('/obj/create', body)), name };
}

/** The answer of `/obj/read` as text, in which numbers stand digit for digit. */
async function readText(name: string): Promise<string> {
  const { text } = await server.post('/obj/read', { project_id: project, object_id: name, digest: 'latest' });
  return text;
}

test.each([
  ['row 1', '{"b":1,"a":[true,null,"x"]}', 'Y2kQ5U4UuDoW21UmkbhDYrYdguYnMdNdocRX8KJ5mJI'],
  ['row 1', '{"a":[true,null,"x"],"b":1}', 'Y2kQ5U4UuDoW21UmkbhDYrYdguYnMdNdocRX8KJ5mJI'],
  ['row 2', '{"n":1.0}', 'mPJQeeltdCR95IVCI8jEF15xn6wgdTXBz8rKANWenSM'],
  ['row 2', '{"n":1}', '5dX3wdIlYWsTYj67G1udB1xwVln4GGix43AFoJI7A0Y'],
  [
    'row 3, H',
    '{"n":[1e16,1e-5,1e22,0.1,100000000000000000000,-0.0,1e5,123456789.125]}',
    'bb5hwDJzgFfOks1wYuACTHiyWSPR5vpabs1pQG1qjE8',
  ],
  [
    'row 3, I',
    String.raw`{"k":"é 😀 \u007f \u2028 / \" \\ \n \t \u0001"}`,
    'qrWweU1ynZSVaDmOIrX0OXnhzhbrnkUgFh3b2KJ9T4Q',
  ],
  ['row 3, J', String.raw`{"\ue000":1,"😀":2,"a":3,"Z":4}`, 'NYCFYbyh6y4DgEo4wui68BRwwX074lXDt9XPlOyIGNc'],
  ['row 3, K', '{"a":1E400,"b":-0,"c":1.10,"d":1e0}', '5rPQMgKCJx8cnSywdMUEYNyqG4v4r1Vk6ctISklDFgQ'],
  ['row 4', '"hello"', 'WqdirjgYu3J688ejbUlApbjECpiUUtIwT8lYYz81Tno'],
  ['row 4', 'null', 'dCNOmKYnSYX12vHzasLXiswzlGT5UHA7jAGYkvmCuQs'],
  ['row 4', '[]', 'T1PNoYwrqgwDVLtfmj7L5e0Sq02OEbqHPC8RFhICuUU'],
  ['row 4', '{}', 'RBNvo1WzZ4oRRq0W9XhknpT7T8If536DEMBg9hyqY4o'],
])('%s: %s has its digest', async (_, val, digest) => {
  const answer = await publish(val);
  expect(answer.json).toEqual({ digest, object_id: answer.name });
});

test('row 2: numbers come back as they were written', async () => {
  const float = await publish('{"n":1.0}');
  expect(await readText(float.name)).toContain('"val":{"n": 1.0}');
  const integer = await publish('{"n":12345678901234567890}');
  expect(await readText(integer.name)).toContain('"val":{"n": 12345678901234567890}');
});

test('row 4: a plain value is an object of no class', async () => {
  const { name } = await publish('"hello"');
  const { json } = await server.post('/obj/read', { project_id: project, object_id: name, digest: 'v0' });
  expect(json.obj).toMatchObject({ kind: 'object', base_object_class: null, leaf_object_class: null, val: 'hello' });
});

test('row 5: the digest is that of the internal form of refs', async () => {
  const [info] = (await server.post('/service/projects_info', { project_ids: [project] })).json;
  const zeros = '0'.repeat(64);
  const dataset = (rows: string) => `{"rows":"${rows}","name":"ds"}`;
  const external = await publish(dataset(`weave:///${project}/table/${zeros}`));
  const internal = await publish(dataset(`weave-trace-internal:///${info.internal_project_id}/table/${zeros}`));
  expect(external.json.digest).toBe(internal.json.digest);
  expect(await readText(internal.name)).toContain(`weave:///${project}/table/${zeros}`);
});

test('row 6: a builtin class fills in its defaults', async () => {
  const val = '{"name":"q","field_schema":{"type":"integer","minimum":0}}';
  const { json, name } = await publish(val, ',"builtin_object_class":"AnnotationSpec"');
  expect(json.digest).toBe('mPL6ozLX4WYU7TYQYz7mpiXLnJE7nXrh6YeKIjbs6CM');
  const read = await server.post('/obj/read', { project_id: project, object_id: name, digest: 'latest' });
  expect(read.json.obj.val).toMatchObject({ unique_among_creators: false, op_scope: null, description: null });
});

test('rows 7 and 8: an expected digest must be ours, and nothing is stored otherwise', async () => {
  const right = ',"expected_digest":"RBNvo1WzZ4oRRq0W9XhknpT7T8If536DEMBg9hyqY4o"';
  expect((await publish('{}', right)).status).toBe(200);
  const wrong = await publish('{}', ',"expected_digest":"abc"');
  expect(wrong.status).toBe(409);
  expect(wrong.json.reason).toBe(
    `Client obj '${wrong.name}' digest abc != server digest RBNvo1WzZ4oRRq0W9XhknpT7T8If536DEMBg9hyqY4o`,
  );
  const read = await server.post('/obj/read', { project_id: project, object_id: wrong.name, digest: 'latest' });
  expect(read.status).toBe(404);
});

test('row 14: JSON inside a string is converted and printed as Python prints it', async () => {
  const { name } = await publish(JSON.stringify(`{"a":"weave:///${project}/object/q:abc"}`));
  const { json } = await server.post('/obj/read', { project_id: project, object_id: name, digest: 'latest' });
  expect(json.obj.val).toBe(`{"a": "weave:///${project}/object/q:abc"}`);
});

test.each([
  ['row 15', 'see weave:///ent/proj/object/q:abc'],
  ['row 16, ruled otherwise', 'weave:///ent'],
  ['a ref into a project that is not there', 'weave:///nobody/nothing/object/q:abc'],
])('%s: %j stays as it is', async (_, text) => {
  const { status, name } = await publish(JSON.stringify(text));
  expect(status).toBe(200);
  const { json } = await server.post('/obj/read', { project_id: project, object_id: name, digest: 'latest' });
  expect(json.obj.val).toBe(text);
});

test('row 17: an internal ref into an unknown project is refused', async () => {
  const { status, json } = await publish('{"a":"weave-trace-internal:///bm9uZQ==/object/q:abc"}');
  expect([status, json]).toEqual([400, { reason: 'Encountered unexpected internal ref format.' }]);
});

test('row 18: a body that nests too deep is refused', async () => {
  const { status, json } = await publish('['.repeat(250) + ']'.repeat(250));
  expect([status, json]).toEqual([413, { reason: 'Request too large' }]);
});

test('row 20: keys come back in order', async () => {
  const { name } = await publish('{"b":1,"a":2}');
  expect(await readText(name)).toContain('"val":{"a": 2, "b": 1}');
});
