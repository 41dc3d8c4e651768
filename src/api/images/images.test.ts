import { beforeEach, expect, test } from 'vitest';
import { providerProject } from '../testing/provider-project.ts';

const project = providerProject();
beforeEach(() => project.publishProvider(['dall-e-3', 'gpt-image-1']));

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

const create = (inputs: object, more: object = {}) =>
  project.server.post('/image/create', { project_id: project.name, inputs, ...more });

async function readFile(digest: string) {
  const answer = await fetch(`${project.server.url}/file/content`, {
    method: 'POST',
    headers: { authorization: `Bearer ${project.server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ project_id: project.name, digest }),
  });
  return Buffer.from(await answer.arrayBuffer());
}

test.each([
  [{ model: 'dall-e-3', prompt: 'p', n: 4 }, /No OpenAI API key found: the secret OPENAI_API_KEY is not set/],
  [{ model: '', prompt: 'p' }, /^No model specified in request$/],
  [{ model: 'dall-e-3', prompt: '' }, /^No prompt specified in request$/],
  [{ model: 'heddle/tiny', prompt: 'p' }, /does not generate images/],
])('returns 200 with an error for %j [evaluations 151]', async (inputs, error) => {
  const { status, json } = await create(inputs);
  expect([status, json.response]).toEqual([200, { error: expect.stringMatching(error) }]);
});

test('an image is downloaded and stored as a file, and the call is recorded', async () => {
  const url = `${project.stub.url.replace('/v1', '')}/picture.png`;
  const usage = { input_tokens: 5, output_tokens: 7 };
  project.stub.answers.push({ json: { created: 1, data: [{ url, revised_prompt: 'r' }], usage } });
  project.stub.answers.push((_request, response) => response.end(png));
  const inputs = { model: 'custom::stub::dall-e-3', prompt: 'A cat', n: 3 };
  const { json } = await create(inputs);
  const { files } = json.response.data[0].url;
  expect(json.response).toEqual({
    created: 1,
    model: inputs.model,
    data: [
      {
        url: {
          _type: 'CustomWeaveType',
          weave_type: { type: 'weave.type_wrappers.Content.content.Content' },
          files: { content: expect.any(String), 'metadata.json': expect.any(String) },
        },
        revised_prompt: 'r',
      },
    ],
    usage: { ...usage, prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
  });
  expect(await readFile(files.content)).toEqual(png);
  const metadata = JSON.parse(String(await readFile(files['metadata.json'])));
  expect(metadata).toMatchObject({ size: png.length, mimetype: 'image/png', extension: '.png' });
  expect(project.stub.received[0]).toMatchObject({
    path: '/v1/images/generations',
    body: {
      ...{ model: 'dall-e-3', prompt: 'A cat', n: 1, size: '1024x1024', quality: 'standard', style: 'natural' },
      response_format: 'url',
    },
  });
  const call = (await project.server.post('/call/read', { project_id: project.name, id: json.weave_call_id })).json
    .call;
  expect(call).toMatchObject({
    op_name: 'weave.image_generation_create',
    inputs,
    output: json.response,
    summary: { usage: { 'dall-e-3': { requests: 1, prompt_tokens: 5, completion_tokens: 7 } } },
  });
});

test('stores an inline image, and records no call if tracking is off', async () => {
  project.stub.answers.push({ json: { data: [{ b64_json: png.toString('base64') }] } });
  const { json } = await create({ model: 'custom::stub::gpt-image-1', prompt: 'A cat' }, { track_llm_call: false });
  expect(await readFile(json.response.data[0].b64_json.files.content)).toEqual(png);
  expect(json.weave_call_id).toBeNull();
  expect(project.stub.received[0]!.body).toEqual({
    model: 'gpt-image-1',
    prompt: 'A cat',
    n: 1,
    size: '1024x1024',
    quality: 'high',
  });
  expect((await project.server.post('/calls/query_stats', { project_id: project.name })).json.count).toBe(0);
});

test('an answer with too many images is refused, and none is stored', async () => {
  const data = new Array(21).fill({ b64_json: png.toString('base64') });
  project.stub.answers.push({ json: { data } });
  const { json } = await create({ model: 'custom::stub::dall-e-3', prompt: 'p' });
  expect(json.response).toEqual({ error: `${project.stub.host} sent 21 images. At most 20 are stored.` });
});

test.each(['http://127.0.0.1:1/x.png', 'http://169.254.169.254/latest', 'file:///etc/passwd', 'nonsense'])(
  'an image at %s is not fetched',
  async (url) => {
    project.stub.answers.push({ json: { data: [{ url }] } });
    const { status, json } = await create({ model: 'custom::stub::dall-e-3', prompt: 'p' });
    expect([status, json.response]).toEqual([200, { error: expect.stringMatching(/private address|no valid URL/) }]);
  },
);
