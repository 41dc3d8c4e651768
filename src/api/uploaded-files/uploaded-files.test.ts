import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/server.ts';

const bytesMax = 300_000;
let server: TestServer;
let project: string;
beforeAll(async () => {
  server = await startTestServer({ HEDDLE_UPLOAD_MAX_BYTES: String(bytesMax) });
});
beforeEach(async () => {
  project = await server.newProject();
});
afterAll(() => server.close());

type Part = [name: string, value: string | Uint8Array<ArrayBuffer>, fileName?: string];

async function upload(...parts: Part[]) {
  const form = new FormData();
  for (const [name, value, fileName] of parts) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([value]), fileName ?? 'data.jsonl');
  }
  const headers = { authorization: `Bearer ${server.key}`, 'x-heddle-project': project };
  const response = await fetch(`${server.url}/v1/files`, { method: 'POST', body: form, headers });
  return { status: response.status, json: (await response.json()) as any };
}

const bytes = (text: string) => new TextEncoder().encode(text);
const purpose = (value: string): Part => ['purpose', value];
const file = (text = 'line\n', name = 'data.jsonl'): Part => ['file', bytes(text), name];
const ask = (path: string, options: { method?: string; project?: string } = {}) =>
  server.get(`/v1/files${path}`, {
    headers: { 'x-heddle-project': options.project ?? project },
    ...(options.method ? { method: options.method } : {}),
  });

/** The project's contents in the blob store, listed or not, once nothing is being written. */
async function storedContents(): Promise<string[]> {
  const [info] = (await server.post('/service/projects_info', { project_ids: [project] })).json;
  const paths = () => readdirSync(server.data, { recursive: true, encoding: 'utf8' });
  await expect.poll(() => paths().filter((path) => /unfinished\/./.test(path))).toEqual([]);
  return paths().filter((path) => path.includes(`blobs/projects/${info.internal_project_id}/uploads/`));
}

test('a download that was cut goes on where it ended, as long as the file is the same', async () => {
  const text = Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`).join('');
  const { json } = await upload(purpose('fine-tune'), file(text));
  const other = (await upload(purpose('fine-tune'), file(text))).json;
  const content = (id: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${server.url}/v1/files/${id}/content`, {
      method,
      headers: { authorization: `Bearer ${server.key}`, 'x-heddle-project': project, ...headers },
    });
  const whole = await content(json.id);
  const etag = whole.headers.get('etag')!;
  expect([whole.status, whole.headers.get('accept-ranges'), await whole.text()]).toEqual([200, 'bytes', text]);
  expect((await content(other.id)).headers.get('etag')).not.toBe(etag);

  const rest = await content(json.id, { range: 'bytes=100000-', 'if-range': etag });
  expect([rest.status, rest.headers.get('content-range'), rest.headers.get('etag')]).toEqual([
    206,
    `bytes 100000-${text.length - 1}/${text.length}`,
    etag,
  ]);
  expect(rest.headers.get('content-length')).toBe(String(text.length - 100_000));
  expect(await rest.text()).toBe(text.slice(100_000));
  expect(await (await content(json.id, { range: 'bytes=-6' })).text()).toBe(text.slice(-6));

  const changed = await content(json.id, { range: 'bytes=100000-', 'if-range': '"another"' });
  expect([changed.status, await changed.text()]).toEqual([200, text]);
  const several = await content(json.id, { range: 'bytes=0-1,5-6' });
  expect([several.status, await several.text()]).toEqual([200, text]);

  const beyond = await content(json.id, { range: `bytes=${text.length}-` });
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${text.length}`]);
  expect(await beyond.json()).toMatchObject({ error: { message: expect.stringContaining(`${text.length} bytes`) } });

  const known = await content(json.id, { 'if-none-match': etag });
  expect([known.status, await known.text()]).toEqual([304, '']);
  const head = await content(json.id, { range: 'bytes=5-' }, 'HEAD');
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, `${text.length}`, '']);
});

test('an upload can be read, listed, downloaded and deleted', async () => {
  const { status, json } = await upload(purpose('fine-tune'), file('first\n', 'mine.jsonl'));
  expect({ status, json }).toEqual({
    status: 200,
    json: {
      id: expect.stringMatching(/^file-[0-9a-f]{32}$/),
      object: 'file',
      bytes: 6,
      created_at: expect.any(Number),
      filename: 'mine.jsonl',
      purpose: 'fine-tune',
      status: 'processed',
      status_details: null,
    },
  });
  expect((await ask(`/${json.id}`)).json).toEqual(json);
  expect((await ask(`/${json.id}/content`)).text).toBe('first\n');
  expect((await ask('')).json).toEqual({
    object: 'list',
    data: [json],
    first_id: json.id,
    last_id: json.id,
    has_more: false,
  });
  expect(await storedContents()).toHaveLength(1);
  const deleted = await ask(`/${json.id}`, { method: 'DELETE' });
  expect(deleted.json).toEqual({ id: json.id, object: 'file', deleted: true });
  expect(await storedContents()).toEqual([]);
  for (const path of [`/${json.id}`, `/${json.id}/content`]) {
    expect(await ask(path)).toMatchObject({
      status: 404,
      json: { error: { message: `No such File object: ${json.id}`, type: 'NotFoundError', param: 'id', code: 404 } },
    });
  }
});

test('the file may come before the fields, and expires after the given time', async () => {
  const { json } = await upload(
    file(),
    purpose('evals'),
    ['expires_after[anchor]', 'created_at'],
    ['expires_after[seconds]', '3600'],
  );
  expect(json.expires_at - json.created_at).toBe(3600);
  const batch = await upload(purpose('batch'), file());
  expect(batch.json.expires_at - batch.json.created_at).toBe(30 * 86_400);
});

test('a page has the files of one purpose, in either order, after a file', async () => {
  const ids: string[] = [];
  for (const each of ['evals', 'evals', 'user_data', 'evals']) {
    ids.push((await upload(purpose(each), file())).json.id);
  }
  const idsOf = async (query: string) => (await ask(query)).json.data.map(({ id }: { id: string }) => id);
  expect(await idsOf('')).toEqual(ids.toReversed());
  expect(await idsOf('?purpose=evals&order=asc')).toEqual([ids[0], ids[1], ids[3]]);
  const first = (await ask('?limit=2&order=asc')).json;
  expect([first.has_more, first.last_id]).toEqual([true, ids[1]]);
  expect(await idsOf(`?limit=2&order=asc&after=${first.last_id}`)).toEqual([ids[2], ids[3]]);
  expect(await ask(`?after=file-${'0'.repeat(32)}`)).toMatchObject({ status: 404, json: { error: { param: 'id' } } });
  for (const query of ['?limit=0', '?limit=10001', '?order=up', '?after=none']) {
    expect((await ask(query)).status).toBeGreaterThanOrEqual(400);
    expect((await ask(query)).status).toBeLessThan(500);
  }
});

test('another project does not have the file', async () => {
  const { json } = await upload(purpose('evals'), file());
  const other = await server.newProject();
  expect((await ask(`/${json.id}`, { project: other })).status).toBe(404);
  expect((await ask(`/${json.id}`, { project: other, method: 'DELETE' })).status).toBe(404);
  expect((await ask('', { project: other })).json.data).toEqual([]);
  expect((await ask(`/${json.id}`)).status).toBe(200);
});

describe('an upload is refused, and nothing of it is kept', () => {
  test.each<[string, Part[], number, object]>([
    ['without a file', [purpose('evals')], 400, { error: { param: 'file', code: 'missing_required_parameter' } }],
    ['without a purpose', [file()], 400, { error: { param: 'purpose' } }],
    [
      'with an unknown purpose',
      [file(), purpose('holiday')],
      400,
      { error: { param: 'purpose', message: expect.stringContaining("'purpose'") } },
    ],
    [
      'with an expiry that is too soon',
      [purpose('evals'), ['expires_after[anchor]', 'created_at'], ['expires_after[seconds]', '3599'], file()],
      400,
      { error: { param: 'expires_after.seconds' } },
    ],
    [
      'with an expiry from another time',
      [purpose('evals'), ['expires_after[anchor]', 'now'], ['expires_after[seconds]', '3600'], file()],
      400,
      { error: { param: 'expires_after.anchor' } },
    ],
    [
      'with two files',
      [file(), file(), purpose('evals')],
      400,
      { error: { message: 'The upload has more than one file. Send one file in each request.' } },
    ],
    ['with too large a file', [file('a'.repeat(bytesMax + 1)), purpose('evals')], 413, { error: { code: 413 } }],
    ['with too large a body', [file('a'.repeat(bytesMax + 3e6)), purpose('evals')], 413, { error: { code: 413 } }],
    [
      'with a name that is too long',
      [file('a', 'n'.repeat(1025)), purpose('evals')],
      400,
      { error: { param: 'file' } },
    ],
  ])('%s', async (_, parts, status, json) => {
    expect(await upload(...parts)).toMatchObject({ status, json });
    await expect.poll(() => storedContents()).toEqual([]);
    expect((await ask('')).json.data).toEqual([]);
  });

  test('as JSON', async () => {
    expect((await server.post('/v1/files', { purpose: 'evals' })).status).toBe(400);
  });

  test('cut off in the middle', async () => {
    const body = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc';
    const headers = { 'content-type': 'multipart/form-data; boundary=x', 'x-heddle-project': project };
    const { status } = await server.post('/v1/files', body, { headers });
    expect(status).toBe(400);
    await expect.poll(() => storedContents()).toEqual([]);
  });
});

test('a file that has as many bytes as allowed arrives whole', async () => {
  const { json } = await upload(purpose('evals'), file('ä'.repeat(bytesMax / 2)));
  expect(json.bytes).toBe(bytesMax);
  expect((await ask(`/${json.id}/content`)).text).toBe('ä'.repeat(bytesMax / 2));
});
