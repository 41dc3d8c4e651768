import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestAnswer, type TestServer } from '../testing/server.ts';

let server: TestServer;
let project: string;
beforeAll(async () => {
  server = await startTestServer({ HEDDLE_BODY_MAX_BYTES: String(1024 * 1024) });
});
beforeEach(async () => {
  project = await server.newProject();
});
afterAll(() => server.close());

const headers = () => ({ authorization: `Bearer ${server.key}` });
const bytes = (text: string) => new TextEncoder().encode(text);

type UploadOptions = { path?: string; expected?: string; name?: string; form?: FormData };

async function upload(content: Uint8Array, { path = '/file/create', expected, name, form }: UploadOptions = {}) {
  const body = form ?? new FormData();
  if (!form) {
    body.append('project_id', project);
    if (expected !== undefined) body.append('expected_digest', expected);
    body.append('file', new Blob([new Uint8Array(content)]), name);
  }
  const response = await fetch(server.url + path, { method: 'POST', body, headers: headers() });
  return { status: response.status, json: (await response.json()) as TestAnswer['json'] };
}

async function content(digest: string, path = '/file/content', of = project) {
  const body = JSON.stringify({ project_id: of, digest });
  const response = await fetch(server.url + path, { method: 'POST', body, headers: headers() });
  return { status: response.status, type: response.headers.get('content-type'), bytes: await response.bytes() };
}

async function total(path = '/files/query_stats'): Promise<number> {
  return (await server.post(path, { project_id: project })).json.total_size_bytes;
}

const hello = 'uU0nuZNNPgilLlLX2n2rXsSE7XN6U4DukIj3rOLvzek';

describe('uploads', () => {
  test('both paths return the digest of the bytes [objects 12 130] [evaluations 157]', async () => {
    for (const path of ['/file/create', '/files/create']) {
      expect(await upload(bytes('hello world'), { path })).toEqual({ status: 200, json: { digest: hello } });
    }
  });

  test('rejects another expected digest and stores nothing [objects 13]', async () => {
    const { status, json } = await upload(bytes('hello world'), { expected: 'abc' });
    expect([status, json.reason]).toEqual([409, `Client file digest abc != server digest ${hello}`]);
    expect((await content(hello)).status).toBe(404);
    expect((await upload(bytes('hello world'), { expected: hello })).status).toBe(200);
  });

  test('accepts a blob without a file name and returns the digest of the client [objects 135] [evaluations 159]', async () => {
    expect((await upload(bytes('def f():\n    return 1\n'))).json.digest).toBe(
      'W3bQliwJq07jCfrGX601aMl6veyYO0BRRq4XhqI141I',
    );
  });

  test('the file may come before the other parts', async () => {
    const form = new FormData();
    form.append('file', new Blob([bytes('hello world')]), 'a.txt');
    form.append('project_id', project);
    expect((await upload(bytes(''), { form })).json).toEqual({ digest: hello });
  });

  test('names a missing part', async () => {
    const form = new FormData();
    form.append('other', 'x');
    expect(await upload(bytes(''), { form })).toEqual({
      status: 422,
      json: {
        detail: ['project_id', 'file'].map((name) => ({ type: 'missing', loc: ['body', name], msg: 'Field required' })),
      },
    });
    const json = await server.post('/file/create', { project_id: project });
    expect([json.status, json.json.detail.length]).toEqual([422, 2]);
  });

  test('rejects a file over the limit', async () => {
    expect(await upload(new Uint8Array(1024 * 1024 + 1))).toEqual({
      status: 413,
      json: { reason: 'Request too large' },
    });
    expect((await upload(new Uint8Array(1024 * 1024))).status).toBe(200);
  });

  test('answers a malformed upload with 400 or 422', async () => {
    const type = { 'content-type': 'multipart/form-data; boundary=x' };
    for (const body of [
      '',
      '--x\r\nnonsense',
      '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
    ]) {
      const response = await fetch(`${server.url}/file/create`, {
        method: 'POST',
        body,
        headers: { ...headers(), ...type },
      });
      expect([400, 422]).toContain(response.status);
    }
  });
});

describe('content', () => {
  test('returns the exact bytes, not JSON [objects 131]', async () => {
    const sent = new Uint8Array([0, 255, 123, 34, 0, 10, 13, 128]);
    const { digest } = (await upload(sent)).json;
    for (const path of ['/file/content', '/files/content']) {
      const read = await content(digest, path);
      expect(read).toMatchObject({ status: 200, type: 'application/octet-stream' });
      expect([...read.bytes]).toEqual([...sent]);
    }
  });

  test('returns 250,000 bytes unchanged [objects 134]', async () => {
    const sent = Uint8Array.from({ length: 250_000 }, (_, i) => i % 251);
    const { digest } = (await upload(sent)).json;
    expect(Buffer.compare((await content(digest)).bytes, sent)).toBe(0);
  });

  test('stores an empty file', async () => {
    const { json } = await upload(bytes(''));
    expect(json.digest).toBe('47DEQpj8HBSaXYTImWX5JCeuQeRkm5NMpJWZG3hSuFU');
    expect(await content(json.digest)).toMatchObject({ status: 200, bytes: new Uint8Array() });
  });

  test('an unknown file, or one of another project, is a 404 [objects 132 137]', async () => {
    const { digest } = (await upload(bytes('hello world'))).json;
    const unknown = await server.post('/file/content', { project_id: project, digest: '../../secret' });
    expect(unknown).toMatchObject({ status: 404, json: { reason: 'File with digest ../../secret not found' } });
    expect((await content(digest, '/file/content', await server.newProject())).status).toBe(404);
  });

  test('an op may be published before its file [objects 138]', async () => {
    const val = { _type: 'CustomWeaveType', weave_type: { type: 'Op' }, files: { 'obj.py': hello } };
    const made = await server.post('/obj/create', { obj: { project_id: project, object_id: 'f', val } });
    expect(made.status).toBe(200);
    expect((await content(hello)).status).toBe(404);
    await upload(bytes('hello world'), { name: 'obj.py' });
    expect(Buffer.from((await content(hello)).bytes).toString()).toBe('hello world');
  });
});

test('the same content counts once, under any name [objects 133 136]', async () => {
  expect(await total()).toBe(0);
  const first = await upload(bytes('hello world'), { name: 'a.txt' });
  const second = await upload(bytes('hello world'), { name: 'b.txt' });
  expect(second.json).toEqual(first.json);
  await upload(bytes('more'));
  expect([await total(), await total('/files/stats')]).toEqual([15, 15]);
});

test('returns a file that is requested during its upload', async () => {
  const text = 'arrives a little later';
  const digest = createHash('sha256').update(text).digest('base64url').replaceAll('-', 'X').replaceAll('_', 'Y');
  const asked = content(digest);
  const [found] = await Promise.all([asked, upload(bytes(text))]);
  expect({ status: found.status, text: Buffer.from(found.bytes).toString() }).toEqual({ status: 200, text });
});
