import { beforeAll, expect, test } from 'vitest';
import { type TestAnswer, testServer } from '../testing/server.ts';

const server = await testServer();
let project: string;
beforeAll(async () => {
  project = await server.newProject();
});

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
  [
    'an object with unsorted keys [objects 1]',
    '{"b":1,"a":[true,null,"x"]}',
    'Y2kQ5U4UuDoW21UmkbhDYrYdguYnMdNdocRX8KJ5mJI',
  ],
  [
    'the same object with sorted keys [objects 1]',
    '{"a":[true,null,"x"],"b":1}',
    'Y2kQ5U4UuDoW21UmkbhDYrYdguYnMdNdocRX8KJ5mJI',
  ],
  ['a float [objects 2]', '{"n":1.0}', 'mPJQeeltdCR95IVCI8jEF15xn6wgdTXBz8rKANWenSM'],
  ['an integer [objects 2]', '{"n":1}', '5dX3wdIlYWsTYj67G1udB1xwVln4GGix43AFoJI7A0Y'],
  [
    'floats in all notations [objects 3]',
    '{"n":[1e16,1e-5,1e22,0.1,100000000000000000000,-0.0,1e5,123456789.125]}',
    'bb5hwDJzgFfOks1wYuACTHiyWSPR5vpabs1pQG1qjE8',
  ],
  [
    'text beyond ASCII and control characters [objects 3]',
    String.raw`{"k":"é 😀 \u007f \u2028 / \" \\ \n \t \u0001"}`,
    'qrWweU1ynZSVaDmOIrX0OXnhzhbrnkUgFh3b2KJ9T4Q',
  ],
  [
    'keys beyond the basic plane [objects 3]',
    String.raw`{"\ue000":1,"😀":2,"a":3,"Z":4}`,
    'NYCFYbyh6y4DgEo4wui68BRwwX074lXDt9XPlOyIGNc',
  ],
  [
    'numbers in unusual notations [objects 3]',
    '{"a":1E400,"b":-0,"c":1.10,"d":1e0}',
    '5rPQMgKCJx8cnSywdMUEYNyqG4v4r1Vk6ctISklDFgQ',
  ],
  ['a string [objects 4]', '"hello"', 'WqdirjgYu3J688ejbUlApbjECpiUUtIwT8lYYz81Tno'],
  ['null [objects 4]', 'null', 'dCNOmKYnSYX12vHzasLXiswzlGT5UHA7jAGYkvmCuQs'],
  ['an empty list [objects 4]', '[]', 'T1PNoYwrqgwDVLtfmj7L5e0Sq02OEbqHPC8RFhICuUU'],
  ['an empty object [objects 4]', '{}', 'RBNvo1WzZ4oRRq0W9XhknpT7T8If536DEMBg9hyqY4o'],
])('hashes %s', async (_, val, digest) => {
  const answer = await publish(val);
  expect(answer.json).toEqual({ digest, object_id: answer.name });
});

test('returns numbers as they were written [objects 2]', async () => {
  const float = await publish('{"n":1.0}');
  expect(await readText(float.name)).toContain('"val":{"n": 1.0}');
  const integer = await publish('{"n":12345678901234567890}');
  expect(await readText(integer.name)).toContain('"val":{"n": 12345678901234567890}');
});

test('stores a plain value as an object without a class [objects 4]', async () => {
  const { name } = await publish('"hello"');
  const { json } = await server.post('/obj/read', { project_id: project, object_id: name, digest: 'v0' });
  expect(json.obj).toMatchObject({ kind: 'object', base_object_class: null, leaf_object_class: null, val: 'hello' });
});

test('hashes refs in their internal form [objects 5]', async () => {
  const [info] = (await server.post('/service/projects_info', { project_ids: [project] })).json;
  const zeros = '0'.repeat(64);
  const dataset = (rows: string) => `{"rows":"${rows}","name":"ds"}`;
  const external = await publish(dataset(`weave:///${project}/table/${zeros}`));
  const internal = await publish(dataset(`weave-trace-internal:///${info.internal_project_id}/table/${zeros}`));
  expect(external.json.digest).toBe(internal.json.digest);
  expect(await readText(internal.name)).toContain(`weave:///${project}/table/${zeros}`);
});

test('a builtin class adds its defaults [objects 6]', async () => {
  const val = '{"name":"q","field_schema":{"type":"integer","minimum":0}}';
  const { json, name } = await publish(val, ',"builtin_object_class":"AnnotationSpec"');
  expect(json.digest).toBe('mPL6ozLX4WYU7TYQYz7mpiXLnJE7nXrh6YeKIjbs6CM');
  const read = await server.post('/obj/read', { project_id: project, object_id: name, digest: 'latest' });
  expect(read.json.obj.val).toMatchObject({ unique_among_creators: false, op_scope: null, description: null });
});

test('rejects a wrong expected_digest and stores nothing [objects 7 8]', async () => {
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

test('returns JSON in a string with external refs, printed as Python prints it [objects 14]', async () => {
  const { name } = await publish(JSON.stringify(`{"a":"weave:///${project}/object/q:abc"}`));
  const { json } = await server.post('/obj/read', { project_id: project, object_id: name, digest: 'latest' });
  expect(json.obj.val).toBe(`{"a": "weave:///${project}/object/q:abc"}`);
});

test.each([
  ['returns a ref inside a sentence unchanged [objects 15]', 'see weave:///ent/proj/object/q:abc'],
  ['returns an incomplete ref unchanged [objects 16]', 'weave:///ent'],
  ['returns a ref into an unknown project unchanged', 'weave:///nobody/nothing/object/q:abc'],
])('%s', async (_, text) => {
  const { status, name } = await publish(JSON.stringify(text));
  expect(status).toBe(200);
  const { json } = await server.post('/obj/read', { project_id: project, object_id: name, digest: 'latest' });
  expect(json.obj.val).toBe(text);
});

test('rejects an internal ref into an unknown project [objects 17]', async () => {
  const { status, json } = await publish('{"a":"weave-trace-internal:///bm9uZQ==/object/q:abc"}');
  expect([status, json]).toEqual([400, { reason: 'Encountered unexpected internal ref format.' }]);
});

test('rejects a body that is nested too deep [objects 18]', async () => {
  const { status, json } = await publish('['.repeat(250) + ']'.repeat(250));
  expect([status, json]).toEqual([413, { reason: 'Request too large' }]);
});

test('returns the keys of an object sorted [objects 20]', async () => {
  const { name } = await publish('{"b":1,"a":2}');
  expect(await readText(name)).toContain('"val":{"a": 2, "b": 1}');
});
